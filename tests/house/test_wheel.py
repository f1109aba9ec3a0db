"""The built wheel works in an environment that holds its declared dependencies and nothing else."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.repository import ROOT

pytestmark = pytest.mark.thorough

CACHES = {"__pycache__", ".venv", ".git", ".mypy_cache", ".pytest_cache", ".ruff_cache"}


HOME = "https://git.example/people/recairn"


def checked(*command: str | Path, **more: str) -> str:
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    env |= more
    done = subprocess.run([*map(str, command)], cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def releases(tmp_path_factory):
    """A folder with the wheel and the source archive of this checkout."""
    folder = tmp_path_factory.mktemp("dist")
    build = (sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-t", "wheel", "-d", folder)
    checked(*build, RECAIRN_REPOSITORY="git@git.example:people/recairn.git")
    return folder


@pytest.fixture(scope="module")
def wheel(releases):
    (path,) = releases.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def bin_folder(wheel, tmp_path_factory):
    """The commands of an environment into which only the wheel was installed."""
    home = tmp_path_factory.mktemp("empty")
    venv.create(home, with_pip=False)
    (site_packages,) = home.glob("lib/python3*/site-packages")
    for name in run_time_dependencies(wheel):
        copy_distribution(name, site_packages)
    # Dependencies are checked, not fetched: without an index, what is not there fails.
    pip = (sys.executable, "-m", "pip", "--python", home / "bin" / "python")
    checked(*pip, "install", "--quiet", "--no-index", "--no-cache-dir", wheel)
    return home / "bin"


def run_time_dependencies(wheel: Path) -> list[str]:
    (found,) = metadata.distributions(name="recairn", path=[str(wheel)])
    declared = [Requirement(line) for line in found.requires or []]
    return [each.name for each in declared if "extra" not in str(each.marker)]


def copy_distribution(name: str, site_packages: Path) -> None:
    """Copy an installed package, files and metadata, as an installer would have put it there."""
    for file in metadata.files(name) or []:
        if file.parts[0] != ".." and file.suffix != ".pyc":
            target = site_packages / file
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file.locate(), target)


def test_the_run_time_dependencies_are_these_two(wheel):
    assert run_time_dependencies(wheel) == ["apsw", "simsimd"]


def test_the_wheel_holds_every_file_of_the_package_and_nothing_else(wheel):
    package = ROOT / "src" / "recairn"
    expected = {
        path.relative_to(ROOT / "src").as_posix()
        for path in package.rglob("*")
        if path.is_file() and not CACHES.intersection(path.parts[len(ROOT.parts) :])
    }
    names = set(zipfile.ZipFile(wheel).namelist())
    beside = {name for name in names if ".dist-info/" in name or ".data/" in name}
    assert names - beside == expected
    assert any(name.endswith(".data/data/share/man/man1/recairn.1") for name in beside)
    assert "recairn/py.typed" in names
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)


def test_the_release_says_where_it_comes_from_and_its_long_description_leads_there(wheel):
    (found,) = metadata.distributions(name="recairn", path=[str(wheel)])
    about = found.metadata
    links = dict(line.split(", ") for line in about.get_all("Project-URL") or [])
    assert links["Source"] == HOME
    assert {"Documentation", "Changelog", "Issues", "Security"} < links.keys()
    assert about["Description-Content-Type"] == "text/markdown"
    targets = re.findall(r"\]\(([^)\s]+)\)", str(about.json["description"]))
    assert f"{HOME}/raw/v{found.version}/docs/page/search-light-1280.png" in targets
    assert [target for target in targets if not target.startswith("https://")] == []


def test_the_source_archive_holds_no_environment_and_no_cache(releases):
    (path,) = releases.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = [Path(name) for name in archive.getnames()]
    assert any(name.parts[1:] == ("src", "recairn", "__init__.py") for name in names)
    assert [name for name in names if CACHES.intersection(name.parts)] == []


def test_the_wheel_is_used_upgraded_and_removed_and_memories_and_settings_outlive_it(
    bin_folder, wheel, tmp_path
):
    listing = "from importlib.metadata import distributions as d; print(*{x.name for x in d()})"
    installed = set(checked(bin_folder / "python", "-c", listing).split())
    assert installed == {"recairn", "apsw", "simsimd"}

    recairn, claude = bin_folder / "recairn", tmp_path / "claude"
    claude.mkdir()
    (claude / "settings.json").write_text('{"model": "opus"}\n')
    settings = {"CLAUDE_CONFIG_DIR": str(claude), "RECAIRN_DB": str(tmp_path / "memory.db")}
    assert "search" in checked(recairn, "--help")
    checked(recairn, "add", "Full jitter keeps the broker alive when all retry", **settings)
    checked(recairn, "install", "claude", "--no-allow", **settings)
    assert "Full jitter" in checked(recairn, "search", "jitter", **settings)

    pip = (sys.executable, "-m", "pip", "--python", bin_folder / "python")
    checked(*pip, "install", "--quiet", "--no-index", "--upgrade", next_release(wheel, tmp_path))
    assert checked(recairn, "--version") == "recairn 99.0.0\n"
    assert "Full jitter" in checked(recairn, "search", "jitter", **settings)
    assert "claude    user     installed" in checked(recairn, "install", "--status", **settings)

    checked(recairn, "uninstall", "claude", **settings)
    assert (claude / "settings.json").read_text() == '{"model": "opus"}\n'
    checked(*pip, "uninstall", "--quiet", "--yes", "recairn")
    left = [path for path in bin_folder.parent.rglob("*") if "recairn" in path.name]
    assert left == []
    assert (tmp_path / "memory.db").exists()


def next_release(wheel: Path, folder: Path) -> Path:
    """The same wheel under a later version, as an index would offer it."""
    (version,) = re.findall(r"recairn-([\d.]+)-", wheel.name)
    newer = folder / wheel.name.replace(version, "99.0.0")
    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(newer, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name.endswith(("METADATA", "RECORD", "recairn/__init__.py")):
                content = content.replace(version.encode(), b"99.0.0")
            new.writestr(name.replace(version, "99.0.0"), content)
    return newer
