#!/usr/bin/python3
"""test_same_results.py: the studies of tools/same-results.py, which shows that a change of the program changes no
result, have every kind of study, collector, method and folder of jobs. It reads them and runs none."""
# SPDX-License-Identifier: BSD-2-Clause
import functools
import glob
import importlib.util
import os
import re
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import done, ok

try:
    import yaml
except ImportError:
    print("1..0 # SKIP No module named 'yaml'")
    sys.exit(0)

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def tool():
    there = importlib.util.spec_from_file_location("same_results", os.path.join(ROOT, "tools", "same-results.py"))
    module = importlib.util.module_from_spec(there)
    there.loader.exec_module(module)
    return module


def rows(header, macro):
    """Names of the rows of a list."""
    with open(os.path.join(ROOT, "src", header)) as f:
        return [name.replace("_", "-") for name in re.findall(rf"^{macro}\((\w+)\)", f.read(), re.M)]


def observes(*names):
    return lambda s: any(x in names for x in s.get("observables", []))


def has(key):
    return lambda s: key in s


# When a study has a collector. `summary` is in every study, and `tangent` reads the key of others.
COLLECTORS = {
    "continue": lambda s: s.get("extensible") is True,
    "errors": has("reference"),
    "windows": lambda s: s["study"] == "conservation",
    "summary": lambda s: s["study"] not in ("certify", "choose"),
    "averages": lambda s: "averages" in s and s["study"] == "ensemble",
    "histograms": has("histograms"),
    "extremes": has("extremes"),
    "events": has("events"),
    "branches": lambda s: s.get("system") == "four-bar",
    "tangent": has("tangent"),
    "lyapunov": observes("lyapunov", "megno"),
    "two-form": observes("two-form", "volume"),
    "reversibility": observes("reversibility"),
    "momentum-balance": has("momentum-balance"),
    "frequencies": has("frequencies"),
    "autocorrelation": has("autocorrelation"),
    "mean-square-displacement": has("mean-square-displacement"),
    "shadow": observes("energy-shadow"),
    "series": lambda s: s.get("samples", {}).get("count", 0) > 0,
    "error-along": lambda s: observes("error")(s) and "reference" in s,
    "states": has("trajectories"),
    "stages": has("stages"),
}


load = functools.lru_cache(None)(yaml.safe_load)


def strings(thing):
    """The texts in lists and mappings; a tableau is the method `tableau`."""
    if isinstance(thing, dict):
        yield from ("tableau",) if "a" in thing and "b" in thing else ()
        for x in thing.values():
            yield from strings(x)
    elif isinstance(thing, list):
        for x in thing:
            yield from strings(x)
    else:
        yield str(thing)


def left_out(studies, names):
    """What no study of these texts has: kinds, collectors, methods."""
    parsed = [load(text) for text in studies]
    words = set()
    for s in parsed:
        for text in strings([s.get("methods"), s.get("layers")]):
            words.update(re.findall(r"(?<![\w-])[a-z][\w-]*", text))
    kinds, collectors, methods = names
    return (
        [x for x in kinds if x not in {s["study"] for s in parsed}]
        + [x for x in collectors if not any(COLLECTORS[x](s) for s in parsed)]
        + [x for x in methods if x not in words]
    )


same = tool()
texts = same.texts()
names = rows("study/rows/kinds.h", "KIND"), rows("study/rows/collectors.h", "COLLECTOR"), rows("method/list.h", "METHOD")
ok(all(len(x) > 5 for x in names), "the lists are read", names)
ok(set(names[1]) == set(COLLECTORS), "it is known when a study has a collector", set(names[1]) ^ set(COLLECTORS))
missing = left_out(texts.values(), names)
ok(not missing, "every kind of study, collector and method occurs", "none has", *missing)

# Without the studies that have it, each of them is missed.
unseen = []
for k, group in enumerate(names):
    for name in group:
        alone = tuple([name] if i == k else [] for i in range(3))
        without = [text for text in texts.values() if left_out([text], alone)]
        if left_out(without, alone) != [name]:
            unseen.append(name)
ok(not unseen, "a kind, collector or method that no study has is found", *unseen)
ok(left_out(texts.values(), ([], [], ["rk-77"])) == ["rk-77"], "so is a new one")

folders = {}
for folder, below, files in os.walk(os.path.join(ROOT, "jobs")):
    below[:] = [x for x in below if not x.startswith((".", "__"))]
    if files:
        folders[os.path.relpath(folder, os.path.join(ROOT, "jobs"))] = [os.path.join(folder, x) for x in files]
run = {os.path.dirname(job) or "." for job in same.JOBS}
ok(run.isdisjoint(same.WITHOUT), "no folder of jobs has a job that is run and a reason why none is", run & set(same.WITHOUT))
named = run | set(same.WITHOUT)
ok(named == set(folders), "every folder of jobs has a job that is run, or a reason why none is", named ^ set(folders))


def is_study(file):
    with open(file) as f:
        return file.endswith(".yaml") and re.search(r"^study:", f.read(), re.M)


wrong = [x for name in same.WITHOUT for x in folders.get(name, []) if is_study(x)]
ok(not wrong, "a folder with a reason has no study", *wrong)

shortened = [job for job in same.JOBS if not os.path.exists(os.path.join(ROOT, "jobs", job + ".yaml"))]
ok(not shortened, "jobs exist", *shortened)
examples = {os.path.basename(x)[:-5] for x in glob.glob(os.path.join(ROOT, "examples", "*.yaml"))}
ok(set(same.EXAMPLES) == examples, "all examples are run, and exist", set(same.EXAMPLES) ^ examples)
for text, factor, want in (("end: 8\n", 4, "end: 2.0\n"), ("end: 2*pi/7*600\n", 20, "end: (2*pi/7*600)/20\n"), ("end: pi\n", 1, "end: pi\n")):
    ok(same.shorter(text, factor) == want, f"{text.strip()} is divided by {factor}", same.shorter(text, factor))
undivided = [
    job
    for folder, jobs in (("jobs/", same.JOBS), ("examples/", same.EXAMPLES))
    for job, f in jobs.items()
    if f != 1 and not isinstance(f, tuple) and texts[folder + job].count("\nend: ") != 1
]
ok(not undivided, "a job that is shortened has one end", *undivided)
ok(same.here(same.ROOT + "/jobs/x.yaml") == "/jobs/x.yaml", "the folder of the checkout is left out")
done()
