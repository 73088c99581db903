"""test_rooms.py: includes between the rooms of src go downwards only; the check of that finds those that do
not."""
# SPDX-License-Identifier: BSD-2-Clause
import os
import subprocess
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import done, ok, scratch

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def rooms(folder, **files):
    for name, text in files.items():
        there = os.path.join(folder, "src", *name.split("__"))
        os.makedirs(os.path.dirname(there), exist_ok=True)
        with open(there + ".c", "w") as f:
            f.write(text)
    return subprocess.run([os.path.join(ROOT, "tools", "rooms.sh"), folder], capture_output=True, text=True)


process = rooms(ROOT)
ok(process.returncode == 0, "no room of src includes one that is not below it", process.stdout, process.stderr)

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
done()
