"""page.py: a certificate as text, Markdown, LaTeX, HTML without a network, and as a badge."""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

import html

from .certificate import NUMBERS, PROPERTIES, Certificate
from .figures import figure
from .property import CONFIRMED, OPEN, REFUTED

MARK = {CONFIRMED: "yes", REFUTED: "NO", OPEN: "?"}
COLOUR = {CONFIRMED: "#1b7837", REFUTED: "#b30000", OPEN: "#767676"}
DOCS = {claim: p.doc for p in PROPERTIES for claim in p.claims}


def claim_text(claim: str, claimed: float) -> str:
    return f"{claim} = {claimed:g}" if claim in NUMBERS else claim


def rows(c: Certificate) -> list[tuple[str, str, str, str]]:
    """(method, claim, verdict, what was found)"""
    out = []
    for method in c.methods:
        for claim in c.claims(method):
            judged = c.of(method, claim)
            out.append((method, claim_text(claim, c.claimed(method, claim)), judged.verdict, judged.said))
    return out


def text(c: Certificate) -> str:
    lines = []
    for method in c.methods:
        lines.append(method)
        mine = [r for r in rows(c) if r[0] == method]
        lines += [f"  {claim:<16} {verdict:<12} {said}" for _, claim, verdict, said in mine] or ["  claims nothing that is measured"]
    lines += [f"{m} was not measured on {', '.join(systems)}: {why}" for (m, why), systems in left(c).items()]
    n = len(c.refuted)
    lines.append("no claim is refuted" if not n else f"{n} claim{'s' * (n > 1)} refuted")
    return "\n".join(lines) + "\n"


def lines(c: Certificate) -> str:
    """A line for each method, which `constella show METHOD` prints: its label, a tab, what was found."""
    out = []
    for method in c.methods:
        verdicts = [c.of(method, claim).verdict for claim in c.claims(method)]
        systems = len({x.system for x in c.cells if x.method == method})
        found = ", ".join(f"{verdicts.count(v)} {v}" for v in (CONFIRMED, OPEN, REFUTED) if v in verdicts)
        if found:
            out.append(f"{method}\tof its claims {found}, on {systems} system{'s' * (systems > 1)} (`constella certify`)\n")
    return "".join(out)


def left(c: Certificate) -> dict[tuple[str, str], list[str]]:
    """{(method, why): the systems that it does not fit}"""
    found: dict[tuple[str, str], list[str]] = {}
    for method, system, why in c.left:
        found.setdefault((method, why.replace(system, "it")), []).append(system)
    return found


def columns(c: Certificate) -> list[str]:
    """The claims that any method makes, in the order of the properties."""
    made = {claim for m in c.methods for claim in c.claims(m)}
    return [claim for claim in DOCS if claim in made]


def mark(c: Certificate, method: str, claim: str) -> tuple[str, str]:
    """(verdict, text of the cell) in the matrix of methods and claims."""
    claimed = c.claimed(method, claim)
    if not claimed:
        return "", ""
    verdict = c.of(method, claim).verdict
    return verdict, f"{claimed:g} {MARK[verdict]}" if claim in NUMBERS else MARK[verdict]


def escaped(said: str) -> str:
    return said.replace("|", "\\|")


def markdown(c: Certificate) -> str:
    names = columns(c)
    out = ["| method | " + " | ".join(names) + " |", "|---" * (len(names) + 1) + "|"]
    out += [f"| `{escaped(m)}` | " + " | ".join(mark(c, m, n)[1] for n in names) + " |" for m in c.methods]
    out += ["", "| method | claim | verdict | measured |", "|---|---|---|---|"]
    out += [f"| `{escaped(m)}` | {claim} | {verdict} | {escaped(said)} |" for m, claim, verdict, said in rows(c)]
    return "\n".join(out) + "\n"


def latex(c: Certificate) -> str:
    from ..latex import text as tex

    names = columns(c)
    out = ["\\begin{tabular}{l" + "c" * len(names) + "}", "\\hline", "method & " + " & ".join(map(tex, names)) + " \\\\", "\\hline"]
    out += [f"{tex(m)} & " + " & ".join(mark(c, m, n)[1] for n in names) + " \\\\" for m in c.methods]
    return "\n".join([*out, "\\hline", "\\end{tabular}"]) + "\n"


def badge(c: Certificate) -> str:
    """An SVG of one line: how many claims are confirmed."""
    all_ = rows(c)
    good, bad = (sum(r[2] == v for r in all_) for v in (CONFIRMED, REFUTED))
    said = f"{bad} refuted" if bad else f"{good} of {len(all_)} confirmed"
    colour = COLOUR[REFUTED if bad else CONFIRMED if good else OPEN]
    width = 7 * len(said) + 20
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{88 + width}" height="20" role="img" aria-label="certified: {said}">'
        f'<title>certified: {said}</title><rect width="88" height="20" fill="#444"/><rect x="88" width="{width}" height="20" fill="{colour}"/>'
        f'<g fill="#fff" font-family="DejaVu Sans,Verdana,sans-serif" font-size="11"><text x="8" y="14">constella</text>'
        f'<text x="98" y="14">{said}</text></g></svg>\n'
    )


def linked(k: int, verdict: str, text: str) -> str:
    """A cell of the matrix, which leads to the figures of its method."""
    return f'<td class="{verdict}"><a href="#m{k}">{text}</a></td>' if text else "<td></td>"


def shown(study: str) -> str:
    """A study that can be opened."""
    return f"<details><summary>study</summary><pre>{html.escape(study)}</pre></details>" if study else ""


STYLE = (
    "body{font:15px/1.45 sans-serif;max-width:70em;margin:2em auto;padding:0 1em;color:#222}table{border-collapse:collapse;"
    "margin:1em 0;display:block;overflow-x:auto}td,th{border:1px solid #bbb;padding:.25em .6em;text-align:left;vertical-align:top}"
    "svg{max-width:100%;height:auto}.confirmed{color:#1b7837}.refuted{color:#b30000;font-weight:bold}.undecidable{color:#595959}td a{color:inherit}"
)


LEGEND = (
    "Figures: a panel for each property, a curve for each system; dotted: the floor below which a number says nothing; dashed: the "
    "limit, of the energy the drift that is not excluded at 95 %; grey: what is claimed, or powers with their exponents."
)


def page(c: Certificate) -> str:
    names, e = columns(c), html.escape
    head = "".join(f'<th scope="col" title="{e(DOCS[n])}">{e(n)}</th>' for n in names)
    lines = []
    for k, m in enumerate(c.methods):
        cells = "".join(linked(k, *mark(c, m, n)) for n in names)
        lines.append(f'<tr><th scope="row"><a href="#m{k}">{e(m)}</a></th>{cells}</tr>')
    parts = [
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>Certificate</title><style>{STYLE}</style></head><body><h1>What is claimed, and what is measured</h1>"
        f"<p>{e(c.made)}, {'quick' if c.quick else 'full'} measurement. {'No claim is' if not c.refuted else f'{len(c.refuted)} claims are'} refuted.</p><p>{LEGEND}</p>"
        f'<table><thead><tr><th scope="col">method</th>{head}</tr></thead><tbody>{"".join(lines)}</tbody></table>'
    ]
    for k, m in enumerate(c.methods):
        parts.append(f'<h2 id="m{k}">{e(m)}</h2>{figure(c, m)}<table><thead><tr>')
        parts.append("".join(f'<th scope="col">{w}</th>' for w in ("system", "property", "claimed", "verdict", "measured")))
        parts.append("</tr></thead><tbody>")
        for x in [x for x in c.cells if x.method == m]:
            claimed = "" if not x.claimed else f"{x.claimed:g}" if x.claim in NUMBERS else "yes"
            verdict = x.judged.verdict if x.claimed else ""
            parts.append(f'<tr><td>{e(x.system)}</td><td>{e(x.claim)}</td><td>{claimed}</td><td class="{verdict}">{verdict}</td><td>{e(x.judged.said)}{shown(x.study)}</td></tr>')
        parts.append("</tbody></table>")
        parts += [f"<p>Not measured on {e(', '.join(s))}: {e(why)}.</p>" for (of, why), s in left(c).items() if of == m]
    return "".join(parts) + "</body></html>\n"


FORMS = {".json": Certificate.as_json, ".html": page, ".md": markdown, ".tex": latex, ".svg": badge, ".txt": lines}
