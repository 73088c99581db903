#!/usr/bin/python3
"""spdx.py: every file of the repository says its licence: by a line with SPDX-License-Identifier, or by a
pattern of REUSE.toml.

  tools/spdx.py           adds the line at the end of files whose comments it knows
  tools/spdx.py --check   exit status 1 and the names of files without it
"""
# SPDX-License-Identifier: BSD-2-Clause
import fnmatch
import os
import re
import subprocess
import sys

LINE = "SPDX-License-Identifier: BSD-2-Clause"
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
COMMENTS = {
    ".md": "<!-- {} -->",
    ".html": "<!-- {} -->",
    ".c": "/* {} */",
    ".h": "/* {} */",
    ".css": "/* {} */",
    ".bib": "% {}",
}
HASH = {
    ".py",
    ".sh",
    ".yaml",
    ".yml",
    ".toml",
    ".mk",
    ".cff",
    ".pl",
    ".slurm",
    ".pbs",
    ".sge",
    ".supp",
    ".txt",
    "",
}


def comment(name):
    ending = os.path.splitext(name)[1]
    return COMMENTS.get(ending, "# {}" if ending in HASH else None)


def files():
    listed = subprocess.run(
        ["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard"],
        capture_output=True,
        text=True,
        check=True,
    )
    return [name for name in listed.stdout.splitlines() if os.path.isfile(os.path.join(ROOT, name))]


def patterns():
    with open(os.path.join(ROOT, "REUSE.toml"), encoding="utf-8") as f:
        return re.findall(r'^ *"([^"]+)",', f.read(), re.M)


def main():
    annotated = patterns()
    without = []
    for name in files():
        path = os.path.join(ROOT, name)
        with open(path, "rb") as f:
            text = f.read()
        if b"SPDX-License-Identifier" in text or any(fnmatch.fnmatch(name, pattern) for pattern in annotated):
            continue
        form = comment(name)
        if "--check" in sys.argv[1:] or form is None:
            without.append(name)
            continue
        with open(path, "ab") as f:
            f.write((b"" if text.endswith(b"\n") or not text else b"\n") + form.format(LINE).encode() + b"\n")
    print("\n".join(without))
    return 1 if without else 0


if __name__ == "__main__":
    sys.exit(main())
