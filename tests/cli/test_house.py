#!/usr/bin/python3
"""test_house.py: the figures of tools/house.py, of a small tree, and of two side by side."""
# SPDX-License-Identifier: BSD-2-Clause
import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import done, ok, path, scratch

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FILES = {
    "src/core/low.c": "/* 16 characters */\nint cst_low(void) { return 1; } // \"\nint cst_alone = 2;\n",
    "src/core/low.h": "int cst_low(void);\n",
    "src/core/core/fast.c": "int cst_low(void);\nint NAME(void) { return cst_low(); }\n",
    "src/cli/high.c": "int cst_low(void), cst_fast_v4(void);\nint cst_public(void) { return cst_low() + cst_fast_v4(); }\n",
    "src/method/core/kick.c": '#include "core/low.h"\nconst char *kick = "/* none */";\n',
    "src/study/rows/collector.h": "typedef struct cst_collector {\n  const char *name, *doc; /* of it; and more */\n"
    "  void (*read)(int a, int b);\n  struct { int x, y; } both;\n} cst_collector;\n",
    "include/constella/all.h": "int cst_public(void);\n",
    "tools/rooms.sh": "#!/bin/sh\necho one\necho two\n",
}
SETS = {"src/core/core/fast.c": (".v4", ".v4x2")}


def tree():
    root = scratch()
    for name, text in FILES.items():
        there = os.path.join(root, name)
        os.makedirs(os.path.dirname(there), exist_ok=True)
        with open(there, "w") as f:
            f.write(text)
        if not name.endswith(".c"):
            os.chmod(there, 0o755)
            continue
        for suffix in SETS.get(name, ("",)):
            object = os.path.join(root, "build", "obj", name[4:-2] + suffix + ".o")
            os.makedirs(os.path.dirname(object), exist_ok=True)
            subprocess.run(["gcc", "-I", os.path.join(root, "src"), f"-DNAME=cst_fast_{suffix[1:]}", "-c", there, "-o", object], check=True)
    return root


def house(*words):
    environment = {**os.environ, "BUILD": "build"}
    return subprocess.run([os.path.join(ROOT, "tools", "house.py"), *words], capture_output=True, text=True, env=environment)


root, stored = tree(), path("house.json")
process = house("-o", stored, root)
ok(process.returncode == 0, "figures of a tree that has not been linked", process.stderr)
with open(stored) as f:
    figures = json.load(f)
comments = sum(len(x) for x in ("/* 16 characters */", '// "', "/* of it; and more */"))
for name, want in (
    ("files .c", 4),
    ("files .h", 3),
    ("lines", sum(text.count("\n") for name, text in FILES.items() if name[-2:] in (".c", ".h"))),
    ("comments of src, %", round(100 * comments / sum(len(x) for name, x in FILES.items() if name.startswith("src/")), 1)),
    ("exported functions", 3),
    ("  with one user file (functions)", 1),
    ("  with no user file (functions)", 1),
    ("    and in no public header (functions)", 0),
    ("exported data", 2),
    ("    and in no public header (data)", 2),
    ("kick.c and its headers: files", 2),
    ("  lines", 3),
    ("members of a collector", 4),
    ("calls and includes upwards", 2),
):
    ok(figures.get(name) == want, f"{name.strip()}: {want}", figures)

with open(os.path.join(root, "src/core/more.c"), "w") as f:
    f.write("/* more */\n")
process = house(stored, root)
lines = {line.split("  ")[0]: line.split()[-3:] for line in process.stdout.splitlines()}
ok(lines["files .c"] == ["4", "5", "+1"], "two side by side, with the change", process.stdout)
ok(lines["files .h"][-2:] == ["3", "3"], "or none", process.stdout)
ok(house("a", "b", "c").returncode == 2 and house("--what").returncode == 2, "other words are refused")
done()
