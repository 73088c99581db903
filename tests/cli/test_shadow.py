"""test_shadow.py: the shadow energy of RATTLE varies as its orders say, equals the formula of its source, and is judged
where its orders agree; the same bits for any ranks, batches and interruptions, extended by members; mistakes."""
# SPDX-License-Identifier: BSD-2-Clause
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import constella, differences, digests, done, h5py, numpy, ok, path, resumes, run, table, together, write

STUDY = """study: conservation
system: {name: double-pendulum}
end: 50
steps: {from: 0.05, halvings: 1}
methods: [rattle, euler-a, euler-b]
observe: every
observables: [energy, energy-shadow]
"""
MANY = """study: ensemble
system: double-pendulum
initial: {members: 5, seed: 5, spread: {q: 0.1, v: 0.3}}
end: END
steps: [0.02]
methods: [rattle, euler-a]
observables: [energy, energy-shadow]
"""


def orders():
    """Orders 4, 8 and 12 vary less than the energy by as much as was measured, and shrink as h^k."""
    process, result = run("orders", STUDY)
    if not ok(process.returncode == 0, "it runs", process.stderr):
        return
    rows = table(result)
    for coarse, fine in zip(rows[::2], rows[1::2]):
        method = coarse["method"]
        gain = [coarse["energy-shadow_energy"] / coarse[f"energy-shadow_{k}"] for k in (4, 8, 12)]
        ok(gain[0] > 10 and gain[1] > 1000 and gain[2] > 10000, f"{method}: less than the energy", gain)
        ok(abs(coarse["energy-shadow_gain"] / gain[1] - 1) < 1e-12, f"{method}: the column of that", gain)
        slope = [numpy.log2(coarse[f"energy-shadow_{k}"] / fine[f"energy-shadow_{k}"]) for k in (4, 8)]
        ok(abs(slope[0] - 4) < 0.2 and abs(slope[1] - 8) < 0.5, f"{method}: it shrinks as h^k", slope)
        ok(coarse["energy-shadow_verdict"] == "bounded", f"{method}: judged", coarse["energy-shadow_verdict"])


def formula():
    """The formula of the source, with beta summed from the start, from the stored states."""
    more = "trajectories: {members: [0], every: 1}\nroundoff: {dyadic-steps: false}\n"
    text = STUDY.replace("halvings: 1", "halvings: 0").replace("end: 50", "end: 10").replace(", euler-b", "")
    process, result = run("formula", text + more)
    if not ok(process.returncode == 0, "it runs", process.stderr):
        return
    d8 = numpy.array([4 / 5, -1 / 5, 4 / 105, -1 / 280])
    for case, (before, behind) in enumerate(((0.5, 0.5), (1, 0))):
        with h5py.File(result) as f:
            q, p = f[f"trajectories/{case}/q"][0], f[f"trajectories/{case}/p"][0]
            h, mine = f["cases/h"][case], f["energy-shadow/figures"][case, 0]
        v = q[:, 1] + q[:, 3]
        action = ((q[1:] - q[:-1]) ** 2).sum(1) / h - 2 * h * (before * v[:-1] + behind * v[1:])
        beta = numpy.concatenate([[0], numpy.cumsum(action)]) - (q * p).sum(1)
        n = len(q)

        def derivative(x):
            return sum(d * (x[6 + j : n - 6 + j] - x[6 - j : n - 6 - j]) for j, d in enumerate(d8, 1)) / h

        now = slice(6, n - 6)
        shadow = (-derivative(beta) - (q[now] * derivative(p)).sum(1) + (p[now] * derivative(q)).sum(1)) / 2
        ok(abs(numpy.ptp(shadow) - mine[2]) < 1e-12, f"case {case}: the range", numpy.ptp(shadow), mine)
        ok(abs(shadow[0] - mine[5]) < 1e-12 and abs(shadow[-1] - mine[6]) < 1e-12, f"case {case}: its ends", mine)
        energy = (p**2).sum(1)[now] / 2 + v[now]
        ok(abs(numpy.ptp(energy) - mine[0]) < 1e-14, f"case {case}: the energy", numpy.ptp(energy), mine)


def violent():
    """Where the orders disagree there is no verdict on it."""
    text = STUDY.replace("halvings: 1", "halvings: 0").replace("{name: double-pendulum}", "{name: double-pendulum, parameters: {L2: 1}}")
    text = text.replace("end: 50", "initial: {q: [sin(2), -cos(2), 2*sin(2), -2*cos(2)], v: [0, 0, 0, 0]}\nend: 50")
    rows = table(run("violent", text)[1])
    ok(all(r["energy-shadow_verdict"] == "orders-disagree" for r in rows), "no verdict", rows)
    ok(rows[0]["energy-shadow_gain"] < 3 and numpy.isnan(rows[0]["energy-shadow_slope"]), "and no slope", rows[0])


def bits():
    text = MANY.replace("END", "10.24")
    one = run("plain", text)[1]
    for how, more, ranks in (("batches", ["--batch", "2"], 0), ("ranks", [], 2)):
        process, other = run(f"plain-{how}", text, *more, ranks=ranks)
        differ = differences(digests(one), digests(other))
        ok(process.returncode == 0 and not differ, f"the same bits for other {how}", differ, process.stderr)
    bare = run("bare", text.replace(", energy-shadow", ""))[1]
    differ = [x for x in differences(digests(one), digests(bare)) if not any(y in x for y in ("shadow", "study", "statistics"))]
    ok(not differ, "the trajectories keep their bits", differ)
    verify = constella("verify", one)
    ok(verify.returncode == 0 and "all with the same bits" in verify.stdout, "verified", verify.stdout, verify.stderr)
    run("few", text.replace("members: 5", "members: 3"))
    process = constella("extend", path("few.h5"), path("plain.yaml"), "-o", path("more.h5"), "--progress", "none")
    differ = differences(digests(one), digests(path("more.h5")))
    ok(process.returncode == 0 and not differ, "extended by members", differ, process.stderr)


def resumed():
    text = MANY.replace("END", "1600") + 'checkpoint: {seconds: 0.05}\nevents: [{name: low, when: "y2 + 2.2"}]\n'
    resumes("resumed", text)


def mistakes():
    text = MANY.replace("END", "1.28")
    for name, this, that, said in (
        ("composition", "euler-a]", '"compose(rattle, suzuki4)"]', "'energy-shadow': it is known for rattle, euler-a and euler-b, and not for compose(rattle, suzuki4)"),
        ("system", "system: double-pendulum", "system: knife-edge", "'energy-shadow': knife-edge has constraints on velocities"),
        ("mass", "system: double-pendulum", "system: double-pendulum-angles", "a(q), or a mass that is no constant diagonal"),
        ("twice", "[energy, ", "[energy-shadow, ", "the observable 'energy-shadow' appears twice"),
        ("longer", "study: ensemble", "study: ensemble\nextensible: true", "'extensible' cannot be combined with 'energy-shadow'"),
    ):
        process = constella("check", write("bad-" + name + ".yaml", text.replace(this, that)))
        ok(process.returncode == 2 and said in process.stderr, f"{name}: refused", process.stderr)
    process = constella("check", write("good.yaml", text))
    ok("energy-shadow  of orders 4, 8 and 12, from every step\n" in process.stdout, "told", process.stdout)


together([orders, formula, violent, bits, resumed, mistakes])
done()
