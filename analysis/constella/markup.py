"""markup.py: `constella table --format markdown` and `latex`, from the cells that the program gives on standard input as JSON:
names of columns, whether each has numbers, rows."""
# SPDX-License-Identifier: BSD-2-Clause
import json
import re
import sys

from . import latex
from .writing import put


def plain(text):
    return re.sub(r"([|\\`*_<>[\]])", r"\\\1", re.sub(r"[\0-\x1f\x7f]", " ", text))


def as_markdown(names, numbers, rows):
    head, *lines = ["".join(f"| {plain(cell)} " for cell in row) + "|\n" for row in [names, *rows]]
    return head + "".join("| ---: " if k else "| --- " for k in numbers) + "|\n" + "".join(lines)


def number(text):
    if not text.lstrip("-")[:1].isdigit():
        return "--" if text == "-" else r"$-\infty$" if text.startswith("-") else r"$\infty$"
    digits, _, power = text.partition("e")
    return rf"${digits}\cdot 10^{{{int(power)}}}$" if power else f"${text}$"


def as_latex(names, numbers, rows):
    cells = [[number(x) if k else latex.text(x) for x, k in zip(row, numbers)] for row in rows]
    head, *lines = [" & ".join(row) + " \\\\\n" for row in [list(map(latex.text, names)), *cells]]
    kinds = "".join("r" if k else "l" for k in numbers)
    return f"\\begin{{tabular}}{{{kinds}}}\n\\hline\n{head}\\hline\n{''.join(lines)}\\hline\n\\end{{tabular}}\n"


def run(args):
    """Print the table."""
    table = json.loads(sys.stdin.buffer.read().decode("utf-8", "surrogateescape"))
    text = {"markdown": as_markdown, "latex": as_latex}[args.format](**table)
    put(text.encode("utf-8", "surrogateescape"))
