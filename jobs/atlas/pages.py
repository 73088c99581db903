"""pages.py: the atlas as Markdown and as HTML that needs no network, with figures."""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

import html
import pathlib
from typing import Any

import tables
from constella import plot
from constella.reading import ConstellaError

CSS = (
    "body{font:15px/1.45 system-ui,sans-serif;margin:1.5em auto;max-width:1200px;padding:0 1em}"
    "table{border-collapse:collapse}td,th{padding:.25em .6em;border-bottom:1px solid #ccc;text-align:left;vertical-align:top}"
    "div{overflow-x:auto}img{max-width:100%}summary{cursor:pointer}code{font-size:12px;white-space:pre-wrap}tr.baseline td{background:#f4f4f4}"
)


def label(entry: Any) -> str:
    return entry.name + ("-bath" if entry.bath else "")


def methods_of(entry: Any, methods: list[str]) -> list[str]:
    from atlas import BATH

    return list(BATH) if entry.bath else methods


def figure(folder: pathlib.Path, entry: Any) -> str:
    """The name of its picture; '': there is none."""
    kind, of = ("averages", "temperature") if entry.bath else ("work", "precision")
    result = tables.opened(folder / f"{label(entry)}-{of}.h5")
    if result is None:
        return ""
    name = f"{label(entry)}.png"
    with result:
        try:
            plot.save(plot.figure(kind, result), folder / name)
        except ConstellaError:
            return ""
    return name


def html_cell(cell: tables.Cell) -> str:
    if not cell.study:
        return f"<td>{html.escape(cell.text)}</td>"
    link = f'<a href="studies/{cell.study}.yaml">study</a>, <a href="{cell.study}.h5">result</a>'
    return f"<td><details><summary>{html.escape(cell.text)}</summary>{link}<br><code>{html.escape(cell.commands)}</code></details></td>"


def table(folder: pathlib.Path, entry: Any, methods: list[str]) -> list[tuple[str, list[tables.Cell]]]:
    found = [(m, tables.rows(folder, label(entry), m)) for m in methods_of(entry, methods)]
    foreign = ("does not fit", "none declared", "no bath", "not among the three")
    return [(m, cells) for m, cells in found if not all(c.text in foreign for c in cells)]


def system_page(entry: Any, made: list[tuple[str, list[tables.Cell]]], picture: str) -> str:
    from atlas import BASELINES

    head = "".join(f"<th>{html.escape(h)}</th>" for h in ("method", *tables.HEADS))
    body = "".join(
        f'<tr{" class=baseline" if m in BASELINES else ""}><td>{html.escape(m)}</td>{"".join(map(html_cell, cells))}</tr>' for m, cells in made
    )
    image = f'<img alt="error against work" src="{picture}">' if picture else "<p>The picture was not drawn: its study was not run.</p>"
    return document(
        label(entry),
        f'<p><a href="index.html">all systems</a></p><p>{html.escape(entry.why)}; a period is {entry.time:g}. A click on a cell shows its study and the '
        f"commands that make it again. Baselines are grey.</p><div><table><tr>{head}</tr>{body}</table></div>{image}",
    )


def document(title: str, body: str) -> str:
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{html.escape(title)}</title><style>{CSS}</style><body><h1>{html.escape(title)}</h1>{body}</body></html>\n"
    )


def markdown(entry: Any, made: list[tuple[str, list[tables.Cell]]], picture: str) -> str:
    lines = [f"## {label(entry)}\n", f"{entry.why}; a period is {entry.time:g}.\n"]
    lines += ["| method | " + " | ".join(tables.HEADS).replace("|g|", "\\|g\\|") + " |", "|" + " --- |" * (len(tables.HEADS) + 1)]
    lines += ["| " + " | ".join([m, *(c.text for c in cells)]) + " |" for m, cells in made]
    commands = dict.fromkeys(f"constella run studies/{c.study}.yaml -o {c.study}.h5" for _, cells in made for c in cells if c.study)
    lines += ["", *(f"    {c}" for c in commands)] + ([f"\n![error against work]({picture})"] if picture else [])
    return "\n".join(lines) + "\n"


def write(folder: pathlib.Path, entries: list[Any], methods: list[str]) -> None:
    """index.html, index.md, and a page and a picture for each system."""
    text, rows = ["# Atlas\n"], []
    for entry in entries:
        made, picture = table(folder, entry, methods), figure(folder, entry)
        (folder / f"{label(entry)}.html").write_text(system_page(entry, made, picture))
        text.append(markdown(entry, made, picture))
        best = tables.cheapest(folder / f"{label(entry)}-energy.h5")
        ran = sum(c.text != "not run" for _, cells in made for c in cells)
        best_said = best[0] if best else "not run" if not entry.bath else "see its page"
        rows.append(
            f'<tr><td><a href="{label(entry)}.html">{html.escape(label(entry))}</a></td><td>{html.escape(entry.why)}</td>'
            f"<td>{html.escape(best_said)}</td><td>{ran} of {sum(len(c) for _, c in made)}</td></tr>"
        )
    head = "<tr><th>system</th><th>why</th><th>least work for 1e-4 in energy</th><th>cells</th></tr>"
    (folder / "index.html").write_text(document("Atlas", f"<div><table>{head}{''.join(rows)}</table></div>"))
    (folder / "index.md").write_text("\n".join(text))
