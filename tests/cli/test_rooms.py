"""test_rooms.py: includes and calls between the rooms of src go downwards only; the check of that finds those
that do not."""
# SPDX-License-Identifier: BSD-2-Clause
import os
import subprocess
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import done, ok, scratch

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def rooms(folder, *build, **files):
    for name, text in files.items():
        there = os.path.join(folder, "src", *name.split("__"))
        os.makedirs(os.path.dirname(there), exist_ok=True)
        with open(there + ".c", "w") as f:
            f.write(text)
    return subprocess.run([os.path.join(ROOT, "tools", "rooms.sh"), folder, *build], capture_output=True, text=True)


process = rooms(ROOT, os.environ.get("BUILD", "build"))
ok(process.returncode == 0, "no room of src includes or calls one that is not below it", process.stdout, process.stderr)

process = rooms(scratch(), study__plan__a='#include "core/need.h"\n', study__collect__b='#include "study/runner/runner.h"\n')
ok(process.returncode == 0, "includes of lower rooms", process.stdout, process.stderr)

process = rooms(scratch(), study__plan__a='#include "study/result/output.h"\n')
ok(
    process.returncode == 1 and "study/plan/a.c includes study/result/output.h" in process.stdout,
    "an include of a higher room is found",
    process.stdout,
)
process = rooms(scratch(), solve__a='#include "record/record.h"\n')
ok(process.returncode == 1 and "record is not below solve" in process.stdout, "so is one of the same floor", process.stdout)
process = rooms(scratch(), new__a='#include "core/need.h"\n')
ok(process.returncode == 1 and "no floor" in process.stdout, "a new room must have a floor", process.stdout)


def calls(build, **files):
    """As rooms(), with each file compiled."""
    folder = scratch()
    rooms(folder, **files)
    for name in files:
        file = os.path.join(*name.split("__"))
        os.makedirs(os.path.dirname(os.path.join(build, "obj", file)), exist_ok=True)
        subprocess.run(["gcc", "-c", os.path.join(folder, "src", file + ".c"), "-o", os.path.join(build, "obj", file + ".o")], check=True)
    return rooms(folder, build)


low, high = "int cst_low(void) { return 1; }", "int cst_low(void); int cst_high(void) { return cst_low(); }"
process = calls(scratch(), core__low=low, cli__high=high)
ok(process.returncode == 0, "calls of lower rooms", process.stdout, process.stderr)
process = calls(scratch(), cli__low=low, core__high=high)
ok(
    process.returncode == 1 and process.stdout == "core/high.c calls cst_low: cli is not below core\n",
    "a call of a higher room is found",
    process.stdout,
    process.stderr,
)
done()
