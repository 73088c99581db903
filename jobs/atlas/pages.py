"""pages.py: the atlas as Markdown and as HTML that needs no network."""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

import html
import math
import pathlib
from typing import Any

import figures
import tables

CSS = (
    "body{font:15px/1.45 system-ui,sans-serif;margin:1.5em auto;max-width:1500px;padding:0 1em}"
    "table{border-collapse:separate;border-spacing:0}td,th{padding:.25em .6em;border-bottom:1px solid #ccc;text-align:left;vertical-align:top}"
    "div{overflow-x:auto}img{max-width:100%;min-width:46em}summary{cursor:pointer;white-space:nowrap}code{font-size:12px;white-space:pre-wrap;display:block;min-width:24em;max-width:36em}"
    "tr.baseline td{background:#f4f4f4}td:first-child,th:first-child{position:sticky;left:0;background:#fff}tr.baseline td:first-child{background:#f4f4f4}"
)
KINDS = (("1e-6 in q", "order", "error_q", "", tables.POSITION), ("1e-4 in energy", "energy", "energy_max", "energy_scale", tables.ENERGY))

Made = list[tuple[str, list[tables.Cell]]]


def table(folder: pathlib.Path, entry: Any, methods: list[str]) -> Made:
    """Rows of the methods that fit."""
    from atlas import BATH

    among = [] if entry.bath else tables.cheapest(folder, entry, methods)
    found = [(m, tables.rows(folder, entry, m, among)) for m in (BATH if entry.bath else methods)]
    return [(m, cells) for m, cells in found if not all(c.text in tables.FOREIGN for c in cells)]


def heads(entry: Any) -> tuple[str, ...]:
    return ("method", *(tables.BATH_HEADS if entry.bath else tables.HEADS))


def ran(made: Made) -> tuple[int, int]:
    """(cells that were run, cells) without those that could not be."""
    texts = [c.text for _, cells in made for c in cells if c.text not in tables.FOREIGN]
    return sum(t != "not run" for t in texts), len(texts)


# ---- the summary


def costs(folder: pathlib.Path, entry: Any, methods: list[str], kind: int) -> dict[str, float]:
    """{method: seconds that a period costs}, infinite: not reached, at a level of KINDS. Methods that were not run are left out."""
    _, of, error, scale, level = KINDS[kind]
    found = {}
    for m in methods:
        path = tables.path_of(folder, entry, of, m if of == "energy" else "")
        result = tables.opened(path)
        if result is None:
            continue
        if m not in result.texts("method"):
            continue
        x, _ = tables.at_level(tables.points_of(result, m, error, scale, entry.time), level)
        found[m] = x * tables.constant(folder, entry, m) if math.isfinite(x) else math.inf
    return found


def times(x: float | None, least: float, fits: bool) -> str:
    return ("not run" if fits else "does not fit") if x is None else "not reached" if not math.isfinite(x) else f"{x / least:.2g}"


def summary(folder: pathlib.Path, entries: list[Any], methods: list[str]) -> list[list[str]]:
    """The cheapest methods of each system, and what the baselines cost over them."""
    from atlas import BASELINES

    rows = [["system", "cheapest for 1e-6 in q", "cheapest for 1e-4 in energy", *(f"{b}: times its cost" for b in BASELINES)]]
    for entry in (e for e in entries if not e.bath):
        said, of = [], {}
        for kind in range(len(KINDS)):
            of = costs(folder, entry, methods, kind)
            best = min(of, key=lambda m: of[m], default="")
            said.append("not run" if not best else "not reached" if not math.isfinite(of[best]) else f"{best}, {1e6 * of[best]:.2g} us a period")
        least = min(of.values(), default=math.inf)
        rows.append([entry.label, *said, *("-" if not math.isfinite(least) else times(of.get(b), least, tables.constant(folder, entry, b) > 0) for b in BASELINES)])
    return rows


# ---- HTML


def html_cell(cell: tables.Cell, picture: str) -> str:
    if not cell.study:
        return f"<td>{html.escape(cell.text)}</td>"
    link = f'<a href="studies/{cell.study}.yaml">study</a>, <a href="{cell.study}.h5">result</a>'
    link += f', <a href="{picture}">picture</a>' if picture else ""
    return f"<td><details><summary>{html.escape(cell.text)}</summary>{link}<code>{html.escape(cell.commands)}</code></details></td>"


def document(title: str, body: str) -> str:
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{html.escape(title)}</title><style>{CSS}</style><body><h1>{html.escape(title)}</h1>{body}</body></html>\n"
    )


def introduction(entry: Any) -> str:
    return (
        f"{entry.why}; a period is {entry.time:g}. A unit of work is one evaluation or one iteration; microseconds are of a trajectory in a batch of "
        "eight, counted units of a period times the time of a unit, measured once on one core."
    )


def system_page(entry: Any, made: Made, picture: str) -> str:
    from atlas import BASELINES

    head = "".join(f"<th>{html.escape(h)}</th>" for h in heads(entry))
    body = "".join(f'<tr{" class=baseline" if m in BASELINES else ""}><td>{html.escape(m)}</td>{"".join(html_cell(c, picture) for c in cells)}</tr>' for m, cells in made)
    image = f'<div><img alt="error against cost" src="{picture}"></div>' if picture else "<p>No picture: its study was not run.</p>"
    return document(
        entry.label,
        f'<p><a href="index.html">all systems</a></p><p>{html.escape(introduction(entry))} A click on a cell shows its study and the '
        f"commands that make it again and compare the bits; measured times may differ. Baselines are grey.</p><div><table><tr>{head}</tr>{body}</table></div>{image}",
    )


def index(rows: list[list[str]], cells: dict[str, tuple[int, int]], picture: str) -> str:
    head = "".join(f"<th>{html.escape(h)}</th>" for h in (*rows[0], "cells run"))
    body = ""
    of = {r[0]: r[1:] for r in rows[1:]}
    for label, (some, all_) in cells.items():
        said = of.get(label, ["temperatures: see its page"] + [""] * (len(rows[0]) - 2))
        body += f'<tr><td><a href="{label}.html">{html.escape(label)}</a></td>' + "".join(f"<td>{html.escape(x)}</td>" for x in said) + f"<td>{some} of {all_}</td></tr>"
    image = f'<div><img alt="cost of each method on each system" src="{picture}"></div>' if picture else ""
    return document("Atlas", f"<div><table><tr>{head}</tr>{body}</table></div>{image}")


# ---- Markdown


def markdown_table(rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(x.replace("|", "\\|") for x in r) + " |" for r in rows]
    return "\n".join([lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]]) + "\n"


def markdown(entry: Any, made: Made, picture: str) -> str:
    studies = dict.fromkeys(c.study for _, cells in made for c in cells if c.study)
    shared = [s for s in studies if s.endswith(("-order", "-temperature"))]
    own = [s for s in studies if s not in shared]
    lines = [f"## {entry.label}\n", introduction(entry) + "\n", markdown_table([list(heads(entry)), *([m, *(c.text for c in cells)] for m, cells in made)])]
    lines += ["```", *(f"constella run studies/{s}.yaml -o {s}.h5" for s in [*shared, *own[:1]]), "```\n"]
    if len(own) > 1:
        lines.append("and so on, a study for each method.\n")
    return "\n".join(lines) + (f"\n![error against cost]({picture})\n" if picture else "")


def write(folder: pathlib.Path, entries: list[Any], methods: list[str]) -> None:
    """index.html, index.md, a page and a picture for each system, and the picture of all."""
    made = {e: table(folder, e, methods) for e in entries}
    rows, cells = summary(folder, entries, methods), {e.label: ran(made[e]) for e in entries}
    waves = [e for e in entries if not e.bath]
    picture = figures.of_all(folder, [e.label for e in waves], methods, [costs(folder, e, methods, 1) for e in waves])
    text = ["# Atlas\n", markdown_table(rows), f"![cost of each method on each system]({picture})\n" if picture else ""]
    text.append("".join(f"{label}: {some} of {all_} cells were run.\n" for label, (some, all_) in cells.items() if some < all_))
    for entry in entries:
        own = figures.of_one(folder, entry, methods)
        (folder / f"{entry.label}.html").write_text(system_page(entry, made[entry], own))
        text.append(markdown(entry, made[entry], own))
    (folder / "index.html").write_text(index(rows, cells, picture))
    (folder / "index.md").write_text("\n".join(text))
