"""The repositories that the reranker's pairs are read from: name, commit, licence.

A folder of clones holds each as owner+name. Of some the largest files may be absent (a snapshot
that leaves them out): they are passed by.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

SOURCES = """
18F+handbook 1e495563 CC0
30-seconds+30-seconds-of-code c16c7cb1 CC0
abachaa+MedQuAD 577bd37b CC BY 4.0
acl-org+acl-anthology 70ba9735 CC BY 4.0 (what the ACL published since 2016)
adambard+learnxinyminutes-docs 38f6ecf8 CC BY-SA 3.0
alexa+alexa-with-dstc9-track1-dataset 7ebb4c76 Apache-2.0
alexa+dstc11-track5 1419e96d CDLA-Sharing-1.0
alexa+Topical-Chat 7c939229 CDLA-Sharing-1.0
alphagov+govuk-developer-docs 972d1b44 MIT
angular+angular 51cb07e9 MIT, documentation CC BY 4.0
ansible+ansible c9ac477e GPL-3.0
apache+commons-lang d15939ef Apache-2.0
apache+kafka 1eb76443 Apache-2.0
BurntSushi+ripgrep 3fce3b5b MIT or Unlicense
cheat+cheatsheets 36bdb99d CC0
chubin+cheat.sheets 0bcedfb1 MIT
cloudflare+cloudflare-docs cf425ac4 CC BY 4.0
cosmos+cosmos-sdk 54b6af8b Apache-2.0
curl+curl 5c61e168 curl
deepmind+xquad 60cac411 CC BY-SA 4.0
deepset-ai+COVID-QA fb2eb5e2 Apache-2.0
django+django 03988c5a BSD-3
donnemartin+system-design-primer ae9bbd7b CC BY 4.0
dylanaraps+pure-bash-bible 8c19d0b4 MIT
elixir-lang+elixir 63a7a054 Apache-2.0
eslint+eslint c27bc926 MIT
etcd-io+etcd c34dc7ee Apache-2.0
ethereum+EIPs f767a1e8 CC0
ethereum+pm cea5a169 CC BY-SA 3.0
git+git 1a3e64c6 GPL-2.0
github+docs 60321755 CC BY 4.0
golang+go a1b734e4 BSD-3
google+error-prone 984f6adb Apache-2.0
google+guava e9832f5e Apache-2.0
google-research-datasets+Disfl-QA 1f0c1617 CC BY 4.0
google-research-datasets+dstc8-schema-guided-dialogue e852981a CC BY-SA 4.0
istio+istio.io 8e87ee7f Apache-2.0
jbranchaud+til 453e9edb MIT
jkkummerfeld+irc-disentanglement 82ed04f9 CC BY 4.0
k88hudson+git-flight-rules 80d27e63 CC BY-SA 4.0
kubernetes+enhancements 64765b4b Apache-2.0
kubernetes+website 56464fe6 CC BY 4.0
laravel+framework bd71b45f MIT
mdn+content b2c48c8b CC BY-SA 2.5
mhinz+vim-galore 604f1a6f CC BY-SA 4.0
microsoft+vscode-docs 742b9358 CC BY 3.0
MicrosoftDocs+PowerShell-Docs 27138b21 CC BY 4.0
neovim+neovim b296666e Apache-2.0
nginx+nginx 3f6f7824 BSD-2
nodejs+node cc57cb75 MIT
onceupon+Bash-Oneliner ed19fae7 MIT
openshift+runbooks 82bd2d9d Apache-2.0
pandas-dev+pandas 66d98e5d BSD-3
PatrickJS+awesome-cursorrules b044f956 CC0
postgres+postgres e2c812f1 PostgreSQL
prometheus+docs c105550a Apache-2.0
prometheus+prometheus d15adb9a Apache-2.0
prometheus-operator+runbooks a685d14c Apache-2.0
pubmedqa+pubmedqa 1cbae8e9 MIT
python+peps ba4deeb7 public domain or CC0
rails+rails 2a2db1e8 MIT, guides CC BY-SA 4.0
reactjs+react.dev 12d692da CC BY 4.0
redis+redis 4f8cdc2a BSD-3, later RSALv2 (commits alone)
rust-lang+book 91754488 Apache-2.0 or MIT
rust-lang+lang-team cf7fec8b Apache-2.0 or MIT
rust-lang+rfcs 354518a8 Apache-2.0 or MIT
simonw+til 8d908b6d Apache-2.0
spring-projects+spring-framework 91eb4264 Apache-2.0
sriniiyer+codenn 0f7fbb8b MIT; Stack Overflow's text CC BY-SA 3.0
sudheerj+reactjs-interview-questions 4c355593 MIT
swiftlang+swift-evolution 0105e139 Apache-2.0
systemd+systemd ed22b5a7 LGPL-2.1
tldr-pages+tldr 08e345f4 CC BY 4.0
tokio-rs+tokio ea91b33c MIT
trimstray+test-your-sysadmin-skills d566322e MIT
vuejs+core e2bede96 MIT
vuejs+docs 01e098a9 CC BY 4.0
wasiahmad+PolicyQA 775538bc MIT
xinyadu+nqg 8211129a CC BY-SA 4.0
Yale-LILY+QMSum 83d7768c MIT
yangshun+front-end-interview-handbook e9a6824b MIT
"""


def differing(repositories: Path) -> list[str]:
    """What is not there, and what stands at another commit than the table says."""
    found = []
    for line in SOURCES.strip().split("\n"):
        name, commit, _ = line.split(" ", 2)
        if not (repositories / name).exists():
            found.append(f"{name} is not there")
            continue
        command = ["git", "-C", str(repositories / name), "rev-parse", "HEAD"]
        told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        if not told.startswith(commit):
            found.append(f"{name} is at {told[:8]}, not {commit}")
    return found
