#!/usr/bin/python3
"""test_atlas.py: a small instance of jobs/atlas: pages, cells, the commands that make a cell again to the same bits, `verify`,
going on after an interruption. TAP."""
# SPDX-License-Identifier: BSD-2-Clause
# first: it skips the test where modules are missing
from drawing import ENVIRONMENT, HERE, PROGRAM, folder, ok, run_tests

import html
import math
import os
import pathlib
import random
import re
import shlex
import signal
import subprocess
import sys

sys.path.insert(0, str(HERE.parent / "cli"))
from held import Gate

ATLAS = HERE.parents[1] / "jobs" / "atlas" / "atlas.py"
FEW = ["--systems", "kepler", "--methods", "rattle;rk4;semi-implicit-euler(erp=0.2)", "--periods", "20", "--long", "0"]


def atlas(*words):
    return subprocess.run([sys.executable, ATLAS, *words], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, timeout=1000)


def shell(line, where):
    """The words of a cell's command, run in a folder; the program stands for `constella`."""
    words = [PROGRAM if w == "constella" else w for w in shlex.split(line)]
    return subprocess.run(words, cwd=where, env=ENVIRONMENT, capture_output=True, text=True, timeout=600)


def test_pages():
    sys.path.insert(0, str(ATLAS.parent))
    import tables

    entry = next(e for e in __import__("atlas").SYSTEMS if e.name == "kepler")
    cells = tables.rows(folder / "nothing", entry, "rattle", [])
    ok({c.text for c in cells} == {"not run"} and not any(c.commands for c in cells), "pages: cells that were not run say so", cells)
    done = atlas("a", *FEW)
    text = (folder / "a" / "kepler.html").read_text()
    ok(done.returncode == 0 and all((folder / "a" / f"kepler-{k}.h5").exists() for k in ("order", "energy-rattle", "energy-rk4")), "pages: a study of orders, one of the energy for each method", done.stderr)
    ok(text.count("<details>") == 3 * 8 and "http" not in text, "pages: cells with their commands, no network", text.count("<details>"))
    ok(all((folder / "a" / link).exists() for link in re.findall(r'(?:href|src)="([^"]+)"', text)), "pages: links lead to files")
    ok("| rattle | 2 | bounded |" in (folder / "a" / "index.md").read_text(), "pages: order and verdict of rattle", (folder / "a" / "index.md").read_text())
    before = {p: p.stat().st_mtime_ns for p in (folder / "a").glob("*.h5")}
    atlas("a", *FEW)
    ok(before == {p: p.stat().st_mtime_ns for p in (folder / "a").glob("*.h5")}, "pages: made again without running")


def test_levels():
    """Work at which an error falls below a level for good."""
    import tables

    for points, wanted in (
        ([(1, 1e-2), (10, 1e-4), (100, 1e-6)], (10 * 10**0.5, "")),
        ([(1, 1e-6), (10, 1e-2), (100, 1e-6)], (10 * 10**0.75, "")),  # what is right by chance does not count
        ([(1, 1e-7)], (1, "<")),
        ([(1, math.inf), (2, 1e-7)], (2, "")),
    ):
        x, sign = tables.at_level(points, 1e-5)
        ok(abs(x - wanted[0]) < 1e-12 * x and sign == wanted[1], f"levels: {points}", x)
    ok(math.isnan(tables.at_level([(1, 1e-2), (2, math.inf)], 1e-5)[0]), "levels: not reached")


def test_cells():
    """Two cells by their commands, as they stand on the page, and the results by `verify`."""
    text = html.unescape((folder / "a" / "kepler.html").read_text())
    cells = re.findall(r"<summary>(.*?)</summary>.*?<code>(.*?)</code>", text)
    columns = lambda line: line.split("--columns ")[1].split(";")[0]  # noqa: E731
    cells = [c for c in cells if re.fullmatch(r"[-+\w.]+", c[0]) and "," not in columns(c[1]) and columns(c[1]) != "cpu_seconds"]
    for shown, line in random.Random(5).sample(cells, 2):
        made, table, same = [shell(command, folder / "a") for command in line.split("; ")]
        said = table.stdout.split("\n")[1].strip() if table.returncode == 0 else ""
        ok(said == shown or (said[:1].isdigit() and f"{float(said):.3g}" == shown), f"cells: {shown} of {line.split('; ')[1]}", made.stderr + table.stdout + table.stderr)
        ok("bits          equal in all columns and data" in same.stdout, "cells: the same bits", same.stdout + same.stderr)
    for path in sorted((folder / "a").glob("kepler-*.h5"))[:2]:
        done = shell(f"constella verify {path} --sample 2", folder)
        ok(done.returncode == 0, f"cells: verify {path.name}", done.stdout + done.stderr)


def test_killed():
    """kill -9 in the middle: the same line goes on; bits are those of the undisturbed atlas."""
    line = [sys.executable, ATLAS, "k", *FEW]
    gate = Gate("rename:1", "kepler-energy-rk4.h5$")  # of the third study, when its file is to get its name
    first = subprocess.Popen(line, cwd=folder, env={**ENVIRONMENT, **gate.env}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    gate.reached(first)
    first.kill()
    first.wait()
    for pid in gate.held().values():
        os.kill(pid, signal.SIGKILL)
    there = len(list((folder / "k").glob("*.h5")))
    ok(first.returncode == -9 and 0 < there < 4, "killed: in the middle", (first.returncode, there))
    done = atlas("k", *FEW)
    ok(done.returncode == 0, "killed: it goes on", done.stderr)
    for path in sorted((folder / "a").glob("*energy*.h5")):
        same = shell(f"constella compare {path} {folder / 'k' / path.name}", folder)
        ok(same.returncode == 0 and "bits" in same.stdout, f"killed: {path.name}", same.stdout + same.stderr)


def test_mistakes():
    done = atlas("a", "--systems", "keppler")
    ok(done.returncode == 2 and "allowed: " in done.stderr, "mistake: an unknown system", done.stderr)


run_tests(globals())
