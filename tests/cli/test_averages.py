"""test_averages.py: histograms and time averages equal those of the stored trajectories, to the last count;
the same bits for any ranks, batches and interruptions; verified, extended, printed and drawn."""
# SPDX-License-Identifier: BSD-2-Clause
import glob
import signal
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import (
    PROGRAM,
    close,
    constella,
    differences,
    digests,
    done,
    h5py,
    made,
    numpy,
    ok,
    path,
    run,
    table,
    together,
    write,
)
from held import killed_at_checkpoint

BINS = 12
CHAIN = """study: ensemble
system: {name: pendulum-chain, parameters: {n: 4}}
initial: {members: MEMBERS, seed: 5, around: zigzag, spread: {q: 0.1, v: 0.1}}
end: 10.24
steps: [0.02]
methods: [rattle, "compose(rattle, suzuki4)"]
observe: every
samples: {count: 4}
observables: [energy, temperature, "height: y[4]", "far: sqrt(x[4]^2 + y[4]^2)"]
burn-in: 0.25
histograms:
  - {name: height, expression: "y[4]", from: -9, to: -1, bins: 12}
  - {name: pairs, for: ["i = 1..n", "j = i+1..n"], expression: "sqrt((x[i] - x[j])*(x[i] - x[j]) + (y[i] - y[j])*(y[i] - y[j]))", from: 3, to: "4 + 1/2", bins: 12}
  - {name: weighed, for: "i = 1..n", expression: "x[i]", from: -5, to: 5, bins: 12, weight: fixman}
"""
STORED = CHAIN + "trajectories: {members: [0, 1, 2, 3, 4], every: 1}\n"
MASS = GRAVITY = 1.0


def member(f, case, k):
    """q and p of a member at the steps behind the burn-in, [time][coordinate]."""
    n = int(f["cases/n"][case])
    first = -(-n // 4)  # a quarter, rounded up
    return f[f"trajectories/{case}/q"][k][first:], f[f"trajectories/{case}/p"][k][first:]


def placed(x, edges):
    """Counts in the bins, then below, above, no number, all: bin k holds edge k <= x < edge k + 1, the last
    one its end too."""
    x = numpy.asarray(x).ravel()
    at = numpy.searchsorted(edges, x, "right") - 1
    at[x == edges[-1]] = len(edges) - 2
    inside = [int((at == k).sum()) for k in range(len(edges) - 1)]
    return inside, [int((x < edges[0]).sum()), int((x > edges[-1]).sum()), int(numpy.isnan(x).sum()), x.size]


def values(name, q):
    x, y = q[:, :4], q[:, 4:]
    if name == "height":
        return y[:, 3]
    if name == "weighed":
        return x
    return numpy.stack(
        [
            numpy.sqrt((x[:, i] - x[:, j]) * (x[:, i] - x[:, j]) + (y[:, i] - y[:, j]) * (y[:, i] - y[:, j]))
            for i in range(4)
            for j in range(i + 1, 4)
        ]
    )


def fixman(q):
    """(det G M^-1 G')^(-1/2) of the chain, state by state."""
    weights = []
    for state in q:
        x, y = numpy.append(0, state[:4]), numpy.append(0, state[4:])
        G = numpy.zeros((4, 8))
        for a in range(4):
            dx, dy = x[a + 1] - x[a], y[a + 1] - y[a]
            G[a, a], G[a, 4 + a] = 2 * dx, 2 * dy
            if a:
                G[a, a - 1], G[a, 4 + a - 1] = -2 * dx, -2 * dy
        weights.append(numpy.linalg.det(G @ G.T / MASS) ** -0.5)
    return numpy.array(weights)


def counts(f):
    for name in ("height", "pairs", "weighed"):
        edges = f[f"histograms/{name}_edges"][:]
        for case in range(2):
            found = [int(x) for x in f[f"histograms/{name}"][case]], [
                int(x) for x in f[f"histograms/{name}_outside"][case]
            ]
            mine = placed(
                numpy.concatenate([values(name, member(f, case, k)[0]).ravel() for k in range(5)]), edges
            )
            ok(
                found == tuple(mine),
                f"{name}, case {case}: every sample is counted where it lies",
                found,
                mine,
            )
            ok(
                sum(found[0]) + sum(found[1][:3]) == found[1][3] and sum(found[0]) > 0,
                "and none is lost",
                found,
            )


def densities(f, result):
    for case, row in enumerate(table(result)):
        x = numpy.concatenate([values("weighed", member(f, case, k)[0]).ravel() for k in range(5)])
        w = numpy.concatenate([numpy.repeat(fixman(member(f, case, k)[0]), 4) for k in range(5)])
        edges = f["histograms/weighed_edges"][:]
        mine = numpy.histogram(x, edges, weights=w)[0] / w.sum() / numpy.diff(edges)
        ok(
            close(f["histograms/weighed_density"][case], mine, 1e-11),
            f"case {case}: weights are those of Fixman",
            f["histograms/weighed_density"][case],
            mine,
        )
        ok(
            close(row["weighed_effective"], w.sum() ** 2 / (w * w).sum(), 1e-10)
            and close(row["weighed_inside"], f["histograms/weighed"][case].sum() / x.size, 1e-14),
            "effective number of samples",
        )
        plain = numpy.histogram(x, edges)[0] / x.size / numpy.diff(edges)
        ok(numpy.abs(mine - plain).max() > 1e-4, "and they matter", mine - plain)
        height = (
            f["histograms/height"][case]
            / f["histograms/height_outside"][case, 3]
            / numpy.diff(f["histograms/height_edges"][:])
        )
        ok(
            close(f["histograms/height_density"][case], height, 1e-14),
            "without weights the density is that of the counts",
        )


def means(f, result):
    rows = table(result)
    for case in range(2):
        both = [member(f, case, k) for k in range(5)]
        q, p = (numpy.concatenate(x) for x in zip(*both))
        kinetic = (p * p).sum(1) / 2 / MASS
        mine = {
            "height": q[:, 7].mean(),
            "far": numpy.sqrt(q[:, 3] ** 2 + q[:, 7] ** 2).mean(),
            "energy": (kinetic + GRAVITY * q[:, 4:].sum(1)).mean(),
            "temperature": (2 * kinetic / 4).mean(),
        }
        for name, mean in mine.items():
            ok(
                close(rows[case][f"{name}_mean"], mean, 1e-13),
                f"case {case}: {name}_mean is the mean of the samples",
                rows[case][f"{name}_mean"],
                mean,
            )
            ok(
                rows[case][f"{name}_error"] >= 0,
                f"case {case}: {name}_error is there",
                rows[case][f"{name}_error"],
            )
        ok(
            rows[case]["temperature_freedom"] == 4,
            "eight coordinates less four rods",
            rows[case]["temperature_freedom"],
        )


def stored():
    process, result = run("stored", STORED.replace("MEMBERS", "5"))
    if ok(process.returncode == 0, "the chain runs", process.stderr):
        with h5py.File(result, "r") as f:
            counts(f)
            densities(f, result)
            means(f, result)
        verify = constella("verify", result, "--member", "1", "--member", "4")
        ok(
            verify.returncode == 0 and "4 trajectories, all with the same bits" in verify.stdout,
            "verified",
            verify.stdout,
            verify.stderr,
        )


def bits():
    text = CHAIN.replace("MEMBERS", "21")
    (one, alone), (three, several) = run("alone", text, "--batch", "3"), run("several", text, ranks=3)
    ok(
        one.returncode == three.returncode == 0,
        "in small batches, and on three ranks",
        one.stderr,
        three.stderr,
    )
    differ = differences(digests(alone), digests(several))
    ok(not differ, "the same bits", differ)
    fewer, before = run("fewer", CHAIN.replace("MEMBERS", "18"))
    extended = constella(
        "extend", before, write("more.yaml", text), "-o", path("more.h5"), "--progress", "none"
    )
    if ok(fewer.returncode == extended.returncode == 0, "extended by members", extended.stderr):
        differ = differences(digests(alone), digests(path("more.h5")))
        ok(not differ, "the same bits again", differ)


def killed():
    """Killed after its first checkpoint, and resumed."""
    text = (
        CHAIN.replace("MEMBERS", "3").replace("end: 10.24", "end: 400.64") + "checkpoint: {seconds: 0.02}\n"
    )
    study, result, whole = write("killed.yaml", text), path("killed.h5"), path("whole.h5")
    process = killed_at_checkpoint([PROGRAM, "run", study, "-o", result, "--progress", "none"])
    ok(
        process.returncode == -signal.SIGKILL and glob.glob(result + ".checkpoint*"),
        "killed on its way, with a checkpoint",
        process.returncode,
    )
    resumed, plain = constella("run", study, "-o", result, "--resume", "--progress", "none"), constella(
        "run", study, "-o", whole, "--progress", "none"
    )
    if ok(resumed.returncode == plain.returncode == 0, "resumed", resumed.stderr, plain.stderr):
        differ = differences(digests(result), digests(whole))
        ok(not differ, "the same bits", differ)


def shown():
    process, result = run(
        "shown", CHAIN.replace("MEMBERS", "3").replace("study: ensemble", "study: conservation")
    )
    ok(process.returncode == 0, "in a conservation study", process.stderr)
    printed = constella("table", result)
    ok(
        "temperature_mean" in printed.stdout and "height_error" in printed.stdout,
        "means stand in the table with their errors",
        printed.stdout,
    )
    page = constella("report", result, "-o", path("page.html"))
    with open(path("page.html"), encoding="utf-8") as file:
        text = file.read()
    ok(
        page.returncode == 0 and 'id="figure-histograms"' in text and 'id="figure-averages"' in text,
        "and are drawn",
        page.stderr,
    )


def chaotic():
    """A chaotic double pendulum has the averages of the surface of its energy: with two angles the density of
    the positions is sqrt(det M) where the energy is enough."""
    process, result = run(
        "chaotic",
        """study: ensemble
system: double-pendulum
initial: {members: 16, seed: 3, around: {q: [1, 0, 1, "sqrt(2)"], v: [0, 0, 0, 0]}, spread: {q: 0.001, v: 0.001}}
end: 2000
steps: [0.05]
methods: ["compose(rattle, suzuki4)"]
samples: {count: 2}
observables: [temperature, "upper: y1"]
burn-in: 0.1
histograms: [{name: fold, expression: "(x1*(x2 - x1) + y1*(y2 - y1))/(L1*L2)", from: -1, to: 1, bins: 20}]
""",
    )
    ok(process.returncode == 0, "a chaotic double pendulum", process.stderr)
    angle = (numpy.arange(1000) + 0.5) * 2 * numpy.pi / 1000
    a, b = numpy.meshgrid(angle, angle)
    potential = -2 * numpy.cos(a) - numpy.sqrt(2) * numpy.cos(b)
    weight = numpy.sqrt(2 - numpy.cos(a - b) ** 2) * (potential < numpy.sqrt(2))
    row = table(result)[0]
    for name, truth in (("upper", -numpy.cos(a)), ("temperature", numpy.sqrt(2) - potential)):
        truth = (truth * weight).sum() / weight.sum()
        mean, error = row[f"{name}_mean"], row[f"{name}_error"]
        ok(
            abs(mean - truth) < 4 * error < 0.05 * abs(truth) + 0.03,
            f"{name}: the mean of the surface of its energy, within four errors",
            mean,
            error,
            truth,
        )
    with h5py.File(result, "r") as f:
        edges, density, error = (f[f"histograms/fold_{what}"] for what in ("edges", "density", "error"))
        truth = (
            numpy.histogram(numpy.cos(a - b), edges[:], weights=weight)[0]
            / weight.sum()
            / numpy.diff(edges[:])
        )
        off = (density[0] - truth) / error[0]
        ok(
            (off**2).mean() < 3 and (error[0] < 0.1 * truth).all(),
            "and so is its histogram, bin by bin",
            off,
        )


def instants():
    """Where one step in several is observed: a histogram of the time itself tells which, and the mean is
    theirs."""
    steps, h = 9000, 2.0**-7
    process, result = run(
        "instants",
        f"""study: conservation
system: planar-pendulum
end: {steps * h}
steps: [{h}]
methods: [rattle]
samples: {{count: 2}}
observables: ["clock: t", "bent: t^2"]
burn-in: 0.3
histograms: [{{name: instants, expression: t, from: {-h / 2}, to: {(steps + 0.5) * h}, bins: {steps + 1}}}]
""",
    )
    ok(process.returncode == 0, "one step in several", process.stderr)
    row = table(result)[0]
    with h5py.File(result, "r") as f:
        counts, t = f["histograms/instants"][0], numpy.arange(steps + 1) * h
    seen = t[counts > 0]
    ok(
        counts.max() == 1
        and counts[: int(0.3 * steps)].sum() == 0
        and counts[-1] == 1
        and row["observe"] == 7,
        "none before the burn-in, none twice, the end among them",
        counts.sum(),
    )
    ok(abs(counts.sum() - 0.7 * steps / 7) < 3, "one in seven", counts.sum())
    ok(
        close(row["clock_mean"], seen.mean(), 1e-13) and close(row["bent_mean"], (seen * seen).mean(), 1e-13),
        "means are theirs",
        row["clock_mean"],
        seen.mean(),
    )
    ok(row["clock_error_from"] == "unknown", "of what only grows one run tells no error", row["clock_error"])


def weights():
    """Weights of a system of the catalogue with kernels of its own, of a chain whose matrix is banded, and of
    a mass that depends on the place."""

    def pendulum(q):
        x1, y1, x2, y2 = q
        return numpy.array(
            [[2 * x1, 2 * y1, 0, 0], [2 * (x1 - x2), 2 * (y1 - y2), 2 * (x2 - x1), 2 * (y2 - y1)]]
        ), numpy.eye(4)

    def chain(q):
        n = len(q) // 2
        x, y, G = numpy.append(0, q[:n]), numpy.append(0, q[n:]), numpy.zeros((n, 2 * n))
        for a in range(n):
            G[a, a], G[a, n + a] = 2 * (x[a + 1] - x[a]), 2 * (y[a + 1] - y[a])
            if a:
                G[a, a - 1], G[a, n + a - 1] = -G[a, a], -G[a, n + a]
        return G, numpy.eye(2 * n)

    def bent(q):
        x, y, z = q
        return numpy.array([[2 * x, 4 * y, 2 * z]]), numpy.array(
            [[2 + x * x, 0.3, 0], [0.3, 1.5, 0.1 * y], [0, 0.1 * y, 1]]
        )

    write(
        "bent.yaml",
        """system: bent
coordinates: [x, y, z]
mass: [[2 + x^2, 0.3, 0], [0.3, 1.5, 0.1*y], [0, 0.1*y, 1]]
potential: z
constraints: {s: x^2 + 2*y^2 + z^2 - 1}
states: {default: {q: [0, 0, -1], v: [1, 0.5, 0]}}
""",
    )
    for system, name, low, high, model in (
        ("double-pendulum", "x2", -2, 2, pendulum),
        ("pendulum-chain", "y[20]", -50, 0, chain),
        ("{file: bent.yaml, compile: never}", "x", -1, 1, bent),
    ):
        process, result = run(
            "weights",
            f"""study: conservation
system: {system}
initial: {{members: 16, spread: {{v: 0.3}}}}
end: 1
steps: [0.02]
methods: [rattle]
observe: every
observables: ["a: {name}"]
averages: {{weight: fixman}}
samples: {{count: 2}}
trajectories: {{members: all, every: 1}}
histograms: [{{name: h, expression: "{name}", from: {low}, to: {high}, bins: 7, weight: fixman}}]
""",
        )
        if not ok(process.returncode == 0, f"{system} with weights", process.stderr):
            continue
        with h5py.File(result, "r") as f:
            q, edges, found = (
                numpy.concatenate(list(f["trajectories/0/q"])),
                f["histograms/h_edges"][:],
                f["histograms/h_density"][0],
            )
            x = q[:, list(f["coordinate"].asstr()[:]).index(name)]
            mean, error, effective = (
                f[f"statistics/{k}"][0] for k in ("a_mean", "a_error", "averages_effective")
            )
        w = numpy.array([numpy.linalg.det(G @ numpy.linalg.solve(M, G.T)) ** -0.5 for G, M in map(model, q)])
        mine = numpy.histogram(x, edges, weights=w)[0] / w.sum() / numpy.diff(edges)
        ok(
            close(found, mine, 1e-11) and numpy.ptp(w) > 0.01 * w.mean(),
            f"{system}: (det G M^-1 G')^(-1/2)",
            found,
            mine,
        )
        wanted = (w * x).sum() / w.sum()
        ok(
            close(mean, wanted, 1e-12) and close(effective, w.sum() ** 2 / (w * w).sum(), 1e-11),
            f"{system}: the weighted average",
            mean,
            wanted,
            effective,
        )
        # from 16 members on, each is one number
        z = (w * (x - wanted) / w.mean()).reshape(16, -1).mean(axis=1)
        plain = z.std(ddof=1) / 4
        # t of 15 degrees of freedom over 2: 1.087
        ok(1.03 * plain < error < 1.12 * plain, f"{system}: and its error, that of 16 numbers", error, plain)


def old():
    """A study without these keys has none of these data."""
    text = "".join(
        line + "\n"
        for line in CHAIN.replace("MEMBERS", "2")
        .split("histograms:")[0]
        .replace("temperature, ", "")
        .splitlines()
        if not line.startswith("burn-in")
    )
    f = made("old", text)
    ok(
        "averages" not in f
        and "histograms" not in f
        and "temperature" not in f["observables"]
        and "energy_error" not in f["statistics"],
        "nothing is added unasked",
        list(f),
    )


together([stored, bits, killed, chaotic, instants, weights, shown, old])
done()
