"""The engines that keep the contract, and where each would keep the one database of a test.

An engine joins by one entry. What only some can promise is said by the lists below, so that no test
of the contract names one.
"""

ADDRESSES = {
    "postgresql": lambda request: request.getfixturevalue("postgres").new_team(),
    "sqlite": lambda request: str(request.getfixturevalue("tmp_path") / "contract.db"),
}
# A database that is one file, which recairn itself copies; the others are backed up elsewhere.
FILES = ["sqlite"]
SERVERS = sorted(ADDRESSES.keys() - set(FILES))
