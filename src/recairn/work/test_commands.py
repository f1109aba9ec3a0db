"""Which command lines run tests, of the usual ecosystems, behind whatever wraps them. Pure.

A command is read as words. What only starts another program (`uv run --extra dev`, `timeout 60`,
`docker compose exec -T api`) is taken off the front, with its options and their values; what is
left names a program that runs tests, or a task runner with a task of such a name.
"""

from __future__ import annotations

from itertools import pairwise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# The shell's: not executable, not found. Above these a signal ended the program.
_NOT_RUN = 126
# pytest: interrupted, broken, misused, nothing collected. None of them says that a test failed.
_PYTEST_NO_RESULT = (2, 3, 4, 5)
# Programs that start the one behind them: their options with a value, and how many words of their
# own they take before it.
_STARTERS: dict[str, tuple[str, int]] = {
    "time": ("-f -o", 0),
    "nice": ("-n", 0),
    "ionice": ("-c -n", 0),
    "nohup": ("", 0),
    "stdbuf": ("-i -o -e", 0),
    "unbuffer": ("", 0),
    "sudo": ("-u -g -h -p -C", 0),
    "doas": ("-u -C", 0),
    "exec": ("-a", 0),
    "command": ("", 0),
    "env": ("-u -C -S", 0),
    "timeout": ("-k -s --signal --kill-after", 1),
    "gtimeout": ("-k -s", 1),
    "flock": ("-w --timeout", 1),
    "xvfb-run": ("-e -f -n -p -s -w", 0),
    "dbus-run-session": ("", 0),
    "dotenv": ("-f -e", 0),
    "uvx": ("--with --from -p --python", 0),
    "npx": ("-p --package -c --call", 0),
    "pnpx": ("-p --package", 0),
    "bunx": ("", 0),
    "bash": ("-o", 0),
    "sh": ("-o", 0),
    "zsh": ("-o", 0),
    "php": ("-d -c", 0),
    "ruby": ("-I -r -C", 0),
    "wait-for-it": ("-t", 1),
}
# The same for programs that do so with one of these commands.
_RUNNERS: dict[str, tuple[str, str, int]] = {
    "uv": (
        "run",
        "--extra --group --with --python -p --project --directory --package --env-file --index",
        0,
    ),
    "poetry": ("run", "-C --directory -P --project", 0),
    "pdm": ("run", "-p --project", 0),
    "pipenv": ("run", "", 0),
    "hatch": ("run", "-e --env -p --project", 0),
    "rye": ("run", "", 0),
    "pixi": ("run", "-e --environment --manifest-path", 0),
    "conda": ("run", "-n --name -p --prefix --cwd", 0),
    "mamba": ("run", "-n --name -p --prefix --cwd", 0),
    "micromamba": ("run", "-n --name -p --prefix --cwd", 0),
    "bundle": ("exec", "", 0),
    "coverage": ("run", "--source --rcfile --include --omit", 0),
    "pnpm": ("exec dlx", "-C --dir --filter -F", 0),
    "yarn": ("exec dlx", "--cwd", 0),
    "npm": ("exec", "--prefix -w --workspace", 0),
    "bun": ("x", "--cwd", 0),
    "direnv": ("exec", "", 1),
    "mise": ("exec x", "", 0),
    "devbox": ("run", "-c --config", 0),
    "opam": ("exec", "--switch", 0),
    "pipx": ("run", "--spec --python", 0),
    "asdf": ("exec", "", 0),
    "nix": ("develop", "-f --file", 0),
    "docker": ("exec run", "-e --env -u --user -w --workdir -v --volume --name --entrypoint", 1),
    "podman": ("exec run", "-e --env -u --user -w --workdir -v --volume --name --entrypoint", 1),
    "docker-compose": ("exec run", "-f --file -p -e -u -w -v --name --entrypoint --profile", 1),
    "kubectl": ("exec", "-n --namespace -c --container", 1),
}
# Runners whose words are names of tasks as well as programs.
_TASK_RUNNERS = frozenset(("devbox", "hatch", "pdm", "poetry", "pixi", "rye", "uv"))
# Shells, which read the word behind `-c` as a command line of its own.
_SHELLS = frozenset(("bash", "sh", "zsh", "dash", "ash", "ksh"))

_PROGRAMS = frozenset(
    "pytest pytest-3 py.test nosetests nose2 unittest tox nox trial behave jest vitest mocha ava"
    " tap gotestsum ginkgo ctest rspec phpunit pest paratest minitest bats busted prove karma"
    " kotest tape uvu cucumber cucumber-js codecept web-test-runner"
    " elm-test robot shellspec ptw pytest-watch".split()
)
# Programs that run tests with one of these commands.
_COMMANDS = {
    "playwright": "test",
    "cypress": "run",
    "node": "--test",
    "cargo": "test nextest t llvm-cov tarpaulin",
    "go": "test",
    "hatch": "test",
    "pdm": "test",
    "rye": "test",
    "artisan": "test",
    "deno": "test",
    "bun": "test",
    "manage.py": "test",
    "django-admin": "test",
    "crystal": "spec",
    "dune": "test runtest",
    "ember": "test t",
    "helm": "unittest",
    "mise": "run r",
    "nimble": "test",
    "rebar3": "eunit ct proper",
    "scala-cli": "test",
    "terraform": "test",
    "tofu": "test",
    "wasm-pack": "test",
    "wdio": "run",
    "ng": "test",
    "forge": "test",
    "hardhat": "test",
    "truffle": "test",
    "nx": "test run run-many affected",
    "turbo": "test run",
    "lerna": "run",
    "molecule": "test verify",
    "moon": "run",
    "rush": "test",
}
# Those of them whose command is followed by the name of a task.
_TASKS_FOLLOW = frozenset(("nx", "turbo", "lerna", "moon", "mise"))
# Build tools: any of their words may be the task.
_BUILDERS = frozenset(
    "mvn mvnw gradle gradlew sbt ant bazel bazelisk buck2 pants swift dotnet mix flutter dart stack"
    " cabal gleam zig lein clj just task meson rake composer invoke inv make gmake ninja"
    " xcodebuild mill scons waf earthly clojure".split()
)
_PACKAGE_MANAGERS = frozenset(("npm", "pnpm", "yarn", "bun", "deno"))
_MANAGER_VALUES = frozenset(
    "-C --dir --filter -F --prefix --workspace --cwd --include --exclude --from workspace".split()
)
_BEFORE_SCRIPTS = frozenset(("run", "run-script", "task", "workspaces", "foreach"))
_TASKS = frozenset(
    "test tests testonly testquick check verify spec specs e2e unit integration".split()
)
_SHORT_TASKS = ("t", "tst")
# How the names of tasks begin that only make what others run: `assembleAndroidTest`.
_MAKING = ("assemble", "build", "bundle", "compile", "package", "process", "generate", "install")
# How Clojure's options that name tasks begin.
_ALIASES = ("-M:", "-X:", "-A:")
# Options that keep a program from running any test.
_ONLY_ASKING = frozenset(
    "--help -h --version --collect-only --co --listTests --list --list-tests --dry-run"
    " --no-run -list".split()
)
_ENDINGS = (".sh", ".bash", ".py", ".rb", ".js", ".mjs", ".ts", ".ps1", ".cmd", ".bat")


def test_command(command: str) -> str | None:
    """The part of a command line that runs tests, as it was typed; None when none does."""
    words = words_of(command)
    for shell, option, line in zip(words, words[1:], words[2:], strict=False):
        if _name(shell) in _SHELLS and option.startswith("-") and option.endswith("c"):
            return test_command(line)
    for sign in ("&&", "|", "\n"):
        command = command.replace(sign, ";")
    for part in command.split(";"):
        bare = part.strip().lstrip("({").rstrip(")}").strip()
        if tested_by(words_of(bare.replace(">", " >"))):
            return bare
    return None


def words_of(command: str) -> list[str]:
    """The words of one command; a quote that is not closed is a sign like others."""
    if not any(sign in command for sign in "'\"\\"):
        return command.split()
    from shlex import split

    try:
        return split(command)
    except ValueError:
        return command.split()


def tested_by(words: Sequence[str]) -> list[str]:
    """The words from the program that runs the tests on; none when no tests are run."""
    left, is_task = list(words), False
    while left and not is_task:
        rest = _behind(left)
        if rest is None:
            break
        is_task = _name(left[0]) in _TASK_RUNNERS and bool(rest) and _is_task(rest[0])
        left = rest
    if not left or not _ONLY_ASKING.isdisjoint(left[1:]):
        return []
    return left if is_task or _runs_tests(left) else []


def _behind(words: list[str]) -> list[str] | None:
    """What a wrapper at the front starts; None where none stands there."""
    name = _name(words[0])
    if "=" in words[0] and words[0].split("=")[0].isidentifier():
        return words[1:]
    if name.rstrip("0123456789.") in ("python", "pypy") or name == "py":
        return _behind_python(words)
    if name in _STARTERS:
        options, own = _STARTERS[name]
        rest = _past_options(words[1:], options.split())[own:]
        return rest[1:] if rest[:1] == ["--"] else rest
    if name not in _RUNNERS:
        return None
    commands, options, own = _RUNNERS[name]
    values = options.split()
    rest = _past_options(words[1:], values)
    if name in ("docker", "podman") and rest[:1] == ["compose"]:
        rest = _past_options(rest[1:], ["-f", "--file", "-p", "--profile", "--env-file"])
    if not rest or rest[0] not in commands.split():
        return None
    rest = _past_options(rest[1:], values)[own:]
    return rest[1:] if rest[:1] == ["--"] else rest


def _behind_python(words: list[str]) -> list[str] | None:
    """The module or script that Python runs."""
    rest = words[1:]
    while rest and rest[0].startswith("-") and rest[0][:2] not in ("-m", "-c"):
        rest = rest[2:] if rest[0] in ("-W", "-X") else rest[1:]
    if rest and rest[0].startswith("-m"):
        return [rest[0][2:], *rest[1:]] if rest[0][2:] else rest[1:]
    if not rest or rest[0].startswith("-c"):
        return None
    # A script is looked at like a program of its name.
    return [rest[0] if "/" in rest[0] else f"./{rest[0]}", *rest[1:]]


def _past_options(words: list[str], values: Sequence[str]) -> list[str]:
    """The words behind the options at the front."""
    at = 0
    while at < len(words) and words[at].startswith("-") and words[at] != "-":
        if words[at] == "--":
            return words[at + 1 :]
        at += 2 if words[at] in values else 1
    return words[at:]


def _name(word: str) -> str:
    """The program a word names, without its folder."""
    return word.replace("\\", "/").rpartition("/")[2].removesuffix(".exe")


def _runs_tests(words: Sequence[str]) -> bool:
    name, rest = _name(words[0]), words[1:]
    if name in _PROGRAMS:
        return True
    if name in _PACKAGE_MANAGERS and _manager_tests(rest):
        return True
    if name in _COMMANDS:
        return _command_tests(name, rest)
    if name == "cmake":
        return any(option == "--target" and _is_task(task) for option, task in pairwise(rest))
    if name == "rails":
        return bool(rest) and (rest[0] == "t" or _is_task(rest[0]))
    if name in _BUILDERS:
        return any(_is_task(part) for word in rest for part in _parts(word))
    return _is_script(words[0], rest)


def _command_tests(name: str, words: Sequence[str]) -> bool:
    """Whether a program that does other things too is asked to run tests."""
    wanted = _COMMANDS[name].split()
    if wanted[0].startswith("-"):
        return wanted[0] in words
    plain = [word for word in words if word[0] not in "-+"]
    if not plain or plain[0] not in wanted:
        return False
    if name not in _TASKS_FOLLOW or plain[0] == "test":
        return True
    return any(_is_task(part) for word in words[1:] for part in _parts(word))


def _manager_tests(words: Sequence[str]) -> bool:
    """Whether a package manager is asked for a script that runs tests."""
    rest = list(words)
    while rest:
        word = rest.pop(0)
        # `-w` is npm's option with a value, and pnpm's without.
        if word in _MANAGER_VALUES or (word == "-w" and rest and not _is_task(rest[0])):
            rest = rest[1:]
        elif not word.startswith("-") and word not in _BEFORE_SCRIPTS:
            return _is_task(word) or word in _SHORT_TASKS or word in _PROGRAMS
    return False


def _parts(word: str) -> list[str]:
    """A word of a build tool, and what stands behind its colons and signs: `:app:test`."""
    if word.startswith("-") and "=" not in word and not word.startswith(_ALIASES):
        return []
    parts = word.lstrip("+").replace("=", ":").replace(",", ":").split(":")
    return [part for part in parts if part]


def _is_task(word: str) -> bool:
    """Whether a task of that name runs tests: `test`, `test:unit`, `unit-test`, `testDebug`."""
    if "." in word or "/" in word or word.startswith(_MAKING) or word == "testClasses":
        return False
    spelled = word if word.isupper() else "".join(["-" * sign.isupper() + sign for sign in word])
    low = spelled.lower().lstrip("-").replace(":", "-").replace("_", "-")
    first, *others = low.split("-")
    return first in _TASKS or (bool(others) and others[-1] in ("test", "tests", "spec"))


def _is_script(word: str, rest: Sequence[str]) -> bool:
    """Whether a script runs tests, by its name: `scripts/test`, `./run_tests.sh`, `run.py test`."""
    if "/" not in word:
        return False
    name = _name(word)
    for ending in _ENDINGS:
        name = name.removesuffix(ending)
    if name in ("run", "all") and word.split("/")[-2] in ("test", "tests"):
        return True
    parts = name.lower().replace("_", "-").split("-")
    if parts[0] in ("test", "tests", "runtests", "check") or parts[-1] in ("test", "tests"):
        return True
    return name in ("run", "manage", "dev", "do", "make", "x", "ci") and bool(
        rest and _is_task(rest[0])
    )


def verdict(program: Sequence[str], status: int) -> bool | None:
    """Whether a program that ended so has passed; None when its end says nothing about the work."""
    if status == 0:
        return True
    if status >= _NOT_RUN or status < 0:
        return None
    names = [word.rpartition("/")[2] for word in program[:4]]
    if status in _PYTEST_NO_RESULT and any(name in ("pytest", "py.test") for name in names):
        return None
    return False
