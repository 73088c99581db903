#!/usr/bin/python3
"""test_atlas.py: a small instance of jobs/atlas: pages, cells, the commands that make a cell again to the same bits, `verify`,
going on after an interruption. TAP."""
# SPDX-License-Identifier: BSD-2-Clause
# first: it skips the test where modules are missing
from drawing import ENVIRONMENT, HERE, PROGRAM, folder, ok, run_tests

import html
import pathlib
import random
import re
import shlex
import subprocess
import sys

ATLAS = HERE.parents[1] / "jobs" / "atlas" / "atlas.py"
FEW = ["--systems", "kepler", "--methods", "rattle;rk4;semi-implicit-euler(erp=0.2)", "--periods", "20", "--long", "0"]


def atlas(*words):
    return subprocess.run([sys.executable, ATLAS, *words], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, timeout=280)


def shell(line, where):
    """The words of a cell's command, run in a folder; the program stands for `constella`."""
    words = [PROGRAM if w == "constella" else w for w in shlex.split(line)]
    return subprocess.run(words, cwd=where, env=ENVIRONMENT, capture_output=True, text=True, timeout=120)


def test_pages():
    sys.path.insert(0, str(ATLAS.parent))
    import tables

    cells = tables.rows(folder / "nothing", "kepler", "rattle")
    ok({c.text for c in cells} == {"not run", "no bath"} and not any(c.commands for c in cells), "pages: cells that were not run say so", cells)
    done = atlas("a", *FEW)
    text = (folder / "a" / "kepler.html").read_text()
    ok(done.returncode == 0 and all((folder / "a" / f"kepler-{k}.h5").exists() for k in ("order", "precision", "energy")), "pages: three studies", done.stderr)
    ok(text.count("<details>") == 3 * 9 and "http" not in text, "pages: cells with their commands, no network", text.count("<details>"))
    ok(all((folder / "a" / link).exists() for link in re.findall(r'(?:href|src)="([^"]+)"', text)), "pages: links lead to files")
    ok("| rattle | 2 | bounded |" in (folder / "a" / "index.md").read_text(), "pages: order and verdict of rattle", (folder / "a" / "index.md").read_text())
    before = {p: p.stat().st_mtime_ns for p in (folder / "a").glob("*.h5")}
    atlas("a", *FEW)
    ok(before == {p: p.stat().st_mtime_ns for p in (folder / "a").glob("*.h5")}, "pages: made again without running")


def test_cells():
    """Two cells by their commands, in another folder, and the results by `verify`."""
    text = html.unescape((folder / "a" / "kepler.html").read_text())
    cells = re.findall(r"<summary>(.*?)</summary>.*?<code>(.*?)</code>", text)
    cells = [c for c in cells if re.fullmatch(r"[-+\w.]+", c[0]) and "," not in c[1].split("--columns")[1] and not c[1].endswith("cpu_seconds")]
    other = folder / "b"
    other.mkdir()
    (other / "studies").symlink_to(folder / "a" / "studies")
    for shown, line in random.Random(5).sample(cells, 2):
        for command in line.split("; "):
            done = shell(command, other)
        ok(done.returncode == 0 and done.stdout.split("\n")[1].strip() == shown, f"cells: {shown} of {line.split('; ')[1]}", done.stdout + done.stderr)
    for path in sorted(pathlib.Path(other).glob("*.h5")):
        done = shell(f"constella verify {folder / 'a' / path.name} --sample 2", other)
        ok(done.returncode == 0, f"cells: verify {path.name}", done.stdout + done.stderr)


def test_mistakes():
    done = atlas("a", "--systems", "keppler")
    ok(done.returncode == 2 and "allowed: " in done.stderr, "mistake: an unknown system", done.stderr)


run_tests(globals())
