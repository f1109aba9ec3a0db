"""Peers in environments of their own below .cache/peers, which are made once and kept."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from .systems import Recairn, System

ROOT = Path(__file__).resolve().parent.parent.parent
CACHE = ROOT / ".cache" / "peers"
MODELS = CACHE / "models"

_LISTING = (
    "import importlib.metadata as m, json;"
    "print(json.dumps({d.name: d.version for d in m.distributions()}))"
)


class NotInstalled(Exception):
    """The package index does not have it for this machine, or a Python is missing; says why."""


def install(system: type[System]) -> Path:
    """The environment of a system."""
    folder = CACHE / system.environment_name()
    mark = folder / "installed.txt"
    if mark.exists() and mark.read_text() == system.package and not issubclass(system, Recairn):
        return folder
    print(f"installing {system.package} ...", file=sys.stderr, flush=True)
    if system.package.startswith("@"):
        _run("npm", "install", "--silent", "--prefix", str(folder), system.package)
    else:
        _make_environment(system, folder)
        wanted = [system.package]
        if issubclass(system, Recairn):
            # The checkout as it is now: an installed copy of it would be an older one.
            extra = system.package.partition("[")[2]
            wanted = [f"{ROOT}[{extra}" if extra else str(ROOT), "--force-reinstall"]
        _run(
            sys.executable,
            "-m",
            "pip",
            "--python",
            f"{folder}/bin/python",
            "install",
            "-q",
            *wanted,
        )
    mark.write_text(system.package)
    return folder


def _make_environment(system: type[System], folder: Path) -> None:
    if (folder / "bin" / "python").exists():
        return
    _run(_python(system), "-m", "venv", "--without-pip", str(folder))


def _python(system: type[System]) -> str:
    """This Python where it will do, else the first other one of the machine that does."""
    own = getattr(sys, "_base_executable", sys.executable)
    names = [own, "/usr/bin/python3", *(f"python3.{minor}" for minor in range(11, 20))]
    for name in filter(None, map(shutil.which, names)):
        if not subprocess.run([name, "-c", system.needs], capture_output=True).returncode:
            return name
    raise NotInstalled(f"no Python of this machine can do: {system.needs}")


def _run(*command: str) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError as error:
        raise NotInstalled(str(error)) from None
    if done.returncode:
        raise NotInstalled((done.stderr or done.stdout).strip().splitlines()[-1])


def pull_minilm(recairn: Path) -> None:
    """The one model that all of them get their vectors from."""
    if (MODELS / "minilm" / "model.safetensors").exists():
        return
    environment = {
        **os.environ,
        "RECAIRN_MODELS": str(MODELS),
        "RECAIRN_DB": str(CACHE / "none.db"),
    }
    subprocess.run(
        [recairn / "bin" / "recairn", "model", "pull", "minilm"], env=environment, check=True
    )


def version_of(system: type[System], environment: Path) -> str:
    if system.package.startswith("@"):
        name = system.package.rpartition("@")[0]
        return json.loads((environment / "node_modules" / name / "package.json").read_text())[
            "version"
        ]
    return _distributions(environment)[system.distribution]


def size_of(system: type[System], environment: Path) -> tuple[float, int]:
    """MB on disk and packages, of all that was installed for it; the interpreter is not counted."""
    if system.package.startswith("@"):
        lock = json.loads((environment / "package-lock.json").read_text())
        return _megabytes(environment / "node_modules"), len(lock["packages"]) - 1
    return _megabytes(environment / "lib"), len(_distributions(environment))


def _distributions(environment: Path) -> dict[str, str]:
    command = [str(environment / "bin" / "python"), "-c", _LISTING]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return json.loads(listed)


def _megabytes(folder: Path) -> float:
    """Without byte code: who compiles when is a matter of the installer."""
    files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return sum(path.stat().st_size for path in files if path.suffix != ".pyc") / 1e6
