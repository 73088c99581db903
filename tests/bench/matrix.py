"""matrix.py: `make bench-matrix`: every method on the standard systems (matrix.c), stored as BUILD/matrix.txt with
the name of the machine, and compared with a stored run of the same machine: matrix.py [STORED].

Both numbers of a cell are compared, those of a batch and of a trajectory alone. Status 1: a step takes more than 5
percent longer in one of them; what is faster by as much is printed too.
"""
# SPDX-License-Identifier: BSD-2-Clause
import os
import pathlib
import platform
import subprocess
import sys

BUILD = pathlib.Path(os.environ.get("BUILD", "build"))
LABEL, CELL = 44, 23  # characters of a method's name and of a cell, as matrix.c prints them
MARGIN = 0.05


def machine():
    """The name of the processor."""
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def numbers(text):
    """The machine, and nanoseconds by method, system and place in the cell."""
    first, *lines = text.splitlines()
    at = next((i for i, line in enumerate(lines) if line.startswith("ns a step")), None)
    if not first.startswith("machine: ") or at is None:
        sys.exit("matrix.py: error: this is no table of `make bench-matrix`")
    systems = lines[at + 1].split()
    found = {}
    for line in lines[at + 2 :]:
        method = line[:LABEL].strip()
        if not method or method.startswith("share of"):
            continue
        for k, system in enumerate(systems):
            cell = line[LABEL + k * CELL : LABEL + (k + 1) * CELL].split("/")
            for place, value in zip(("batch", "alone"), cell):
                if value.strip():
                    found[method, system, place] = float(value)
    return first, found


def compare(old, new):
    """Prints what differs by more than MARGIN, the slower ones first; returns the number of those."""
    ratios = {key: new[key] / old[key] for key in old if key in new and old[key] > 0}
    slower = sorted((k for k, r in ratios.items() if r > 1 + MARGIN), key=lambda k: -ratios[k])
    faster = sorted((k for k, r in ratios.items() if r < 1 - MARGIN), key=lambda k: ratios[k])
    for word, keys in (("slower", slower), ("faster", faster)):
        for key in keys:
            method, system, place = key
            print(f"{word} {ratios[key]:5.2f}  {old[key]:9.4g} -> {new[key]:9.4g} ns  {method} on {system}, {place}")
    for key in sorted(old.keys() - new.keys()):
        print("missing", *key)
    print(f"{len(ratios)} numbers compared: {len(slower)} slower, {len(faster)} faster by more than {MARGIN:.0%}")
    return len(slower)


def main():
    stored = pathlib.Path(sys.argv[1]).read_text() if len(sys.argv) > 1 else None
    done = subprocess.run([BUILD / "bench-matrix"], stdout=subprocess.PIPE, text=True, check=True)
    text = f"machine: {machine()}\n{done.stdout}"
    (BUILD / "matrix.txt").write_text(text)
    print(text)
    if stored is None:
        return 0
    (before, old), (now, new) = numbers(stored), numbers(text)
    if before != now:
        sys.exit(f"matrix.py: error: the stored run is of another machine: {before}")
    return 1 if compare(old, new) else 0


if __name__ == "__main__":
    sys.exit(main())
