"""page.py: a result as one self-contained page: sentences and matrices, figures, the table, failures,
provenance."""
# SPDX-License-Identifier: BSD-2-Clause
import base64
import html
import os
import pathlib

from . import digits, labelled, style, words
from .reading import ResultError, shortest

MOST_FAILURES = 200  # rows in the table of failures
MOST_ACROSS = 100  # characters of the names of sets across in a matrix
MOST_SENTENCES = 12  # on the orders; more become a matrix
escape = html.escape


# ---- parts of the page


def section(name, heading, body):
    return f'<section id="{name}"><h2>{escape(heading)}</h2>\n{body}\n</section>\n'


def listing(sentences):
    if not sentences:
        return ""
    return "<ul>" + "".join(f"<li>{escape(s)}</li>" for s in sentences) + "</ul>"


def facts(pairs):
    rows = "".join(f'<tr><th scope="row">{escape(k)}</th><td>{escape(v)}</td></tr>' for k, v in pairs if v)
    return f'<table class="facts"><tbody>{rows}</tbody></table>'


def scrolled(label, body):
    """A table that scrolls by itself, also with keys."""
    return f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(label)}">{body}</div>'


def facets(result):
    """The columns by which page.js filters: those by which cases differ, and verdicts."""
    differ = labelled.axes(result)
    told = [n for n in result.columns if result.uses.get(n, {}).get("role") in ("verdict", "flag")]
    return [n for n in ["method", "step", *differ, *told] if n in differ and len(differ[n]) > 1 or n in told]


def table(result):
    """The default columns, and what is swept, a row per case, a rule where the method changes."""
    swept = [n for n in labelled.axes(result) if result.column(n) is not None and n not in result.columns]
    names = [*swept, *result.columns]
    columns = [result.column(n) for n in names]
    numeric = [c.dtype.kind in "fi" for c in columns]
    texts = [digits.column(result, n) if k else c for n, c, k in zip(names, columns, numeric)]
    meaning = [escape(result.attribute(f"/statistics/{n}", "long_name")) for n in names]
    filters = facets(result)
    head = "".join(
        f'<th{" class=number" if k else ""} scope="col" title="{m}"{" data-facet" if n in filters else ""}>{escape(n)}</th>'
        for n, k, m in zip(names, numeric, meaning)
    )
    rows: list = []
    methods = result.texts("method")
    for case in result.chosen:
        cells = "".join(
            f'<td class="number" data-v="{float(c[case]):.7g}">{t[case]}</td>'
            if k
            else f'<td class="label">{escape(c[case]) or "–"}</td>'
            for c, t, k in zip(columns, texts, numeric)
        )
        first = not rows or methods[case] != methods[case - 1]
        rows.append(f"<tr{' class=first' if first else ''}>{cells}</tr>")
    body = f'<table class="results"><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table>'
    return scrolled("the cases", body)


def figure(name, caption, fig, look):
    data = base64.b64encode(style.encode(fig, "svg", look)).decode("ascii")
    image = f'<img alt="{escape(caption)}" src="data:image/svg+xml;base64,{data}">'
    return f'<figure id="figure-{name}">{image}<figcaption>{escape(caption)}</figcaption></figure>\n'


def failures(result):
    """A table of the trajectories that failed; empty text when none did."""
    found = words.failures(result)
    if not found:
        return ""
    steps, rows = result.data("/final/steps"), []
    for case, reason, members in found[:MOST_FAILURES]:
        good = (
            f"{steps[case][members].min()} to {steps[case][members].max()} of {result.data('/cases/n')[case]}"
            if steps is not None
            else "–"
        )
        label = result.texts("method")[case] or f"case {case}"
        cells = (
            label,
            shortest(result.nominal[case]),
            reason,
            str(len(members)),
            words.members_text(members),
            good,
        )
        rows.append("<tr>" + "".join(f"<td>{escape(c)}</td>" for c in cells) + "</tr>")
    head = "".join(
        f"<th>{c}</th>" for c in ("method", "step", "reason", "trajectories", "members", "good steps")
    )
    more = (
        f"<p>{len(found) - MOST_FAILURES} more cases are in the file, /final/status.</p>"
        if len(found) > MOST_FAILURES
        else ""
    )
    body = f'<table><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table>'
    return scrolled("failures", body) + more


def study(result):
    text = f'<pre tabindex="0">{escape(result.attribute("/", "study"))}</pre>'
    description = result.attribute("/", "system_description")
    summary = f"<summary>the system {escape(result.attribute('/', 'system'))}</summary>"
    return text + (f'<details>{summary}<pre tabindex="0">{escape(description)}</pre></details>' if description else "")


def provenance(result):
    """Attributes of the root without the long texts, then those of the run."""
    long = ("study", "system_description", "title", "system", "study_kind")
    root = [(k, v) for k, v in result.attributes("/").items() if k not in long]
    run = [
        (f"run: {k.replace('_', ' ')}", v)
        for k, v in result.attributes("/run").items()
        if not k.endswith("_unix") and k not in ("pid", "pid_start")
    ]
    return facts([("file", os.path.basename(result.path)), *root, *run])


def lead(result):
    total = result.status.shape[1]
    methods = len({c.method for c in result.curves()})
    pieces = [
        f"{result.kind} study of {result.attribute('/', 'system')}",
        f"{methods} methods" if methods != 1 else "1 method",
        f"{len(result.chosen)} cases",
    ]
    return " · ".join(pieces + ([f"{total} members"] if total > 1 else []))


def matrix(name, rows, columns, cells, mark=lambda text: "", down="methods"):
    """A table methods x sets; cells[row][column] are texts, mark(text) the colour behind one. The sets are
    down where they are more than fit across."""
    if len(columns) > len(rows) and sum(len(c) + 3 for c in columns) > MOST_ACROSS:
        down, rows, columns, cells = "sets", columns, rows, [list(c) for c in zip(*cells)]
    head = "".join(f'<th scope="col">{escape(c)}</th>' for c in columns)
    lines = []
    for row, texts in zip(rows, cells):
        shade = [f' style="background:{mark(t)}"' if mark(t) else "" for t in texts]
        lines.append(
            f'<tr><th scope="row">{escape(row)}</th>'
            + "".join(f"<td{s}>{escape(t) or '–'}</td>" for s, t in zip(shade, texts))
            + "</tr>"
        )
    body = f'<thead><tr><th scope="col">{escape(name)}</th>{head}</tr></thead><tbody>{"".join(lines)}</tbody>'
    return scrolled(name, f'<table class="matrix" data-down="{down}">{body}</table>') + "\n"


def verdicts(result):
    """A matrix per quantity, and the meanings of its words."""
    out, used = [], []
    for name in sorted(result.quantities("verdict"), key=lambda n: n not in result.conserved):
        found = result.verdicts(name)
        cells = [list(row.values()) for row in found.values()]
        if any(any(row) for row in cells):
            note = (
                "" if name in result.conserved or name not in result.drifting else ", which moves by itself"
            )
            out.append(
                matrix(
                    name + note,
                    list(found),
                    list(next(iter(found.values()))),
                    cells,
                    lambda t: words.MARKS.get(t, "") + "55" if t in words.MARKS else "",
                )
            )
            used += [t for row in cells for t in row if t]
    meant = [f"{w}: {words.VERDICTS[w].removeprefix(w + ': ')}" for w in words.VERDICTS if w in used]
    return "".join(out) + (f'<p class="note">{escape("; ".join(meant))}.</p>' if meant else "")


def causes(result):
    """What `constella explain` has found of this result and kept beside it: a table; empty text without it."""
    from .explaining.chart import kept

    found = kept(result.path, result.attribute("/run", "id"))
    if not found:
        return ""
    rows = "".join(
        f"<tr><td>{escape(f['method'])}</td><td>{shortest(f['step'])}</td><td>{escape(f['quantity'])}</td>"
        f"<td>{escape(f['verdict'])}</td><td>{escape(f['cause'])}</td><td>{escape(f['said'])}</td></tr>"
        for f in found
    )
    head = "".join(f"<th>{c}</th>" for c in ("method", "step", "of", "verdict", "cause", "because"))
    return scrolled("causes", f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>")


def orders(result):
    """Sentences, or where there are many a matrix of the orders of each part."""
    said = words.orders(result)
    if len(said) <= MOST_SENTENCES:
        return listing(said) if said else ""
    parts = [p for p in result.quantities("order") if p != "total"] or ["total"]
    cells = [[words.order_cell(result, c, p) for p in parts] for c in result.curves()]
    return matrix(
        "order of", [c.label for c in result.curves()], [words.SYMBOLS.get(p, p) for p in parts], cells, down="methods of"
    )


def figures(result, look):
    """(name, caption, figure) of all figures that the file lists and has data for, and of those that
    every report has."""
    from . import plot
    from .plot.kind import of_reports

    wanted = list(result.figures)
    unknown = [name for name in wanted if name not in plot.KINDS]
    if unknown:
        raise ResultError(f'asks for the figure "{unknown[0]}"; known are {", ".join(plot.KINDS)}')
    wanted += [row.name for row in of_reports() if row.name not in wanted]
    for name in wanted:
        try:
            yield name, plot.KINDS[name].caption, plot.figure(name, result, look=look)
        except ResultError:
            continue  # the file has no data for it


def page(result, look="screen"):
    """The page as text."""
    drawn = (
        "".join(figure(name, caption, fig, look) for name, caption, fig in figures(result, look))
        or "<p>The file holds nothing to draw yet.</p>"
    )
    summary = (
        listing([words.state(result), *words.warnings(result)]) + orders(result) + verdicts(result) + listing(words.others(result))
    )
    parts = [
        ("summary", "Summary", summary),
        ("causes", "Where drifts come from", causes(result)),
        ("figures", "Figures", drawn),
        ("results", "Results", table(result)),
        ("failures", "Failures", failures(result)),
        ("study", "What was run", study(result)),
        ("provenance", "Provenance", provenance(result)),
    ]
    parts = [p for p in parts if p[2]]
    css = (pathlib.Path(__file__).parent / "page.css").read_text(encoding="utf-8")
    warning = (
        ""
        if result.complete
        else f'<p class="warning">{escape(words.state(result))} What follows holds only what is there.</p>\n'
    )
    links = "".join(f'<a href="#{name}">{escape(heading)}</a>' for name, heading, _ in parts)
    meta = '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
    head = (
        f"<!DOCTYPE html>\n"
        f'<html lang="en"><head>{meta}\n'
        f"<title>{escape(result.title)}</title>\n"
        f"<style>\n"
        f"{css}</style></head>\n"
    )
    body = (
        f"<body>\n"
        f'<header><h1>{escape(result.title)}</h1><p class="lead">{escape(lead(result))}</p>\n'
        f"{warning}<nav>{links}</nav></header>\n"
    )
    script = (pathlib.Path(__file__).parent / "page.js").read_text(encoding="utf-8")
    end = f"<script>\n{script}</script></body></html>\n"
    return head + body + "".join(section(*p) for p in parts) + end
