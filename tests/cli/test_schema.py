"""test_schema.py: the rows of the keys of a study, as `constella show study --json` hands them out, against what reads
them: bounds are accepted and what is beyond them is refused by name, every wrong type is refused at its place, and a
default that is written out changes the canonical text alone."""
# SPDX-License-Identifier: BSD-2-Clause
import collections
import functools
import json
import re
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

import h5py

from bases import BASES, files, study
from cli import constella, differences, digests, done, ok, path, together, write

# What a value that only a study bounds is bounded by in the examples.
UNTIL = {"the dimension of T*Q": 2, "the number of members": 1}
# At these bounds a value is refused for what it has to do with others, in these words; None: it is not tried, as it takes
# more memory than there is.
RELATIONS = {
    ("ranks-per-trajectory", "high"): "'ranks-per-trajectory' is 1024, which is not possible",
    ("initial.case", "high"): "has no case 10000000",
    ("initial.members", "high"): None,
    ("initial.spread.q", "low"): "'spread' is zero, so all 8 members would be equal",
    ("initial.spread.v", "low"): "'spread' is zero, so all 8 members would be equal",
    ("steps.halvings", "high"): "the step is .*; it needs .* steps to the end 2",
    ("range.count", "low"): "for one value 'from' and 'to' must be equal",
    ("autocorrelation.lags", "high"): "with 4096 lags it takes at least 4129",
    ("mean-square-displacement.lags", "high"): "with 4096 lags it takes at least 4129",
}
# Lines beside which a default has no effect of its own; and examples of values that may be 0, or false.
BESIDE = {"burn-in": ["averages: {weight: none}"], "averages.weight": ["burn-in: 0.1"]}
EXAMPLES = {
    "initial.project": "initial: {q: [0, -1], v: [1, 0], project: true}",
    "initial.spread.q": "initial: {members: 8, spread: {q: 0.1, v: 0.2}}",
    "initial.spread.v": "initial: {members: 8, spread: {q: 0.1, v: 0.2}}",
}
NUMBERS = ("number", "integer", "seed")


def rows():
    """Those with a type; of a kind of study with the line that asks for it."""
    found = [(row, []) for row in json.loads(constella("show", "study", "--json").stdout)]
    kind = json.loads(constella("show", "work-precision", "--json").stdout)
    return [x for x in found + [(row, ["study: work-precision"]) for row in kind] if x[0]["type"]]


ROWS = rows()


def end_of(text, at):
    """Where the value that begins at `at` of a line ends: at a comma, or with its map."""
    depth, quote = 0, ""
    for i in range(at, len(text)):
        c = text[i]
        if quote:
            quote = "" if c == quote else quote
        elif c == '"':
            quote = c
        elif c in "[{":
            depth += 1
        elif c in "]},":
            if depth == 0:
                return i
            depth -= c != ","
    return len(text)


def place(row):
    """Where the value of the key is in its example: the last of that name, if it is one of a map."""
    key = row["path"].rpartition(".")[2]
    inside = row["path"] != key
    at = [m.end() for m in re.finditer(rf"(?<![\w-]){re.escape(key)}: ", row["example"])]
    at = [x for x in at if bool(row["example"].find("{", 0, x) >= 0) == inside]
    return at[-1], end_of(row["example"], at[-1])


def with_value(row, value):
    begin, end = place(row)
    return row["example"][:begin] + value + row["example"][end:]


def without(row):
    """The example without the key; none if nothing is left."""
    key = row["path"].rpartition(".")[2]
    begin, end = place(row)
    if row["path"] == key:
        return []
    head, tail = row["example"][: begin - len(key) - 2], row["example"][end:]
    line = head.removesuffix(", ") + tail if head.endswith(", ") else head + tail.removeprefix(", ")
    return [] if re.search(r": (\{\}|\[\{\}\])$", line) else [line]


def item(row, value):
    return f"[{value}]" if row["list"] else value


def checked(name, base, lines):
    """Status and messages, with their places, of a study with these lines."""
    file = write(f"{re.sub(r'[^a-z0-9]+', '-', name)}.yaml", study(base, *lines))
    process = constella("check", file)
    told = re.findall(rf"^{re.escape(file)}:(\d+):(\d+): error: (.*)$", process.stderr, re.M)
    return process.returncode, [(int(line), int(column), text) for line, column, text in told]


def base_of(row, more):
    """The first base that takes the example."""
    for base in BASES:
        if checked(f"base-{row['path']}", base, [*more, row["example"]])[0] == 0:
            return base
    return None


def refused(row, base, more, value, words, name):
    """The value is refused at its place, once, with these words."""
    changed = with_value(row, value)
    at = (study(base, *more, changed).splitlines().index(changed) + 1, place(row)[0] + 1)
    status, told = checked(f"{row['path']}-{name}", base, [*more, changed])
    there = [t for line, column, t in told if line == at[0] and at[1] <= column <= at[1] + 2]
    good = status == 2 and any(all(re.search(w, t) for w in words) for t in there)
    return [] if good else [f"{row['path']}: {value} ({name}): wanted {words} at {at}: {told}"]


def accepted(row, base, more, value, end):
    words = RELATIONS.get((row["path"], end), "")
    if words is None:
        return []
    status, told = checked(f"{row['path']}-{end}", base, [*more, with_value(row, value)])
    if status == 0:
        return [f"{row['path']}: {end}: is accepted, so nothing else refuses it"] if words else []
    if words and told and all(re.search(words, text) for _, _, text in told):
        return []
    return [f"{row['path']}: {value} is its bound ({end}), and refused: {told}"]


def shown(x):
    return repr(int(x)) if x == int(x) else repr(x)


def bound(row, base, more, end):
    """The value at a bound, and the next one beyond it."""
    x, low = row[end], end == "low"
    if row["until"] and not low:
        x = UNTIL[row["until"]]
    if x is None:
        return []
    whole = row["type"] != "number"
    beyond = x + (-1 if low else 1) if whole else x + (-1 if low else 1) * 1e-9 * max(1, abs(x))
    names = [f"positive|above {shown(x)}" if low and row["above"] else f" {re.escape(shown(x))}"]
    if row["above" if low else "below"]:
        return refused(row, base, more, item(row, shown(x)), names, end)
    return refused(row, base, more, item(row, shown(beyond)), names, end) + accepted(row, base, more, item(row, shown(x)), end)


def entries(row, base, more):
    """A list, or the list that may stand for a value, of one entry too many, and a name of a letter too many."""
    if row["type"] == "name":
        word = row["in_words"].rpartition(" ")[2]
        long = "a" + "b" * int(word)
        return refused(row, base, more, long, [word], "long") + accepted(row, base, more, long[1:], "long")
    if not row["entries"]:
        return []
    many = [shown(row["high"] or 1) + f"/{k + 1}" for k in range(row["entries"] + 1)]
    return refused(row, base, more, f"[{', '.join(many)}]", [f"at most {row['entries']} are allowed"], "many") + accepted(
        row, base, more, f"[{', '.join(many[1:])}]", "many"
    )


def wrong(row):
    """Values of other types, with the words of their refusals."""
    kind, key = row["type"], row["path"].rpartition(".")[2]
    if not row["list"] and not row["also"]:
        yield "a list", "[1, 2]", ["a list"]
    if not row["also"]:
        yield "a map", "{a: 1}", ["a map"]
    if kind in ("number", "integer"):
        yield "a word", item(row, "nonsense"), ["nonsense"]
    if kind == "integer":
        yield "no integer", item(row, "1.5"), ["is 1.5", "whole number" if row["path"] == "range.count" else "an integer"]
    if kind == "name":
        yield "a figure first", "1x", [f"'1x' cannot name an? .*; allowed: {re.escape(row['in_words'][6:])}"]
    if kind == "seed":
        yield "a word", "nonsense", [f"'{key}' is 'nonsense'", "an integer from 0"]
        yield "a fraction", "1.5", [f"'{key}' is '1.5'"]
        yield "a sign", "+1", [f"'{key}' is '\\+1'"]
    if kind in ("flag", "choice"):
        yield "another word", item(row, "nonsense"), [f"unknown {key} 'nonsense'", *(row["words"] or ["true"])]


def types_and_bounds(row, more):
    base = base_of(row, more)
    if base is None:
        return [f"{row['path']}: no base takes its example"]
    told = []
    for name, value, words in wrong(row):
        told += refused(row, base, more, value, words, name)
    if row["type"] in NUMBERS:
        told += bound(row, base, more, "low") + bound(row, base, more, "high")
    return told + entries(row, base, more)


@functools.cache
def ran(text):
    """The digests of the result of this study, and the lines of its canonical text."""
    name = f"run-{abs(hash(text))}"
    process = constella("run", write(f"{name}.yaml", text), "-o", path(f"{name}.h5"))
    if process.returncode:
        return process.stderr, collections.Counter()
    with h5py.File(path(f"{name}.h5")) as f:
        lines = f.attrs["study"].splitlines()
    return digests(path(f"{name}.h5")), collections.Counter(line.lstrip(" -") for line in lines)


def default(row, more):
    """The result is the same with the default written out, and the canonical text has that more."""
    base, more = base_of(row, more), more + BESIDE.get(row["path"], [])
    if base is None:
        return [f"{row['path']}: no base takes its example"]
    row = {**row, "example": EXAMPLES.get(row["path"], row["example"])}
    line = with_value(row, row["default"])
    (a, written), (b, silent) = (ran(study(base, *more, *x)) for x in ([line], without(row)))
    if isinstance(a, str) or isinstance(b, str):
        return [f"{row['path']}: {row['default']}: {a if isinstance(a, str) else b}"]
    keys = {*row["path"].split("."), *row["default"].strip("[]").split(", ")}
    others = [x for x in written - silent if x.partition(":")[0] not in keys] + list(silent - written)
    differ = [x for x in differences(a, b) if x not in ("/@study", "/@study_sha256")]
    return [f"{row['path']}: {row['default']}: {differ} {others}"] if differ or others else []


def told(function, of):
    return [text for row, more in of for text in function(row, more)]


def bounds():
    lines = told(types_and_bounds, ROWS)
    ok(not lines, f"{len(ROWS)} rows with types: bounds, what is beyond them, and other types", *lines)


def defaults():
    of = [(row, more) for row, more in ROWS if row["default"] and not row["rule"]]
    lines = told(default, of)
    ok(len(of) > 30 and not lines, f"{len(of)} defaults that are written out change no result", *lines)


files()
together([bounds, defaults])
done()
