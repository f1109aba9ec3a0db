"""What a release says of its home: project links, and a README whose links work outside of it.

The address is that of the checkout's remote `origin`, or RECAIRN_REPOSITORY; without one, as in a
source archive that brings its metadata along, nothing is claimed.
"""

import os
import re
import subprocess

from hatchling.metadata.plugin.interface import MetadataHookInterface

# Where a forge shows a file of the newest release, and where it gives the file itself.
PAGE, RAW = "blob", "raw"
PLACE = re.compile(r"(?:https?://|ssh://git@|git@)([\w.-]+\.[a-z]+)[:/]([\w./-]+?)(?:\.git)?/?")
PICTURE = re.compile(r"(!\[[^\]]*\]\()(?![a-z]+:|#)([^)\s]+)(\))")
LINK = re.compile(r"(?<!!)(\[[^\]]*\]\()(?![a-z]+:|#)([^)\s]+)(\))")


def address(folder: str) -> str:
    """The web address of the repository; "" where nothing says."""
    named = os.environ.get("RECAIRN_REPOSITORY", "")
    if not named:
        command = ["git", "-C", folder, "config", "--get", "remote.origin.url"]
        try:
            named = subprocess.run(command, capture_output=True, text=True).stdout.strip()
        except OSError:
            return ""
    place = PLACE.fullmatch(named)
    return f"https://{place[1]}/{place[2]}" if place else ""


def linked(text: str, home: str, release: str) -> str:
    """The text with links and pictures that lead to the repository, as it is in that release."""
    text = PICTURE.sub(rf"\g<1>{home}/{RAW}/{release}/\g<2>\g<3>", text)
    return LINK.sub(rf"\g<1>{home}/{PAGE}/{release}/\g<2>\g<3>", text)


class ProjectLinks(MetadataHookInterface):
    def update(self, metadata: dict) -> None:
        home = address(self.root)
        with open(os.path.join(self.root, "README.md"), encoding="utf-8") as file:
            text = file.read()
        if home:
            release = f"v{metadata['version']}"
            text = linked(text, home, release)
            metadata["urls"] = {
                "Source": home,
                "Documentation": f"{home}/{PAGE}/{release}/docs/cli.md",
                "Benchmarks": f"{home}/{PAGE}/{release}/docs/benchmarks.md",
                "Changelog": f"{home}/{PAGE}/{release}/CHANGELOG.md",
                "Issues": f"{home}/issues",
                "Security": f"{home}/{PAGE}/{release}/SECURITY.md",
            }
        else:
            metadata["urls"] = {}
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
