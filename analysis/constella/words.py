"""words.py: sentences on a result: orders, verdicts, constraints. It selects and words; all conclusions are
in the file."""
# SPDX-License-Identifier: BSD-2-Clause
import numpy as np

VERDICTS = {
    "exact": "conserved up to round-off",
    "bounded": "bounded error, no drift",
    "random-walk": "grows like a random walk, as the square root of time",
    "linear": "drifts linearly in time",
    "quadratic": "drifts as the square of time",
    "exponential": "grows exponentially",
    "linear (round-off)": "drifts linearly in time, at the level of round-off",
    "drifts": "drifts: the change is significant, its law is not told",
    "settled": "changed, and then stayed: the change is over, its size is in the table",
    "escaped": "members left for good: the run says nothing about long times",
    "failed": "members failed: the others do not make a verdict",
    "undecided": "undecided: the run does not tell growth from none",
    "frozen": "frozen: nothing moved, so this says nothing about conservation",
}
FLAGS = {
    "pre-asymptotic": "no sound order: the steps are not small enough, or the local slopes do not agree",
    "plateau": "no sound order: the errors are at round-off or at another floor",
    "too-few": "no sound order: fewer than three usable steps",
    "no-reference": "no sound order: the reference of some members is not finite",
}
DOUBTED = {  # an order is fitted, and ...
    "returns": "order {} at a return to the start, which says little of the order elsewhere",
    "contradicts": "order {}, which is not what the method claims",
}
MARKS = {  # colours of verdicts, from good to bad
    "exact": "#1b7837", "bounded": "#7fbf7b", "frozen": "#cccccc", "undecided": "#f0f0f0", "random-walk": "#fee08b", "linear (round-off)": "#fdd49e",
    "drifts": "#fdbb84", "settled": "#d9a3c9", "linear": "#fc8d59", "quadratic": "#e34a33", "exponential": "#b30000", "escaped": "#9e9ac8", "failed": "#6a51a3",
}  # fmt: skip
LETTERS = {  # in cells that are too narrow for the word
    "exact": "=", "bounded": "b", "frozen": "0", "undecided": "?", "random-walk": "w", "linear (round-off)": "r",
    "linear": "l", "quadratic": "q", "exponential": "e", "drifts": "d", "settled": "s", "escaped": "x", "failed": "f",
}  # fmt: skip
SYMBOLS = {"lambda": "λ"}
UNKEPT = 0.1  # part of its scale by which an undecided quantity has changed noticeably
WARNINGS = (  # attributes of /run with what the run has warned of, as src/study/run/run-study.c lists them
    "reference_step", "not_compiled", "other_build", "rows_left_out",
    "reference_again", "energy_changed", "rank_lost", "passed_singular",
)  # fmt: skip


def summary(result):
    """Sentences, each a plain text, on the columns of the table."""
    return warnings(result) + orders(result) + verdicts(result) + others(result)


def warnings(result):
    """What the run has warned of, in its words."""
    said = [result.attribute("/run", name) for name in WARNINGS]
    return [f"Warning: {text}" for text in said if text]


def others(result):
    """The sentences that are in no matrix."""
    return renamed(result) + undefined(result) + unkept(result) + spreads(result) + averages(result) + constraints(result)


def joined(words):
    words = list(words)
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]


# ---- order


def interval(result, case, part):
    order, low, high = (result.told(role, part)[case] for role in ("order", "order-low", "order-high"))
    return (
        f"{order:.2f} ({low:.2f} to {high:.2f})" if np.isfinite(low) and np.isfinite(high) else f"{order:.2f}"
    )


def order_of(result, curve):
    """'order 2.00 (1.98 to 2.02) in q, ...', or why there is none; parts with the same words are named
    together."""
    said: dict = {}
    case = curve.cases[0]
    for part in result.quantities("order"):
        flag = result.said("flag", part)[case]
        if part != "total" and flag and np.isfinite(result.told("error", part)[curve.cases]).any():
            words = FLAGS.get(flag, "order {}" if flag == "ok" else DOUBTED.get(flag, flag))
            said.setdefault(words.format(interval(result, case, part)), []).append(SYMBOLS.get(part, part))
    return "; ".join(f"{words}, in {joined(names)}" for words, names in said.items())


def order_cell(result, curve, part):
    """The order with its flag where that is not ok, for a matrix."""
    case = curve.cases[0]
    order, flag = result.told("order", part)[case], result.said("flag", part)[case]
    return f"{order:.2f}" if flag == "ok" else f"{flag} ({order:.2f})" if np.isfinite(order) else flag


def orders(result):
    said = [(c.label, order_of(result, c)) for c in result.curves()]
    return [f"{label}: {words}." for label, words in said if words]


# ---- conservation


def verdict_groups(result, name):
    """{verdict on a quantity: [label, ...]}; a curve whose steps disagree is named with its steps."""
    groups: dict = {}
    verdict = result.said("verdict", name)
    for c in result.curves():
        for word in dict.fromkeys(verdict[c.cases]):
            mine = [f"{result.nominal[k]:.4g}" for k in c.cases if verdict[k] == word]
            note = "" if len(mine) == len(c.cases) else f" (step {', '.join(mine)})"
            groups.setdefault(word, []).append(c.label + note)
    groups.pop("", None)
    return groups


def verdicts(result):
    out = []
    judged = result.quantities("verdict")
    for name in sorted(judged, key=lambda n: n not in result.drifting):
        groups = verdict_groups(result, name)
        for word in sorted(groups, key=lambda w: list(VERDICTS).index(w) if w in VERDICTS else len(VERDICTS)):
            out.append(f"{name}, {VERDICTS.get(word, word)}: {'; '.join(groups[word])}.")
    return out


# ---- ensembles


def spread_of(result, curve, name):
    """Median and quantiles at the finest step that has them."""
    middle = result.told("q50", name)
    cases = [c for c in curve.cases if np.isfinite(middle[c])]
    if not cases:
        return ""
    low, high = result.told("q05", name)[cases[-1]], result.told("q95", name)[cases[-1]]
    return f"{curve.label} {middle[cases[-1]]:.4g} ({low:.4g} to {high:.4g})"


def undefined(result):
    """Of which observables the columns leave out members that did not fail."""
    said = result.said("undefined")
    found = [case for case in result.chosen if said[case]]
    if not found:
        return []
    return [
        f"Observables are not a number along trajectories that did not fail, in {len(found)} of "
        f"{len(result.chosen)} cases, first {said[found[0]]}. Statistics of the values at the end "
        "leave out members without a value there; maxima and averages over time leave out all of them."
    ]


def renamed(result):
    """Of a result of an earlier program: where NAME_max is the largest change of an expression."""
    study, out = result.attribute("/", "study"), []
    for name, use in result.uses.items():
        of = use["of"]
        text = result.attribute(f"/observables/{of}", "long_name")
        if use["role"] == "largest" and name == f"{of}_max" and (f"{of}: {text}" in study or of == text and f"- {text}\n" in study):
            out.append(name)
    if not out:
        return []
    return [f"An earlier program made this file: {joined(out)} {'are' if out[1:] else 'is'} the largest |x - x(0)|, which is NAME_change now, not the largest value."]


def unkept(result):
    """What is undecided, and at the end far from its start."""
    out = []
    for name in result.quantities("end-change"):
        verdict, change = result.said("verdict", name), result.told("end-change", name)
        said = [
            f"{change[k]:.2g} with {c.label}, step {result.nominal[k]:.4g}"
            for c in result.curves()
            for k in c.cases
            if verdict[k] == "undecided" and change[k] >= UNKEPT
        ]
        if said:
            out.append(f"{name} is undecided, and at the end off its start by a part of its scale: {'; '.join(said)}.")
    return out


def spreads(result):
    out = []
    told = result.quantities("q50")
    for name in sorted(told, key=lambda n: n not in result.drifting):
        said = [s for s in (spread_of(result, c, name) for c in result.curves()) if s]
        if said:
            out.append(
                f"{name} at the end, median (5 to 95 % of the members), finest step: {'; '.join(said)}."
            )
    return out


# ---- averages over time


def average_of(result, curve, name):
    """Mean and error at the finest step."""
    mean, error = result.told("average", name), result.told("average-error", name)
    cases = [c for c in curve.cases if np.isfinite(mean[c])]
    if not cases:
        return ""
    known = f" ± {error[cases[-1]]:.2g}" if np.isfinite(error[cases[-1]]) else ", error unknown"
    return f"{curve.label} {mean[cases[-1]]:.6g}{known}"


def averages(result):
    out = []
    for name in result.quantities("average"):
        said = [s for s in (average_of(result, c, name) for c in result.curves()) if s]
        if said:
            out.append(f"{name}, mean over time and members, finest step: {'; '.join(said)}.")
    return out


# ---- every kind


def constraints(result):
    """Best and worst method for each of the two scaled constraints."""
    out = []
    for name, what in (
        ("constraint_scaled", "constraints |g|"),
        ("hidden_scaled", "hidden constraints |G v|"),
    ):
        x = result.told("largest", name)
        worst = {c.label: np.nanmax(x[c.cases]) for c in result.curves() if np.isfinite(x[c.cases]).any()}
        if worst:
            best, last = min(worst, key=lambda k: worst[k]), max(worst, key=lambda k: worst[k])
            tail = f", {worst[last]:.2g} at worst ({last})" if worst[last] > worst[best] else ""
            out.append(f"Scaled {what} over the whole run: {worst[best]:.2g} at best ({best}){tail}.")
    return out


def state(result):
    """The state of the run and of its trajectories."""
    total, done, failed = result.counts()
    written = result.attribute("/run", "state")
    tail = f", {failed} of them failed" if failed else ""
    tail += f", {result.stopped()} ended by an event" if result.stopped() else ""
    part = result.attribute("/", "part")
    if part:
        return f"This is part {part} of a study: {done} of its {total} trajectories are done here{tail}."
    words = {
        "complete": "The run is complete",
        "running": "The run was still going when this was written, or was killed",
    }
    head = words.get(written, f"The run was {written}")
    return f"{head}: {done} of {total} trajectories are done{tail}."


def failures(result):
    """(case, reason, members) for every selected case and reason."""
    out, status, unreferred, reasons = [], result.status, result.unreferred, result.reasons
    failing = result.failing
    failed = failing.any(axis=1) | unreferred.any(axis=1)
    for case in result.chosen[failed[result.chosen]]:
        for code in sorted({int(s) for s in status[case][failing[case]]}):
            reason = reasons.get(code, f"reason {code}")
            out.append((int(case), reason, np.flatnonzero(status[case] == code)))
        if unreferred[case].any():
            out.append((int(case), "no finite reference", np.flatnonzero(unreferred[case])))
    return out


def members_text(members):
    shown = ", ".join(str(m) for m in members[:10])
    return shown + (f" and {len(members) - 10} more" if len(members) > 10 else "")


def failure_sentences(result):
    """A sentence for every case and reason."""
    out = []
    for case, reason, members in failures(result):
        curve = result.curve_of(case)
        who = f"{curve.label if curve else f'case {case}'}, step {result.nominal[case]:.4g}"
        out.append(
            f"{who}: {reason}: {len(members)} of {result.status.shape[1]} trajectories (members "
            f"{members_text(members)})."
        )
    return out


# ---- verdicts, methods down, sets across


def sets(result):
    """[(words, [case of each method or None])]: the sets of parameters, tolerance, start and step that are
    run with every method."""
    curves = result.curves()
    methods = list(dict.fromkeys(c.method for c in curves))
    several = len(result.steps_written()) > 1
    found: dict = {}
    for c in curves:
        for case in c.cases:
            step = f"h = {result.nominal[case]:.4g}" if several or not c.variant else ""
            name = ", ".join(filter(None, [c.variant, step]))
            found.setdefault(name, [None] * len(methods))[methods.index(c.method)] = int(case)
    return methods, found


def verdict_matrix(result, name):
    """{method: {set: verdict}} of a quantity; '' where a study has no such case."""
    verdict = result.said("verdict", name)
    methods, found = sets(result)
    return {
        m: {s: str(verdict[cases[i]]) if cases[i] is not None else "" for s, cases in found.items()}
        for i, m in enumerate(methods)
    }
