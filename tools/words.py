#!/usr/bin/python3
"""words.py: finds the words of words.txt in the comments, messages and pages of new and changed lines.

  tools/words.py [FOLDER]   the repository there (default: this one): lines that BASE of the environment does not have, committed
                            or not; by default where the branch left origin/main, else the last tag. Exit status 1 and a line
                            FILE:LINE: WORD; better: WORDS for each.
"""
# SPDX-License-Identifier: BSD-2-Clause
import os
import re
import subprocess
import sys

LIST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "words.txt")
ENDINGS = (".c", ".h", ".py", ".sh", ".md", ".mk")
# Comments, and texts with a space, that messages may be; other code is matched so that they are found where they begin.
TEXT = r'"(?:\\.|[^"\\\n])* (?:\\.|[^"\\\n])*"'
C = re.compile(rf"(/\*.*?\*/|//[^\n]*|{TEXT})" + r"""|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.S)
PYTHON = re.compile(rf'("""(?:\\.|[^\\])*?"""|\#[^\n]*|{TEXT})' + r"""|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.S)
HASH = re.compile(r"(?:(?<=\s)|^)(#[^\n]*)", re.M)
FENCE = re.compile(r"^(```|~~~).*?^\1[^\n]*$", re.S | re.M)
# A space, or the end of a line of a comment.
BREAK = r"\s+(?:[*#]\s+)?"
# Names of code and of files, in prose.
QUOTED = re.compile(r"`[^`\n]*`|\]\([^)\n]*\)|\b[\w./-]+\.(?:c|h|py|sh|md|mk|png|yaml|h5)\b|<!--.*?-->")


def rows(path):
    """[(pattern, better)] of the list."""
    with open(path, encoding="utf-8") as f:
        cells = [re.split(r"\s+\|\s+", line.strip()) for line in f if line.strip() and not line.startswith("#")]
    whole = [(pattern.replace(" ", BREAK), better) for pattern, _, better in cells]
    return [(re.compile(rf"(?<![\w.-])(?:{pattern})(?![\w-])", re.I | re.M), better) for pattern, better in whole]


def blank(text):
    return re.sub(r"[^\n]", " ", text)


def prose(name, text):
    """The text with all but its prose blanked: as many lines."""
    ending = os.path.splitext(name)[1]
    if ending == ".md":
        text = FENCE.sub(lambda m: blank(m[0]), text)
    else:
        found, last = [], 0
        for m in {".c": C, ".h": C, ".py": PYTHON}.get(ending, HASH).finditer(text):
            quotes = name.startswith("tests/") and m[0][0] == '"' and m[0][:3] != '"""'  # what the program prints
            found += [blank(text[last : m.start()]), m[1] if m[1] and not quotes else blank(m[0])]
            last = m.end()
        text = "".join(found) + blank(text[last:])
    return QUOTED.sub(lambda m: blank(m[0]), text)


def git(folder, *words):
    process = subprocess.run(["git", "-C", folder, *words], capture_output=True, text=True, check=False)
    return process.stdout if process.returncode == 0 else ""


def base(folder):
    """The commit whose lines are old."""
    tag = git(folder, "describe", "--tags", "--abbrev=0").strip()
    for other in filter(None, (os.environ.get("BASE"), "origin/main", tag)):
        common = git(folder, "merge-base", "HEAD", other).strip()
        if common:
            return common
    return "HEAD"


def new_lines(folder):
    """{file: numbers of its lines that are new}; None: all."""
    found, name = {}, None
    for line in git(folder, "diff", "-U0", "--no-color", "--no-ext-diff", "--src-prefix=a/", "--dst-prefix=b/", base(folder)).splitlines():
        if line.startswith("+++ "):
            name = line[6:].rstrip("\t") if line.startswith("+++ b/") else None
        elif name and line.startswith("@@ "):
            first, count = re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line).groups()
            found.setdefault(name, set()).update(range(int(first), int(first) + int(count or 1)))
    return found | dict.fromkeys(git(folder, "ls-files", "-o", "--exclude-standard").splitlines())


def main(folder):
    wrong, words = [], rows(LIST)
    for name, new in sorted(new_lines(folder).items()):
        path = os.path.join(folder, name)
        if not name.endswith(ENDINGS) or not os.path.isfile(path):
            continue
        with open(path, encoding="utf-8", errors="replace") as f:
            text = prose(name, f.read())
        for pattern, better in words:
            for m in pattern.finditer(text):
                line, last = (text.count("\n", 0, x) + 1 for x in m.span())
                if new is None or new.intersection(range(line, last + 1)):
                    wrong.append((name, line, f"{re.sub(BREAK, ' ', m[0])}; better: {better}"))
    for name, line, said in sorted(wrong):
        print(f"{name}:{line}: {said}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(LIST), "..")))
