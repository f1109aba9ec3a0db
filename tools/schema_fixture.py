"""Makes the database by which later releases prove that they carry this schema over.

    .venv/bin/python -m tools.schema_fixture

Run it once before a release, with the code of the release: tests/data/schema-N.db.gz then holds a
bit of everything that a user of it may have, and schema-N.jsonl beside it what its own export said.
Neither is ever changed after the release; tests/store/test_released_schemas.py opens all of them.
"""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

DATA = Path(__file__).resolve().parent.parent / "tests" / "data"

# What is typed, in this order, in a project named harbour; memories get numbers from 1.
LINES = (
    'add "Ship migrations in one transaction" -k rule',
    'add "Retry the broker with full jitter" -k decision --rationale "fixed backoff stampeded"'
    ' --alternatives "fixed backoff" -c broker --importance 0.9',
    'add "The beacon turns twice a minute" -k fact -c lamps --keyword rotation',
    'add "Store charts as tiles" -k pattern --title "Chart tiles" --scope "src/chart.py"',
    'add "The lamp burns whale oil" -k learning -c lamps',
    'supersede 5 "The lamp burns electricity"',
    'add "Gulls peck at dawn" -k observation --tier global',
    'forget 7 --reason "no longer true"',
    'add "Deploys go through the release branch" -k learning --branch harbour/new-pier',
    'add "The pier closes at nine" --expires 3000-01-01 --confidence 0.4',
    "edit 3 --category beacons",
    "pin 2",
    "link 2 4 depends_on --weight 0.5",
    "link 3 6 contradicts",
    'add "Élan vital: naïve café, 灯台 and 🦉" -k note',
    'session start keeper-1 --agent codex --summary "mend the lamp"',
    'add "Brass needs polish every week" -k preference --session keeper-1',
    'task add "Draw the north chart" --id tx-1 --description "Concerns src/chart.py" --score 2',
    'task add "Print the charts" --id tx-2 --dep tx-1',
    "task start tx-1",
    "config set retrieval.fts_weight 0.4",
    "config set house.motto steady",
    'search "how does the lamp burn"',
    'search "broker retry jitter" --explain',
    "helpful 2",
    "unhelpful 3",
    'miss "where are the spare bulbs"',
    'context --prompt "retry the broker" --inject',
    'handoff "The legend is not drawn" --next "draw the legend" --blocker "no map licence"',
    "task done tx-1 --outcome success",
    "session end",
    "doc add notes.md",
    "project rename lighthouse",
    'add "After the rename" -k learning',
    "edit 6 --category power",
    "undo 6",
)
NOTES = "# Tides\n\nHigh water comes fifty minutes later each day.\n\n# Lamps\n\nTrim the wick.\n"


def fill(folder: Path) -> None:
    """Types all lines; one that is refused ends it."""
    environment = {
        **{name: value for name, value in os.environ.items() if "RECAIRN" not in name},
        "HOME": str(folder),
        "RECAIRN_DB": str(folder / "memory.db"),
        # Vectors are made anew by every release's own model and would only make the file larger.
        "RECAIRN_MODEL": "none",
    }
    work = folder / "harbour"
    work.mkdir()
    (work / "notes.md").write_text(NOTES)
    program = Path(sys.executable).with_name("recairn")
    for line in (*LINES, "export ../export.jsonl"):
        command = f"'{program}' {line}"
        done = subprocess.run(
            command, shell=True, cwd=work, env=environment, capture_output=True, text=True
        )
        if done.returncode:
            sys.exit(f"recairn {line}\n{done.stdout}{done.stderr}")


def main() -> None:
    import apsw

    from recairn.store.sqlite.schema import LATEST

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fill(folder)
        database = apsw.Connection(str(folder / "memory.db"))
        database.execute("pragma journal_mode = delete")
        database.execute("vacuum")
        database.close()
        packed = gzip.compress((folder / "memory.db").read_bytes(), mtime=0)
        (DATA / f"schema-{LATEST}.db.gz").write_bytes(packed)
        shutil.copyfile(folder / "export.jsonl", DATA / f"schema-{LATEST}.jsonl")
    for path in sorted(DATA.glob(f"schema-{LATEST}.*")):
        print(f"wrote {path} ({path.stat().st_size:,} bytes)")


if __name__ == "__main__":
    main()
