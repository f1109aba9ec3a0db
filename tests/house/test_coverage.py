"""`run.py coverage` says how much of each package the tests run."""

from __future__ import annotations

import run


def counted(statements: int, covered: int) -> dict[str, int]:
    return {"num_statements": statements, "covered_lines": covered}


def test_files_are_added_up_by_package_and_in_all():
    files = {
        "src/recairn/__init__.py": counted(10, 10),
        "src/recairn/store/tables.py": counted(30, 30),
        "src/recairn/store/sqlite/edges.py": counted(70, 20),
        "src/recairn/core/times.py": counted(90, 90),
    }
    assert run.coverage_lines(files) == [
        "(top)           10  100.0 %",
        "core            90  100.0 %",
        "store          100   50.0 %",
        "total          200   75.0 %",
    ]


def test_a_package_of_empty_files_has_no_line():
    files = {
        "src/recairn/work/__init__.py": counted(0, 0),
        "src/recairn/core/ids.py": counted(4, 3),
    }
    assert run.coverage_lines(files) == [
        "core             4   75.0 %",
        "total            4   75.0 %",
    ]
