"""Set up, try, test and measure recairn with nothing but python3 and pip.

    python3 run.py demo [ARGS]     try recairn on a throw-away database
    python3 run.py check           the whole gate: format, lint, types, tests
    python3 run.py lint            the gate without its tests
    python3 run.py test            the same gate
    python3 run.py test ARGS       pytest alone, with these arguments
    python3 run.py test --quick    the pure packages and the rules of the house, in seconds
    python3 run.py test --changed  the tests of what differs from main, in the working tree too
    python3 run.py test --slow     only the tests that take minutes
    python3 run.py test --agents   only the tests that drive a real coding agent
    python3 run.py test --mutants  plant faults one at a time; the suite has to notice each
    python3 run.py coverage        how much of each package the tests run, sub-processes too
    python3 run.py bench [NAME]    run bench/NAME.py, or list what there is
    python3 run.py docs            the documentation as a site, with a search; a dead link fails it
    python3 run.py fix             write what is generated, format, mend what the linter can mend
    python3 run.py setup           make the development environment and stop

The environment lives in .venv beside this file. Everything in it comes from the two lock files, by
hash. An old python3 has to reach the message below, so no syntax newer than Python 3.6 in here.
"""

import compileall
import contextlib
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

OLDEST_PYTHON = (3, 11)

if sys.version_info[:2] < OLDEST_PYTHON:
    sys.exit(
        "recairn needs Python 3.11 or newer, and this is Python {}.{}.{} ({}).\n"
        "  hint: name a newer one, for example: python3.12 run.py demo".format(
            *sys.version_info[:3], sys.executable
        )
    )

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
VENV_BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
VENV_PYTHON = VENV_BIN / ("python.exe" if os.name == "nt" else "python")

# Either lock holds all that installing recairn itself needs, so neither step asks the index twice.
LOCKS = {"runtime": ROOT / "requirements.lock", "dev": ROOT / "requirements-dev.lock"}

# The first pip that can install into another environment (`pip --python`).
PIP_WITH_PYTHON_OPTION = (22, 3)

# Beyond this many test processes the start of each costs more than it saves.
MOST_TEST_PROCESSES = 8

# Where Linux keeps files in memory, and the bytes that must be free there before the gate's tests
# write to it: many times what they need at once (300 MB).
MEMORY_DISK, MEMORY_ROOM = "/dev/shm", 4 << 30

# How much of a failing installer's output is shown.
PROBLEM_LINES = 25

CHECKED = ("src", "tests", "bench", "tools", "run.py")

# Packages without a database under them: their tests are over before one has switched windows.
QUICK_TESTS = ("tests/core", "tests/host", "tests/ranking", "tests/house")
QUICK_MARKS = "not slow and not agents and not thorough"
QUICK_OPTIONS = ("--hypothesis-profile=quick", "-m", QUICK_MARKS)

TEST_MODES = ("--quick", "--changed", "--slow", "--agents")

ALL_TESTS = "tests"
HOUSE_TESTS = "tests/house"

# What lies outside src and tests, by how its path begins, and where its tests lie.
TESTS_ELSEWHERE = {
    "docs/decisions/": HOUSE_TESTS,
    "docs/": "tests/surfaces",
    "plugin/": "tests/surfaces",
    "README.md": "tests/surfaces",
    "AGENTS.md": HOUSE_TESTS,
    "CHANGELOG.md": HOUSE_TESTS,
    "CONTRIBUTING.md": HOUSE_TESTS,
    "SECURITY.md": HOUSE_TESTS,
    "requirements-docs.lock": HOUSE_TESTS,
    "run.py": HOUSE_TESTS,
}


class SetupError(Exception):
    """The environment could not be made; the message says why and what to do."""


def say(line: str) -> None:
    print(f"recairn: {line}", file=sys.stderr, flush=True)


def outer_python() -> str:
    """The interpreter that .venv is made from, also when .venv itself is the one running."""
    if Path(sys.prefix).resolve() == VENV.resolve():
        return getattr(sys, "_base_executable", sys.executable)
    return sys.executable


def clean_environment() -> "dict[str, str]":
    """This process's environment without what would let other packages into .venv."""
    env = {
        name: value
        for name, value in os.environ.items()
        if name not in ("PYTHONPATH", "PYTHONHOME", "__PYVENV_LAUNCHER__")
    }
    env["PIP_USER"] = "0"
    env["PIP_DISABLE_PIP_VERSION_CHECK"] = "1"
    return env


def attempt(command: "list[str]", extra_env: "dict[str, str] | None" = None) -> str:
    """An empty string when the command succeeded, otherwise what it printed."""
    env = {**clean_environment(), **(extra_env or {})}
    try:
        done = subprocess.run(
            command, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
    except OSError as error:
        return str(error)
    if done.returncode == 0:
        return ""
    return done.stdout.strip() or f"exit status {done.returncode}"


# --- the environment ------------------------------------------------------------------------------


def interpreter_mark() -> str:
    """Changes when .venv has to be made anew: another Python, or a checkout that moved."""
    return f"{sys.version} {sys.base_prefix} {ROOT}"


def content_mark(level: str) -> str:
    """Changes when the packages have to be installed again."""
    digest = hashlib.sha256()
    for path in (ROOT / "pyproject.toml", LOCKS[level]):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def stamp(level: str) -> Path:
    return VENV / f"recairn-{level}.stamp"


def holds(path: Path, text: str) -> bool:
    try:
        return path.read_text() == text
    except OSError:
        return False


def is_ready(level: str) -> bool:
    return (
        holds(stamp("interpreter"), interpreter_mark())
        and holds(stamp(level), content_mark(level))
        and VENV_PYTHON.exists()
    )


@contextlib.contextmanager
def only_one_at_a_time() -> "Iterator[None]":
    """Two runs started together must not rebuild .venv under each other."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    folder = os.open(ROOT, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def ensure(level: str) -> None:
    """Return with .venv ready for `level` ("runtime" or "dev") and the sources compiled."""
    if not is_ready(level):
        with only_one_at_a_time():
            if not is_ready(level):
                build(level)
    # A fast cold start is a feature, and PYTHONDONTWRITEBYTECODE must not take it away.
    compileall.compile_dir(str(ROOT / "src"), quiet=2)


def build(level: str) -> None:
    started = time.monotonic()
    if not (holds(stamp("interpreter"), interpreter_mark()) and VENV_PYTHON.exists()):
        say("making .venv")
        shutil.rmtree(VENV, ignore_errors=True)
        make_venv()
        stamp("interpreter").write_text(interpreter_mark())
    say(f"installing the {level} packages (needs the package index once)")
    install(level)
    # The dev lock holds everything that the runtime lock does.
    for reached in ("runtime", "dev") if level == "dev" else ("runtime",):
        stamp(reached).write_text(content_mark(reached))
    say(f"ready in {time.monotonic() - started:.0f} s")


def make_venv() -> None:
    """Make .venv without pip in it: ensurepip is missing on a bare Debian, and is not needed."""
    problems = []
    for maker in (venv_by_standard_library, venv_by_uv, venv_by_virtualenv):
        problem = maker()
        if not problem and VENV_PYTHON.exists():
            return
        problems.append(problem)
        shutil.rmtree(VENV, ignore_errors=True)
    raise SetupError(
        "cannot make a virtual environment:\n"
        + "\n".join(map(tail, problems))
        + "\n  hint: install Python's venv module (Debian and Ubuntu: apt install python3-venv)"
    )


def venv_by_standard_library() -> str:
    return attempt([outer_python(), "-m", "venv", "--without-pip", str(VENV)])


def venv_by_uv() -> str:
    uv = shutil.which("uv")
    if uv is None:
        return "uv is not installed"
    return attempt([uv, "venv", "--quiet", "--python", outer_python(), str(VENV)])


def venv_by_virtualenv() -> str:
    """Fetch virtualenv to a throw-away folder; installing to a folder is never refused."""
    python = outer_python()
    with tempfile.TemporaryDirectory() as folder:
        fetch = [python, "-m", "pip", "install", "--quiet", "--target", folder, "virtualenv"]
        return attempt(fetch) or attempt(
            [python, "-m", "virtualenv", "--quiet", "--no-seed", str(VENV)],
            {"PYTHONPATH": folder},
        )


# --- the packages ---------------------------------------------------------------------------------


def install(level: str) -> None:
    """Install the lock of `level`, then recairn itself in place."""
    installer = newest_of(install_lock(LOCKS[level]))
    problem = attempt([*installer, "--no-deps", "--no-build-isolation", "-e", str(ROOT)])
    if problem:
        raise SetupError("cannot install recairn itself into .venv:\n" + tail(problem))


def newest_of(installer: "list[str]") -> "list[str]":
    """That installer, or in the place of some old pip the one that the dev lock has brought.

    The command that pip 23 writes imports `re` before anything of ours, half an empty Python for
    every cold process and hook; pip 26 and uv write one that does not.
    """
    own = [str(VENV_PYTHON), "-m", "pip"]
    if Path(installer[0]).stem == "uv" or attempt([*own, "--version"]):
        return installer
    return [*own, "install", "--quiet"]


def install_lock(lock: Path) -> "list[str]":
    """Install a lock file; the command that did it is the one to go on with."""
    problems = []
    # uv does not read pip's configuration, so where it finds no index pip still may.
    for installer in (uv_install(), pip_install()):
        if installer is None:
            continue
        problem = attempt([*installer, "--require-hashes", "-r", str(lock)])
        if not problem:
            return installer
        problems.append(tail(problem))
    if not problems:
        raise SetupError(
            f"there is neither pip nor uv for {outer_python()}.\n"
            "  hint: install pip (Debian and Ubuntu: apt install python3-pip) and run this again"
        )
    raise SetupError(
        f"cannot install {lock.name}:\n"
        + "\n".join(problems)
        + "\n  hint: the package index must be reachable this once; a mirror that pip's or uv's"
        " configuration names is used"
    )


def uv_install() -> "list[str] | None":
    uv = shutil.which("uv")
    if uv is None:
        return None
    python = str(VENV_PYTHON)
    return [uv, "pip", "install", "--quiet", "--python", python, "--compile-bytecode"]


def pip_install() -> "list[str] | None":
    """The first pip there is: the interpreter's own, ensurepip's, or one from before --python."""
    return outer_pip() or ensured_pip() or old_pip()


def outer_pip() -> "list[str] | None":
    """The interpreter's own pip at work in .venv, which the "externally managed" rule allows."""
    if pip_version() < PIP_WITH_PYTHON_OPTION:
        return None
    return [outer_python(), "-m", "pip", "--python", str(VENV_PYTHON), "install", "--quiet"]


def ensured_pip() -> "list[str] | None":
    """A pip inside .venv, unpacked from the Python distribution."""
    if attempt([str(VENV_PYTHON), "-m", "ensurepip"]):
        return None
    return [str(VENV_PYTHON), "-m", "pip", "install", "--quiet"]


def old_pip() -> "list[str] | None":
    """The interpreter's own pip, run by .venv's interpreter from where it lies.

    It takes the packages beside it for installed ones, hence --ignore-installed.
    """
    spec = importlib.util.find_spec("pip")
    if spec is None or spec.origin is None:
        return None
    folder = str(Path(spec.origin).parent)
    return [str(VENV_PYTHON), folder, "install", "--quiet", "--ignore-installed"]


def pip_version() -> "tuple[int, ...]":
    """The version of the outer interpreter's pip, and () when it has none."""
    script = "import pip; print(pip.__version__)"
    command = [outer_python(), "-c", script]
    done = subprocess.run(
        command, env=clean_environment(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    parts = done.stdout.decode().strip().split(".")[:2]
    return tuple(int(part) for part in parts if part.isdigit())


def tail(text: str) -> str:
    """The end of a tool's output, indented: the reason stands there."""
    return "\n".join("  " + line for line in text.splitlines()[-PROBLEM_LINES:])


# --- the commands ---------------------------------------------------------------------------------


def call(command: "list[str]", folder: "Path | None" = None) -> int:
    return subprocess.call(command, cwd=folder, env=clean_environment())


def demo(arguments: "list[str]") -> int:
    ensure("runtime")
    return call([str(VENV_PYTHON), "-m", "recairn.surfaces.demo", *arguments])


def setup(arguments: "list[str]") -> int:
    refuse(arguments, "setup")
    ensure("dev")
    say(f"ready; the command is {VENV_BIN / 'recairn'}")
    return 0


def check(arguments: "list[str]") -> int:
    refuse(arguments, "check")
    return gate("check", stages())


def lint(arguments: "list[str]") -> int:
    refuse(arguments, "lint")
    return gate("lint", [stage for stage in stages() if stage[0] != "tests"])


def gate(title: str, chosen: "list[tuple[str, list[str]]]") -> int:
    """Run all stages, whatever fails, and end with a line that says how each came out."""
    ensure("dev")
    started = time.monotonic()
    compiling = None
    if any(name == "tests" for name, _ in chosen):
        ensure_browser()
        use_memory_disk()
        compiling = compile_tests()
    results = []
    for name, command in chosen:
        if compiling is not None and name == "tests":
            compiling.wait()
        results.append((name, run_stage(name, command)))
    marks = ", ".join(f"{name} {'FAILED' if status else 'ok'}" for name, status in results)
    failures = [status for _, status in results if status]
    verdict = "FAILED" if failures else "passed"
    print(f"\n{title} {verdict}: {marks} ({time.monotonic() - started:.0f} s)", flush=True)
    return failures[0] if failures else 0


def ensure_browser() -> None:
    """Find or install a browser for the tests of the page; say so where there is none.

    Where nobody watches (CI), its tests then fail instead of being skipped.
    """
    problem = attempt([str(VENV_PYTHON), "-m", "tools.browser"])
    if os.environ.get("CI") or not sys.stdout.isatty():
        os.environ["TEST_BROWSER"] = "needed"
    if problem:
        what = "fail" if os.environ.get("TEST_BROWSER") else "are skipped"
        say(f"no browser, so the tests of the page {what}: install chromium\n{tail(problem)}")


def use_memory_disk() -> None:
    """Have the tests write to memory where there is plenty: thousands of them make a database.

    Programs are among what they write, so these must be allowed to run there.
    """
    if "TMPDIR" in os.environ or not os.access(MEMORY_DISK, os.W_OK | os.X_OK):
        return
    there = os.statvfs(MEMORY_DISK)
    if there.f_bavail * there.f_frsize >= MEMORY_ROOM and not there.f_flag & os.ST_NOEXEC:
        os.environ["TMPDIR"] = MEMORY_DISK


def compile_tests() -> "subprocess.Popen[bytes]":
    """Pytest compiling the tests beside other stages: each of its processes would do it again."""
    command = [str(VENV_PYTHON), "-m", "pytest", "--collect-only", "--quiet"]
    environment = clean_environment()
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    nowhere = subprocess.DEVNULL
    return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=nowhere, stderr=nowhere)


def stages() -> "list[tuple[str, list[str]]]":
    python = str(VENV_PYTHON)
    sources = [name for name in CHECKED if (ROOT / name).exists()]
    return [
        ("format", [python, "-m", "ruff", "format", "--check", "--quiet", "--diff", *sources]),
        ("lint", [python, "-m", "ruff", "check", "--quiet", *sources]),
        ("types", [python, "-m", "mypy", "--no-error-summary", *sources]),
        ("tests", [python, "-m", "pytest", *in_processes()]),
    ]


def in_processes() -> "list[str]":
    """Pytest's options to use every core, and one more process: many tests wait for others."""
    count = min((os.cpu_count() or 1) + 1, MOST_TEST_PROCESSES)
    return ["-n", str(count), "--dist", "worksteal"]


def run_stage(name: str, command: "list[str]") -> int:
    print(f"== {name}", flush=True)
    return call(command, ROOT)


def test(arguments: "list[str]") -> int:
    if not arguments:
        return check([])
    ensure("dev")
    if arguments[0] == "--mutants":
        return call([str(VENV_PYTHON), "-m", "tools.mutants", *arguments[1:]], ROOT)
    modes = [argument for argument in arguments if argument in TEST_MODES]
    rest = [argument for argument in arguments if argument not in TEST_MODES]
    if "--changed" in modes:
        paths = changed_tests()
        if not paths:
            say("nothing differs from main, so there is nothing to test")
            return 0
        say("testing " + " ".join(paths))
        rest = [*in_processes(), *paths, *rest]
    elif "--quick" in modes:
        rest = [*QUICK_TESTS, *rest]
    if "--quick" in modes:
        rest = [*QUICK_OPTIONS, *rest]
    suites = [name for name in ("slow", "agents") if f"--{name}" in modes]
    if suites:
        rest = ["-m", " or ".join(suites), *rest]
    return call([str(VENV_PYTHON), "-m", "pytest", *rest], ROOT)


def changed_tests() -> "list[str]":
    """The tests of what differs from main; everything where git cannot say what does."""
    paths = changed_paths()
    if paths is None:
        say("git does not say what changed here, so everything is tested")
        return [ALL_TESTS]
    return tests_of(paths, lambda path: (ROOT / path).exists())


def changed_paths() -> "list[str] | None":
    """Every path that differs from where this branch left main, new files too; None without git."""
    for main_branch in ("origin/main", "main", "HEAD"):
        left = git_lines("merge-base", "HEAD", main_branch)
        if left:
            break
    else:
        return None
    differing = git_lines("diff", "--name-only", "--no-renames", left[0])
    untracked = git_lines("ls-files", "--others", "--exclude-standard")
    return None if differing is None or untracked is None else [*differing, *untracked]


def git_lines(*words: str) -> "list[str] | None":
    """What git answers, line by line; None when it failed or is not there."""
    command = ["git", "-c", "core.quotepath=off", *words]
    try:
        answer = subprocess.run(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
    except OSError:
        return None
    return None if answer.returncode else answer.stdout.splitlines()


def tests_of(paths: "list[str]", exists: "Callable[[str], bool]") -> "list[str]":
    """The test files and folders that belong to changed paths. Pure: `exists` answers for files."""
    if not paths:
        return []
    places = {tests_of_path(path, exists) for path in paths} | {HOUSE_TESTS}
    places.discard("")
    if ALL_TESTS in places:
        return [ALL_TESTS]
    return sorted(
        place for place in places if not any(place.startswith(f"{folder}/") for folder in places)
    )


def tests_of_path(path: str, exists: "Callable[[str], bool]") -> str:
    """Where the tests of one path lie: "" for a test that is gone, all tests if it is unknown."""
    top, _, below = path.partition("/")
    if top == "tests" and path.rpartition("/")[2].startswith("test_"):
        return path if exists(path) else ""
    if top == "tests":
        return tests_of_package(below.split("/"), exists)
    if path.startswith("src/recairn/"):
        return tests_of_package(path.split("/")[2:], exists)
    known = [place for start, place in TESTS_ELSEWHERE.items() if path.startswith(start)]
    return known[0] if known else ALL_TESTS


def tests_of_package(parts: "list[str]", exists: "Callable[[str], bool]") -> str:
    """The folder of tests for a file below src/recairn or tests; a surface may have its own."""
    folders = parts[:-1]
    depth = 2 if folders[:1] == ["surfaces"] else 1
    for end in range(min(depth, len(folders)), 0, -1):
        place = "/".join([ALL_TESTS, *folders[:end]])
        if folders[0] != "data" and exists(place):
            return place
    return ALL_TESTS


def coverage(arguments: "list[str]") -> int:
    """Run the tests with every process measured, and print a line for each package."""
    refuse(arguments, "coverage")
    ensure("dev")
    measure = [str(VENV_PYTHON), "-m", "coverage"]
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        os.environ["COVERAGE_FILE"] = str(Path(folder, "data"))
        # What measures time would measure the measuring.
        tests = [*in_processes(), "-m", f"{QUICK_MARKS} and not unmeasured"]
        status = call([*measure, "run", "-m", "pytest", *tests], ROOT)
        failed = call([*measure, "combine", "--quiet"], ROOT) or call(
            [*measure, "json", "--quiet", "-o", str(report)], ROOT
        )
        if failed:
            return failed
        files = json.loads(report.read_text())["files"]
    counts = {path: entry["summary"] for path, entry in files.items()}
    print("\n".join(coverage_lines(counts)))
    return status


def coverage_lines(files: "dict[str, dict[str, int]]") -> "list[str]":
    """A line for each package of src/recairn and the total: name, statements, share run. Pure."""
    statements = {}  # type: dict[str, int]
    covered = {}  # type: dict[str, int]
    for path, counts in files.items():
        parts = path.replace(os.sep, "/").partition("src/recairn/")[2].split("/")
        package = parts[0] if len(parts) > 1 else "(top)"
        for name in (package, "total"):
            statements[name] = statements.get(name, 0) + counts["num_statements"]
            covered[name] = covered.get(name, 0) + counts["covered_lines"]
    names = [*sorted(statements.keys() - {"total"}), "total"]
    return [
        f"{name:<10} {statements[name]:>7} {100 * covered[name] / statements[name]:6.1f} %"
        for name in names
        if statements.get(name)
    ]


def bench(arguments: "list[str]") -> int:
    known = sorted(path.stem for path in (ROOT / "bench").glob("[!_]*.py") if path.stem != "corpus")
    listing = "  ".join(known) or "none yet"
    if not arguments:
        print(f"usage: python3 run.py bench NAME [ARGS]\nnames: {listing}")
        return 0
    name, *rest = arguments
    if name not in known:
        say(f"there is no benchmark named {name!r}\n  hint: the names are: {listing}")
        return 2
    ensure("dev")
    return call([str(VENV_PYTHON), str(ROOT / "bench" / f"{name}.py"), *rest], ROOT)


def docs(arguments: "list[str]") -> int:
    refuse(arguments, "docs")
    ensure("dev")
    return call([str(VENV_PYTHON), "-m", "tools.site"], ROOT)


def fix(arguments: "list[str]") -> int:
    refuse(arguments, "fix")
    ensure("dev")
    ruff = [str(VENV_PYTHON), "-m", "ruff"]
    sources = [name for name in CHECKED if (ROOT / name).exists()]
    written = call([str(VENV_PYTHON), "-m", "tools.generate"], ROOT)
    linted = call([*ruff, "check", "--fix", *sources], ROOT)
    return call([*ruff, "format", *sources], ROOT) or linted or written


def refuse(arguments: "list[str]", command: str) -> None:
    if arguments:
        raise SetupError(f"{command} takes no arguments, and was given: {' '.join(arguments)}")


COMMANDS = {
    "demo": demo,
    "check": check,
    "lint": lint,
    "test": test,
    "coverage": coverage,
    "bench": bench,
    "docs": docs,
    "fix": fix,
    "setup": setup,
}


def main(arguments: "list[str]") -> int:
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        print(__doc__.strip())
        return 0 if arguments else 2
    name, *rest = arguments
    if name not in COMMANDS:
        say(f"there is no command named {name!r}\n  hint: the commands are: {' '.join(COMMANDS)}")
        return 2
    try:
        return COMMANDS[name](rest)
    except SetupError as error:
        say(str(error))
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
