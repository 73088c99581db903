"""told.py: a choice as text, Markdown, a page, and a figure."""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

import base64
import html
import io
import pathlib
from typing import TYPE_CHECKING, Any

from . import limits
from .candidates import NOT_TRIED

if TYPE_CHECKING:
    from .choice import Record


def number(x: Any, digits: int = 3) -> str:
    return "-" if x is None else f"{x:.{digits}g}"


def step(x: Any) -> str:
    return "-" if x is None else repr(float(f"{x:.15g}"))


def aligned(rows: list[list[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows)]
    return "".join("  ".join(cell.ljust(w) for cell, w in zip(row, widths)).rstrip() + "\n" for row in rows)


def spent(record: Record) -> str:
    """In seconds of the processor."""
    a = record.answer
    return f"{a['units']['used'] + a['spent']:.3g} s of computing planned, of {record.asked['budget']:g}"


def head(record: Record) -> list[list[str]]:
    a, asked = record.answer, record.asked
    name = asked["system"] if isinstance(asked["system"], str) else asked["system"].get("file", asked["system"].get("name"))
    spread = ", ".join(f"{k} +- {x:g}" for k, x in a["starts"].get("spread", {}).items()) if isinstance(a["starts"].get("spread"), dict) else ""
    held = "the same again, since a table of starts is given" if a["fixed"] else f"{a['confirmed_by']} others confirm"
    return [
        ["goal", f"{asked['goal']}, on {name}" + ("" if "until" in asked["goal"] else f", until {a['until']:g}")],
        ["starts", f"{asked['members']}" + (f" around {a['starts'].get('around', 'the start')}, {spread}" if spread else "") + f"; {held}"],
        ["tried", f"{len(a['methods'])} methods in {len(a['rounds'])} heats; {spent(record)}"],
        ["costs", "of compiled steps, as in long studies" if a["compiled"] else f"of general code, since the budget is too short to compile: long studies, whose steps are compiled, may have another order of methods; a budget of {a['compiled_from']:g} s suffices"],
    ]  # fmt: skip


def table(record: Record) -> list[list[str]]:
    rows = [["method", "step", "tolerance", "cost", "times", "of allowed", "verdict"]]
    for e in record.answer["methods"]:
        if e["cost"] is not None and (not e["lost"] or "times the cheapest" in e["lost"]):
            rows.append([e["method"], step(e["step"]), number(e["tolerance"]), number(e["cost"]) + " s", number(e["times"]), number(e["share"], 2), e["verdict"]])
    return rows


def against(record: Record) -> list[list[str]]:
    found = []
    for b in record.answer["baselines"]:
        if b["cost"] is not None:
            said = f"at step {step(b['step'])}: {number(b['times'])} times the cost"
        else:
            said = f"fails: {b['lost']}"
            if b.get("promised_times") is not None and b["promised_times"] == b["promised_times"] and "promises" not in said:
                said += f"; its order promises the goal at a step of {number(b['promised_step'], 2)}, {number(b['promised_times'])} times the cost"
        found.append(["baseline", f"{b['method']} {said}"])
    return found


def explained(record: Record) -> list[list[str]]:
    a = record.answer
    rows = [[e["method"], e["lost"] or f"not refuted, at {number(e['times'])} times the cost: {e['why']}"] for e in a["methods"] if not a["recommended"] or e["method"] != a["recommended"]["method"]]
    rows += [[m, "fails from the start, at small steps too"] for m in a["failing"]]
    return rows + [[m, why if "budget" in why else f"does not fit: {why}"] for m, why in a["refused"].items()]


def pareto(record: Record) -> list[list[str]]:
    rows = [["front", "step", "tolerance", "cost", "of allowed", "verdict"]]
    for c in (c for c in record.answer["front"] if c["share"] <= 1000):
        rows.append([c["method"], step(c["step"]), number(c["tolerance"]), number(c["cost"]) + " s", number(c["share"], 2), c["verdict"]])
    return rows


def unshown(record: Record) -> str:
    """The budget ended before the goal was shown to be met."""
    a, x = record.answer, record.answer["limit"]
    heat = a["rounds"][-1] if a["rounds"] else None
    end = f"it ended with {heat['round']}, until {heat['horizon']:g} from {heat['members']} starts" if heat else "nothing was run"
    shown = "confirmed, but not over the horizon" if a["horizon"] else "not confirmed from other starts"
    said = f"best so far: {x['method']}, step {step(x['step'])}; {shown}: {x['why']}\n" if x["method"] else ""
    return f"{said}limit: {limits.SAID['budget']}; {end}\n"


def last(record: Record) -> str:
    a = record.answer
    if a["recommended"]:
        return f"recommended: {a['recommended']['method']}, step {step(a['recommended']['step'])}\n"
    x = a["limit"]
    if x["word"] == "budget":
        return unshown(record)
    out = sum("beyond the budget" in e["lost"] for e in a["methods"])
    known = f"nothing meets the goal of what the budget allows, which leaves out {out} methods or their smaller steps" if out else "nothing meets the goal"
    said = f"{known}; the best is {x['method']}" if x["method"] else known
    if x.get("step"):
        said += f", step {step(x['step'])}: {x['why']}"
    said += f"\nlimit: {limits.SAID[x['word']]}"
    if x["word"] == "truncation":
        said += f"; order {x['order']:.2g} promises the goal at a step of {x['promised_step']:.2g}, {x['seconds']:.2g} s a trajectory"
    return said + "\n"


def notes(record: Record) -> list[list[str]]:
    a = record.answer
    rows = []
    if a["recommended"]:
        from .choice import solver

        r = a["recommended"]
        rows.append(["shown", f"{r['why']}; {number(r['share'], 2)} of what is allowed, until {a['horizon']:g} of {a['until']:g}"])
        rows.append(["solver", solver(r["tolerance"])])
        others = [e for e in a["methods"][1:] if e["cost"] is not None]
        if others:
            second = min(others, key=lambda e: e["cost"])
            rows.append(["runner-up", f"{second['method']}, step {step(second['step'])}: {number(second['times'])} times the cost"])
    rows += against(record)
    if a["recommended"] and record.asked["goal"].split()[0] == "energy" and "position" not in record.asked["goal"] and r["step"] > a["time"] / 16:
        rows.append(["beware", f"the goal says nothing of positions: {a['time'] / r['step']:.2g} steps are taken in the shortest time of the motion, {a['time']:g}"])
    rows.append(["not tried", f"{NOT_TRIED}; {len(a['refused'])} methods do not fit the system or the budget" if record.asked["methods"] is None else "other methods than those of --methods"])
    return rows + [["overturns", x] for x in a.get("overturn", [])]


def text(record: Record, explain: bool) -> str:
    said = aligned(head(record)) + "\n"
    if len(table(record)) > 1:
        said += aligned(table(record)) + "\n"
    said += aligned(pareto(record)) + "\n" if len(record.answer["front"]) > 1 else ""
    if explain:
        said += "why the others lost\n" + aligned([["  " + a, b] for a, b in explained(record)]) + "\n"
    return said + aligned(notes(record)) + last(record)


# ---- other forms


def figure(record: Record) -> Any:
    """Cost against the share of what is allowed, of the newest heat of each method."""
    from matplotlib.figure import Figure

    fig = Figure(figsize=(7.5, 5), layout="constrained")
    axes = fig.add_subplot()
    newest: dict[str, list[dict[str, Any]]] = {}
    for heat in record.answer["rounds"]:
        for c in heat["cases"]:
            if c["cost"] and c["share"]:
                newest.setdefault(c["method"], []) if c["method"] in newest and newest[c["method"]][0]["at"] == heat["round"] else newest.update({c["method"]: []})
                newest[c["method"]].append({**c, "at": heat["round"]})
    order = [e["method"] for e in record.answer["methods"] if e["method"] in newest]
    for k, method in enumerate(order):
        points = sorted(newest[method], key=lambda c: c["cost"])
        colour = f"C{k}" if k < 8 else "0.8"
        axes.plot([c["cost"] for c in points], [c["share"] for c in points], "o-", ms=4 if k else 6, lw=1, color=colour, label=method if k < 8 else None, zorder=2 - (k >= 8))
    axes.axhline(1, color="0.3", lw=1, ls="--")
    axes.set(xscale="log", yscale="log", xlabel="cost of a trajectory, s", ylabel="measured over allowed", title=record.asked["goal"])
    best = record.answer["recommended"]
    if best:
        axes.plot([best["cost"]], [best["share"] or 1e-3], "*", ms=16, mfc="none", color="k", zorder=3)
    axes.legend(fontsize=7)
    return fig


def drawn(record: Record, form: str) -> bytes:
    stream = io.BytesIO()
    import matplotlib

    with matplotlib.rc_context({"svg.hashsalt": "constella", "font.size": 9}):
        figure(record).savefig(stream, format=form, dpi=150, metadata={"Date": None} if form == "svg" else {"CreationDate": None} if form == "pdf" else None)
    return stream.getvalue()


def markdown_table(rows: list[list[str]]) -> str:
    return "".join("| " + " | ".join(r) + " |\n" + ("|" + " --- |" * len(r) + "\n" if k == 0 else "") for k, r in enumerate(rows))


def markdown(record: Record) -> str:
    parts = [f"# {record.asked['goal']}\n", f"**{last(record).strip()}**\n", markdown_table([["", ""], *head(record), *notes(record)])]
    parts += [markdown_table(table(record)), markdown_table(pareto(record)), markdown_table([["method", "why it lost"], *explained(record)])]
    return "\n".join(parts)


def html_table(rows: list[list[str]], headed: bool) -> str:
    cells = [(("th" if headed and k == 0 else "td"), r) for k, r in enumerate(rows)]
    return "<table>" + "".join("<tr>" + "".join(f"<{t}>{html.escape(c)}</{t}>" for c in r) + "</tr>" for t, r in cells) + "</table>"


def page(record: Record) -> str:
    css = (pathlib.Path(__file__).parents[1] / "page.css").read_text()
    picture = base64.b64encode(drawn(record, "png")).decode()
    said = html.escape(record.asked["goal"])
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>{said}</title><style>{css} img{{max-width:100%}} table{{margin:1em 0}}</style><body><main><h1>{said}</h1>"
        f"<p><b>{html.escape(last(record).strip())}</b></p>{html_table(head(record) + notes(record), False)}"
        f'<img alt="cost against the share of what is allowed" src="data:image/png;base64,{picture}">'
        f"<h2>Methods</h2>{html_table(table(record), True)}<h2>Front</h2>{html_table(pareto(record), True)}"
        f"<h2>Why the others lost</h2>{html_table([['method', 'why'], *explained(record)], True)}</main></body></html>\n"
    )


FORMS: dict[str, Any] = {".json": None, ".html": page, ".md": markdown}
