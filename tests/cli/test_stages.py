"""test_stages.py: `stages`: other parameters from a time on. A run in stages is the runs of its stages, each from
where the one before has ended; its bits do not depend on stops, ranks and batches."""
# SPDX-License-Identifier: BSD-2-Clause
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

import numpy
from cli import constella, differences, digests, done, h5py, made, ok, resumes, run, table


STUDY = """study: conservation
system: {name: SYSTEM, parameters: {PARAMETERS}}
initial: START
end: END
steps: [0.015625]
methods: [METHODS]
observables: [OBSERVABLES]
trajectories: {members: [0], store: [q, v]}
"""


def study(system, parameters, start, end, methods, observables="energy", more=""):
    text = STUDY.replace("SYSTEM", system).replace("PARAMETERS", parameters).replace("START", start)
    text = text.replace("END", str(end)).replace("OBSERVABLES", observables)
    return text.replace("METHODS", ", ".join(f'"{m}"' for m in methods)) + more


def ends(name, text):
    """q and v at the end of each case."""
    with made(name, text) as f:
        cases = [f[f"trajectories/{k}"] for k in range(len(f["trajectories"]))]
        return [c["q"][0, -1] for c in cases], [c["v"][0, -1] for c in cases]


def numbers(x):
    return "[" + ", ".join(repr(float(e)) for e in x) + "]"


def compare(system, before, after, methods, start="default"):
    """A run in two stages, and a run from where the first stage ends."""
    stages = f"stages: [{{until: 0.5}}, {{parameters: {{{after}}}}}]\n"
    whole = ends(f"{system}-whole", study(system, before, start, 1, methods, more=stages))
    first = ends(f"{system}-first", study(system, before, start, 0.5, methods))
    for k, method in enumerate(methods):
        at = f"{{q: {numbers(first[0][k])}, v: {numbers(first[1][k])}, project: true}}"
        then = ends(f"{system}-then-{k}", study(system, after, at, 0.5, [method]))
        differ = max(numpy.abs(whole[0][k] - then[0][0]).max(), numpy.abs(whole[1][k] - then[1][0]).max())
        moved = numpy.abs(whole[1][k] - first[1][k]).max()
        ok(differ < 2e-11 and moved > 0.1, f"{system}, {method}: the stages are runs of their own", differ, moved)


compare(
    "damped-double-pendulum",
    "k: 0.2",
    "k: 2",
    ["rattle", "compose(rattle, suzuki4)", "midpoint", "radau(2)", "project(rk4)", "lagrange-dalembert(gauss(2))"],
)
compare("double-pendulum-angles", "m2: 1", "m2: 3", ["rattle", "gauss(2)", "hbvm(k=4, s=2)", "generalized-alpha(rho=0.8)"])
compare("planar-pendulum", "m: 1, g: 1", "m: 3, g: 4", ["rattle", "rattle(form=null-space)"])
compare("pivoted-top", "g: 1, I1: 0.75", "g: 2, I1: 0.8", ["rattle", "lie-rattle"])
compare("rolling-disk", "s: 1.2", "s: 3", ["discrete-lagrange-dalembert(reversible)", "dopri5"])

# The work of forces is counted on; verdicts on what jumps are not given.
STAGES = "stages: [{until: 0.5}, {until: 0.75, parameters: {k: \"10*k\"}}, {}]\n"
_, damped = run("damped", study("damped-double-pendulum", "k: [0.1, 0.2]", "default", 1, ["rattle"], "energy, balance", STAGES))
rows = table(damped)
ok(all(r["balance_max"] < 2e-2 < 1 < r["energy_max"] for r in rows), "the balance has the work of all stages", rows)
ok(all(r["energy_verdict"] for r in rows), "a force that changes leaves the verdict on the energy")
check = constella("check", damped.replace(".h5", ".yaml"))
ok("until 0.75: k = 1 kg/s\n" in check.stdout and "then: k = 0.1 kg/s\n" in check.stdout, "check tells the stages", check.stdout)
text = study("planar-pendulum", "g: 1", "default", 1, ["rattle"], "energy, \"height: y\", \"V: g*y\"", "stages: [{until: 0.5}, {parameters: {g: 2}}]\n")
text = text.replace("store: [q, v]", "store: [q, energy]")
_, jumps = run("jumps", text)
row = table(jumps)[0]
ok("energy_verdict" not in row and "V_verdict" not in row and "height_verdict" in row, "none on an energy that jumps", row)
with h5py.File(jumps) as f:
    energy, y = f["trajectories/0/energy"][0], f["trajectories/0/q"][0, :, 1]
leap = numpy.diff(energy)
ok(abs(leap[32] - y[32]) < 1e-3 and abs(numpy.delete(leap, 32)).max() < 1e-3, "it jumps behind the boundary", leap[31:34])

# The same bits after a stop, for ranks and batches, and in a longer run.
MANY = """study: ensemble
system: {name: damped-double-pendulum, parameters: {k: [0.1, 0.3]}}
initial: {members: 12, seed: 3, around: default, spread: {q: 0.1, v: 0.2}}
end: END
steps: [0.0125, 0.00625]
methods: [rattle, "generalized-alpha(rho=0.9)", dopri5]
stages: [{until: 0.5}, {until: 1, parameters: {k: "8*k", m2: 2}}, {parameters: {g: 5}}]
observables: [energy, "height: y2"]
events: [{name: low, when: x2, take: [y2', k]}]
extensible: true
samples: {count: 0}
"""
resumes("stopped", MANY.replace("END", "60"))
_, one = run("one", MANY.replace("END", "1.25"))
_, three = run("three", MANY.replace("END", "1.25"), "--batch", "7", ranks=3)
ok(not differences(digests(one), digests(three)), "the same bits on three ranks in other batches")
process = constella("verify", one, "--sample", "12")
ok(process.returncode == 0, "verify finds the same bits", process.stdout, process.stderr)
_, longer = run("longer", MANY.replace("END", "2.5"))
process = constella("extend", one, longer.replace("longer.h5", "longer.yaml"), "-o", longer.replace("longer.h5", "more.h5"))
ok(process.returncode == 0, "it goes on to a later end", process.stderr)
differ = [d for d in differences(digests(longer), digests(longer.replace("longer.h5", "more.h5"))) if d not in ("/@continued", "continue/joined")]
ok(not differ, "with the same bits", differ)
with h5py.File(one) as f:
    times, took = f["events/low/t"][0], f["events/low/take"][0]
inside = [(t, k) for member, row in zip(times, took) for t, k in zip(member, row[:, 1]) if t == t]
ok(all(abs(k - (0.8 if 0.5 < t < 1 else 0.1)) < 1e-15 for t, k in inside), "events have the parameters of their stage")


def refused(stages, *words, system="damped-double-pendulum", methods=("rattle",), more="", kind="conservation"):
    text = study(system, "", "default", 1, methods, more=more) + f"stages: {stages}\n"
    process, _ = run("refused", text.replace("study: conservation", f"study: {kind}"))
    good = process.returncode == 2 and all(w in process.stderr for w in words)
    ok(good, f"refused: {words[0]}", process.returncode, process.stderr)


refused("[{until: 0.51}, {}]", "which is no multiple of the step 0.015625", "the nearest time is 0.515625", ":9:18:")
refused("[{until: 0.5}, {until: 0.25}, {}]", "it must be after 0.5, where it begins", ":9:32:")
refused("[{until: 1}, {}]", "the stage ends at 1, and the run at 1")
refused("[{until: 0.5}]", "there is 1 stage; 2 to 1000 are allowed")
refused("[{}, {}]", "missing key 'until'")
refused("[{until: 0.5}, {until: 0.75}]", "the last stage ends with the run")
refused("[{until: 0.5, parameters: {k: 1}}, {}]", "the first stage has the parameters of `system`")
refused("[{until: 0.5}, {parameters: {kk: 1}}]", "unknown parameter 'kk'", ":9:38:")
refused("[{until: 0.5}, {parameters: {l1: 2}}]", "the constraint 'upper' depends on 'l1'")
refused("[{until: 0.5}, {parameters: {R: 2}}]", "the constraint 'along' depends on 'R'", system="rolling-disk", methods=["dopri5"])
refused("[{until: 0.5}, {parameters: {m1: -1}}]", "it fails at x1 in this stage")
refused("[{until: 0.5}, {parameters: {k: 1/0}}]", "'k': ")
refused("[{until: 0.5}, {}]", "bdf(2) keeps 'q-earlier'", methods=["bdf(2)"])
refused("[{until: 0.5}, {}]", "'timing' does not go with 'stages'", more="timing: {repeats: 1}\n")
refused("[{until: 0.5}, {}]", "'reference' does not go with 'stages'", more="reference: self\n", kind="order")
done()
