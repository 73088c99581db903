#!/usr/bin/python3
"""house.py: figures of the source tree: how large it is, what its files share, and what an edit recompiles.

    tools/house.py [-o FILE.json] [BEFORE [AFTER]]

BEFORE and AFTER are checkouts, or files that -o wrote; of two, the figures stand side by side. Without any: this checkout.
-o stores the figures of the last one. What needs objects is left out (-) of a checkout that has not been built.
BUILD of the environment is the folder of the build (build), of `make` without options. The checkout is not changed.

files, lines           .c and .h below src and include. Generated files count nowhere.
comments               characters in comments, among all characters, of src
exported               symbols that objects define for others, functions (nm: T, W) and data (B, C, D, R). Lane code
                       counts once for all instruction sets and numbers of lanes.
  with one user file   one other file refers to them, a user being a .c or generated file
  with no user file    no other file does: what the public headers declare, and what only tests call or could be static
kick.c and its headers files that a compilation of src/method/core/kick.c without a system reads, of this repository, with
                       their lines and comments
members of a collector of struct cst_collector; a struct within it counts once
calls and includes upwards  lines that tools/rooms.sh prints
recompiled after an edit of  objects that `make` compiles if one line there changes
CPU seconds            of the last `make` that linked the program, with all that it started
"""
# SPDX-License-Identifier: BSD-2-Clause
import glob
import json
import os
import re
import subprocess
import sys

BUILD = os.environ.get("BUILD", "build")
KICK = "src/method/core/kick.c"
# What is edited: name, and where it is; the first that is there.
EDITS = {
    "collectors list": ["src/study/rows/collectors.h", "src/**/collectors.h"],
    "observers list": ["src/observe/observers.h", "src/**/observers.h"],
    "methods list": ["src/method/list.h", "src/method/methods.h"],
    "error.h": ["src/core/error.h", "src/**/error.h"],
    "lane group.h": ["src/system/lane/group.h", "src/**/lane*/group.h", "src/**/lane-group.h"],
    "a collector": ["src/study/collect/extremes.c", "src/**/extremes.c"],
    "kick.c": [KICK, "src/**/kick.c"],
}
SET = re.compile(r"_(?:v[234]|portable|scalar)(?:x\d+)?$")
COMMENT = re.compile(r"(/\*.*?\*/|//[^\n]*)|" + r""""(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.S)


def read(path):
    with open(path, encoding="utf-8", errors="replace") as f:
        return f.read()


def size(paths):
    """(lines, characters, characters in comments)"""
    texts = [read(path) for path in paths]
    comments = sum(len(m[1] or "") for text in texts for m in COMMENT.finditer(text))
    return sum(text.count("\n") for text in texts), sum(map(len, texts)), comments


def said(words, root):
    process = subprocess.run(words, cwd=root, capture_output=True, text=True)
    return process.stdout


def sources(root):
    found = []
    for top in ("src", "include"):
        found += glob.glob(os.path.join(root, top, "**", "*.[ch]"), recursive=True)
    return sorted(found)


def found_at(root, places):
    for place in places:
        there = sorted(glob.glob(os.path.join(root, place), recursive=True))
        if there:
            return os.path.relpath(there[0], root)
    return None


def source_of(root, objects, path):
    """The source of an object without its ending, or None: that of an earlier build."""
    name = os.path.relpath(path, objects)[: -len(".o")]
    if name.startswith("gen" + os.sep):
        return name
    folder, file = os.path.split(name)
    for at in (name, os.path.join(folder, file.split(".")[0]), folder):  # FILE, FILE.SET, and kernels/SYSTEM.SET
        if os.path.exists(os.path.join(root, "src", at + ".c")):
            return at
    return None


def symbols(root):
    """{name: (type, files that define it)} and {name: files that refer to it}"""
    objects = os.path.join(root, BUILD, "obj")
    paths = sorted(glob.glob(os.path.join(objects, "**", "*.o"), recursive=True))
    defined, users = {}, {}
    for line in said(["nm", "-A", "-g", *paths], root).splitlines() if paths else []:
        path, rest = line.rsplit(":", 1)
        kind, name = rest.split()[-2:]
        file, name = source_of(root, objects, path), SET.sub("", name)
        if file is None:
            continue
        if kind in "Uwv":
            users.setdefault(name, set()).add(file)
        elif not file.startswith("gen" + os.sep):
            defined.setdefault(name, (kind, set()))[1].add(file)
    return defined, users


def exported(root):
    defined, users = symbols(root)
    if not defined:
        return {}
    public = " ".join(read(path) for path in glob.glob(os.path.join(root, "include", "**", "*.h"), recursive=True))
    declared = set(re.findall(r"\w+", public))
    others = {name: users.get(name, set()) - files for name, (_, files) in defined.items()}
    table = {}
    for what, kinds in (("functions", "TWV"), ("data", "BCDRGS")):
        names = [name for name, (kind, _) in defined.items() if kind in kinds and name != "main"]
        table[f"exported {what}"] = len(names)
        table["  with one user file" + f" ({what})"] = sum(len(others[name]) == 1 for name in names)
        table["  with no user file" + f" ({what})"] = sum(not others[name] for name in names)
        table["    and in no public header" + f" ({what})"] = sum(not others[name] and name not in declared for name in names)
    return table


def kick(root):
    there = found_at(root, EDITS["kick.c"])
    if not there:
        return {}
    includes = ["-Iinclude", "-Isrc", f"-I{BUILD}/gen"]
    words = said(["gcc", "-MM", "-DCST_W=4", "-DCST_CHOSEN(X)=", *includes, there], root).replace("\\\n", " ").split()
    own = sorted({os.path.normpath(x) for x in words if x.startswith(("src/", "include/"))})
    lines, characters, comments = size([os.path.join(root, x) for x in own])
    if not own:
        return {}
    return {"kick.c and its headers: files": len(own), "  lines": lines, "  comments, %": share(comments, characters)}


def share(part, whole):
    return round(100 * part / whole, 1) if whole else None


def members(root):
    """Declarators of the struct, at its own level."""
    for path in sources(root):
        text = COMMENT.sub(lambda m: " " if m[1] else m[0], read(path))
        start = re.search(r"\bstruct cst_collector\s*\{", text)
        if not start:
            continue
        depth, count = 1, 0
        for c in text[start.end() :]:
            depth += (c in "{(") - (c in "})")
            if depth == 0:
                return count
            count += depth == 1 and c in ";,"
    return None


def recompiled(root):
    """Generated files that stay the same keep their times, which `make -n` does not know: -o."""
    goals = [f"{BUILD}/constella", f"{BUILD}/libconstella.a"]
    make = ["make", "-n", f"BUILD={BUILD}", "-o", f"{BUILD}/generated", "-o", f"{BUILD}/version"]

    def compiled(*edit):
        return set(re.findall(r" -c .* -o (\S+\.o)\b", said([*make, *edit, *goals], root)))

    before = compiled()
    table = {}
    for name, places in EDITS.items():
        there = found_at(root, places)
        table[f"  {name}"] = len(compiled("-W", there) - before) if there else None
    return {"recompiled after an edit of": len(before) and f"({len(before)} objects are older than their sources)" or "", **table}


def figures(root):
    if os.path.isfile(root):
        return json.loads(read(root))
    root = os.path.realpath(root)
    paths = sources(root)
    built = os.path.exists(os.path.join(root, BUILD, "constella"))
    seconds = os.path.join(root, BUILD, "seconds")
    lines, _, _ = size(paths)
    _, characters, comments = size([x for x in paths if os.path.relpath(x, root).startswith("src" + os.sep)])
    rooms = [os.path.join(root, "tools", "rooms.sh"), root, *([os.path.join(root, BUILD)] if built else [])]
    return {
        "files .c": sum(x.endswith(".c") for x in paths),
        "files .h": sum(x.endswith(".h") for x in paths),
        "lines": lines,
        "comments of src, %": share(comments, characters),
        **exported(root),
        **kick(root),
        "members of a collector": members(root),
        "calls and includes upwards": len(said(rooms, root).splitlines()),
        **(recompiled(root) if built else {}),
        "CPU seconds of the last build": float(read(seconds)) if os.path.exists(seconds) else None,
    }


def show(columns):
    """The rows of the last one, then those that only an earlier one has."""
    names = list(dict.fromkeys(name for column in columns[::-1] for name in column))
    wide = max(map(len, names))
    for name in names:
        cells = [column.get(name) for column in columns]
        texts = ["-" if x is None else f"{x:g}" if isinstance(x, float) else str(x) for x in cells]
        numbers = len(cells) == 2 and all(isinstance(x, (int, float)) for x in cells)
        change = f"{cells[1] - cells[0]:+g}" if numbers and cells[0] != cells[1] else ""
        print((f"{name:{wide}}" + "".join(f"{x:>10}" for x in [*texts, change])).rstrip())


def main(words):
    store = None
    if words[:1] == ["-o"] and len(words) > 1:
        store, words = words[1], words[2:]
    if len(words) > 2 or any(x.startswith("-") or not os.path.exists(x) for x in words):
        print(__doc__, file=sys.stderr)
        return 2
    columns = [figures(x) for x in words or [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]]
    if store:
        with open(store, "w", encoding="utf-8") as f:
            json.dump(columns[-1], f, indent=1)
    show(columns)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
