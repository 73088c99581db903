"""synthetic.py: result files made up for tests: the layout of src/study/result/output.c and columns.c, with
invented numbers.

build(path, kind, ...) writes one. The numbers have the shapes of real ones (powers of the step, a round-off
plateau, random walks) but come from no integrator.
"""
# SPDX-License-Identifier: BSD-2-Clause
import dataclasses

import h5py
import numpy as np

SLOPES = {
    "rattle": 2,
    "compose(rattle, yoshida4)": 4,
    "convert(rk4)": 4,
    "euler-a": 1,
    "compose(rattle, kahan-li6)": 6,
}
MANY = [
    "rattle", "shake", "euler-a", "euler-b", "midpoint", "compose(rattle, yoshida4)", "compose(rattle, suzuki4)", "compose(rattle, yoshida6)",
    "compose(rattle, kahan-li6)", "compose(rattle, kahan-li8)", "convert(rk4)", "convert(rk3, bias=-0.5)", "project(rk4)", "hbvm(k=6, s=2)",
    "compose(convert(explicit-midpoint, bias=-0.25), kahan-li8)",
]  # fmt: skip
MANY_SLOPES = [2, 2, 1, 1, 2, 4, 4, 6, 6, 8, 4, 3, 4, 4, 2]
EPS = 2.2e-16
FIGURES = {
    "order": "order,work,work-energy,constraint",
    "conservation": "drift,constraint,work-energy",
    "ensemble": "ensemble,ensemble-drift,drift,constraint",
}


@dataclasses.dataclass
class Shape:
    """The parameters of a made-up study."""

    kind: str
    methods: tuple = tuple(SLOPES)
    slopes: tuple = tuple(SLOPES.values())
    steps: tuple = (0.1, 0.05, 0.025, 0.0125, 0.00625)
    members: int = 1
    constraints: int = 2
    lengths: tuple = (1.0,)  # values of the parameter L of a sweep
    samples: int = 80
    failed: tuple = ()  # (case, member, status)
    state: str = "complete"
    undone: int = 0  # cases at the end that were not run
    observables: tuple = ("energy", "rotation-z")
    title: str = "Made-up study"
    figures: str = ""  # that the file asks for; "": those of the kind
    end: float = 100.0

    @property
    def cases(self):
        return [(L, k, h) for L in self.lengths for k in range(len(self.methods)) for h in self.steps]


class Writer:
    """Writes the datasets of a Shape, each with its scales, units and long name."""

    def __init__(self, path, shape):
        self.file = h5py.File(path, "w")
        self.shape = shape
        self.random = np.random.default_rng(7)
        self.n = len(shape.cases)
        self.good = np.arange(self.n) < self.n - shape.undone

    def scale(self, name, entries):
        entries = (
            np.array([e.encode() for e in entries], dtype="S96")
            if len(entries) and isinstance(entries[0], str)
            else np.asarray(entries, dtype="i8")
        )
        self.file[name] = entries
        self.file[name].make_scale(name)

    def put(self, path, data, dims, doc="made up", unit="1", **attributes):
        group, name = path.strip("/").rsplit("/", 1)
        node = (
            self.file.require_group(group)
            if group in self.file
            else self.file.create_group(group, track_order=True)
        )
        data = np.array([x.encode() for x in data], dtype="S96") if isinstance(data, list) else data
        d = node.create_dataset(name, data=data)
        d.attrs["long_name"], d.attrs["units"] = doc, unit
        d.attrs.update(attributes)
        for k, dim in enumerate(dims):
            d.dims[k].attach_scale(self.file[dim])

    def column(self, name, data, role, of="", axis=""):
        """A column of the table; role, of and axis: its attributes."""
        says = {key: text for key, text in (("role", role), ("of", of), ("axis", axis)) if text}
        empty = (
            [x if g else "" for x, g in zip(data, self.good)]
            if isinstance(data, list)
            else np.where(self.good, data, np.nan)
        )
        self.put(f"/statistics/{name}", empty, ["case"], **says)

    def attributes(self, columns):
        s, root = self.shape, self.file.attrs
        study = (
            f"study: {s.kind}\ntitle: {s.title}\nsystem: double-pendulum\nend: {s.end}\nmethods:\n"
            + "".join(f"- {m}\n" for m in s.methods)
        )
        root.update(
            schema="constella-result 1",
            creator="constella",
            study_kind=s.kind,
            title=s.title,
            system="double-pendulum",
            study=study,
        )
        root.update(
            system_description="system: double-pendulum\ncoordinates: [x, y]\n",
            study_sha256="ab" * 32,
            seed="7",
            git="0123abc",
        )
        run = self.file.require_group("run")
        run.attrs["state"] = np.bytes_(s.state.ljust(16, "\0"))
        run.attrs.update(
            started="2024-05-01T10:00:00Z",
            ranks=4.0,
            host="node1",
            version="0.1",
            command="constella run <x>.yaml",
        )
        if s.state == "complete":
            run.attrs["finished"] = "2024-05-01T10:05:00Z"
        self.file["statistics"].attrs.update(columns=",".join(columns), figures=s.figures or FIGURES[s.kind])


def frame(w):
    """Dimensions, cases, final states."""
    s, n, m = w.shape, w.n, w.shape.members
    w.scale("case", range(n)), w.scale("member", range(m)), w.scale("coordinate", ["x1", "y1"])
    w.scale("figure", ["start", "end", "drift", "scale"])
    w.scale("multiplier", [f"rod{k}" for k in range(s.constraints)]), w.scale("sample", range(s.samples))
    w.scale("window", range(64)), w.scale("parameter", ["g", "L"])
    h = np.array([h for _, _, h in s.cases])
    w.put("/cases/h", h, ["case"]), w.put("/cases/n", np.rint(s.end / h).astype("i8"), ["case"]), w.put(
        "/cases/tolerance", np.full(n, 1e-14), ["case"]
    )
    w.put("/cases/parameters", np.array([[1.0, L] for L, _, _ in s.cases]), ["case", "parameter"])
    for name, dim, k in (
        ("q", "coordinate", 2),
        ("p", "coordinate", 2),
        ("lambda", "multiplier", s.constraints),
    ):
        w.put(f"/final/{name}", w.random.normal(size=(n, m, k)), ["case", "member", dim])
    status = np.zeros((n, m), dtype="i1")
    status[~w.good] = -1
    for case, member, code in s.failed:
        status[case, member] = code
    w.put(
        "/final/status",
        status,
        ["case", "member"],
        "0 done, 1 the solver did not converge, 2 not finite; -1 not run",
    )
    w.put("/final/steps", np.where(status == 0, 1000, 17).astype("i8"), ["case", "member"])
    return h, status


def common_columns(w, h):
    s = w.shape
    w.column("system", ["double-pendulum"] * w.n, "system"), w.column(
        "method", [s.methods[k] for _, k, _ in s.cases], "method"
    )
    w.column("step", h, "step", axis="x log")
    if len(s.lengths) > 1:
        w.column("L", np.array([L for L, _, _ in s.cases]), "parameter", "L")
    w.column("members", np.full(w.n, float(s.members)), "members")
    w.column(
        "failed", np.array([float(sum(case == c for case, _, _ in s.failed)) for c in range(w.n)]), "failed"
    )
    w.column("iterations_mean", np.full(w.n, 2.5), "iterations")
    w.column("evaluations_per_step", np.array([1.0 + s.slopes[k] for _, k, _ in s.cases]), "evaluations")
    w.put(
        "/run/steps_per_second",
        np.where(w.good, np.array([4e6 / (1 + s.slopes[k] ** 1.3) for _, k, _ in s.cases]), np.nan),
        ["case"],
    )


def errors(w, h, status):
    """Powers of the step with a correction, on a plateau of round-off."""
    s, e = w.shape, {}
    p = np.array([s.slopes[k] for _, k, _ in s.cases], dtype=float)
    size = np.array([L * (0.3 + 0.17 * k) * 10.0 ** (s.slopes[k] / 2) for L, k, _ in s.cases])
    plateau = 3e-15 * np.sqrt(s.end / h) * (1 + 0.5 * w.random.random(w.n))
    for name, factor in (("q", 1.0), ("p", 2.3), ("lambda", 7.0)):
        e[name] = factor * size * h**p * (1 + 2 * h) + plateau
    e["total"] = np.maximum(e["q"], e["p"])
    bad = (status != 0).any(axis=1)
    for name, x in e.items():
        w.put(f"/error/{name}", np.where(status == 0, x[:, None], np.nan), ["case", "member"])
        part = "" if name == "total" else f"_{name}"
        w.column(f"error{part}", np.where(bad & (s.members == 1), np.nan, x), "error", name, "y log")
    return e


def order_columns(w, h, e):
    s, per = w.shape, len(w.shape.steps)
    for name, x in e.items():
        part, rate = "" if name == "total" else f"_{name}", np.full(w.n, np.nan)
        for i in range(w.n):
            if i % per:
                rate[i] = np.log(x[i - 1] / x[i]) / np.log(h[i - 1] / h[i])
        w.column(f"rate{part}", rate, "rate", name)
        p = np.array([float(s.slopes[k]) for _, k, _ in s.cases])
        w.column(f"order{part}", p + 0.004, "order", name)
        w.column(f"order_low{part}", p - 0.02, "order-low", name), w.column(
            f"order_high{part}", p + 0.03, "order-high", name
        )
        flags = [
            "pre-asymptotic" if m == "euler-b" else "plateau" if p >= 8 else "ok"
            for m, p in zip(s.methods, s.slopes)
        ]
        w.column(f"flag{part}", ["too-few" if per < 3 else flags[k] for _, k, _ in s.cases], "flag", name)


def paths(w, h):
    """[case, sample]: times, and for each quantity |x - x(0)|: bounded, a random walk, linear or exactly
    zero, by method."""
    s = w.shape
    t = np.concatenate([[0.0], np.geomspace(0.1, s.end, s.samples - 1)])[None, :].repeat(w.n, 0)
    t[:, -1] = np.where(np.arange(w.n) % 2 == 0, t[:, -1], np.nan)
    size = np.array([1e-2 * step ** s.slopes[k] * (1 + k) for _, k, step in s.cases])[:, None] + 2e-16
    wobble = np.abs(np.sin(17 * t + np.arange(w.n)[:, None]))
    growth = np.array([(0, 0.5, 1)[k % 3] for _, k, _ in s.cases])[:, None]
    out = {name: size * wobble * np.where(t > 0, t, 0) ** growth for name in s.observables}
    if len(s.observables) > 1:
        out[s.observables[1]] = (
            3e-16 * np.sqrt(t) * wobble * (np.array([k for _, k, _ in s.cases])[:, None] > 0)
        )
    for name in ("constraint", "constraint_scaled", "hidden", "hidden_scaled"):
        out[name] = np.where(growth > 0.6, size * np.sqrt(t), 2e-16 * (1 + wobble)) * (s.constraints > 0)
    out["displacement"] = 1 + wobble
    return t, out


def observables(w, h, status, with_windows):
    s = w.shape
    t, quantity = paths(w, h)
    for name, x in quantity.items():
        drift = np.fmax.reduce(x, axis=1)[:, None] * np.exp(0.6 * w.random.normal(size=(w.n, s.members)))
        start = np.full((w.n, s.members), -2.0)
        end = (
            start
            + np.exp(0.1 * w.random.normal(size=(w.n, s.members)))
            + 0.01 * np.array([k for _, k, _ in s.cases])[:, None]
        )
        figures = np.stack([start, end, drift, np.full_like(start, 3.0)], axis=2)
        figures[status != 0] = np.nan
        w.put(f"/observables/{name}", figures, ["case", "member", "figure"])
    w.put("/series/t", t, ["case", "sample"])
    for name, x in quantity.items():
        for which in ("max", "rms"):
            w.put(f"/series/{name}/{which}", np.where(w.good[:, None], x, np.nan), ["case", "sample"])
    if with_windows:
        for name in s.observables:
            w.put(
                f"/windows/{name}", w.random.normal(size=(w.n, s.members, 64)), ["case", "member", "window"]
            )
    return quantity


def conservation_columns(w, quantity):
    s = w.shape
    w.column("end", np.full(w.n, s.end), "end")
    for name in s.observables:
        words = ["bounded", "random-walk", "linear"] if name == "energy" else ["exact", "undecided", "frozen"]
        w.column(f"{name}_max", np.fmax.reduce(quantity[name], axis=1), "largest", name), w.column(
            f"{name}_scale", np.full(w.n, 3.0), "scale", name
        )
        w.column(f"{name}_slope", np.full(w.n, 1e-7), "slope", name), w.column(
            f"{name}_slope_error", np.full(w.n, 1e-8), "slope-error", name
        )
        for suffix, add in (("", 0.0), ("_low", -0.1), ("_high", 0.1)):
            w.column(
                f"{name}_exponent{suffix}",
                np.array([(0, 0.5, 1)[k % 3] + add for _, k, _ in s.cases]),
                "exponent" + suffix.replace("_", "-"),
                name,
            )
        w.column(f"{name}_verdict", [words[k % 3] for _, k, _ in s.cases], "verdict", name)


def ensemble_columns(w, status):
    for name in (*w.shape.observables, "displacement"):
        x = np.where(status == 0, w.file[f"/observables/{name}"][..., 1], np.nan)
        x = np.where(np.isfinite(x).any(axis=1, keepdims=True), x, 0.0)
        w.column(f"{name}_mean", np.nanmean(x, axis=1), "mean", name), w.column(
            f"{name}_rms", np.sqrt(np.nanmean(x * x, axis=1)), "rms", name
        )
        for q in (5, 25, 50, 75, 95):
            w.column(f"{name}_q{q:02d}", np.nanquantile(x, q / 100, axis=1), f"q{q:02d}", name)


def constraint_columns(w, quantity):
    for name in ("constraint", "constraint_scaled", "hidden", "hidden_scaled"):
        w.column(
            f"{name}_max",
            np.fmax.reduce(quantity[name], axis=1) if w.shape.constraints else np.full(w.n, np.nan),
            "largest",
            name,
        )
    w.column("displacement", np.full(w.n, 2.0), "largest", "displacement")


def build(path, kind, **changes):
    """Write a result file of the kind; changes: fields of Shape."""
    w = Writer(path, Shape(kind, **changes))
    h, status = frame(w)
    common_columns(w, h)
    shown = ["method", "step"]
    if kind == "order":
        order_columns(w, h, errors(w, h, status))
        shown += ["error_q", "error_p", "rate_q", "rate_p", "order_q", "flag_q", "order_p", "flag_p"]
    quantity = observables(w, h, status, kind == "conservation")
    if kind == "order":
        w.column("energy_max", np.fmax.reduce(quantity["energy"], axis=1), "largest", "energy")
    if kind == "conservation":
        conservation_columns(w, quantity)
        shown += [
            "energy_max",
            "energy_slope",
            "energy_exponent",
            "energy_verdict",
            "rotation-z_max",
            "rotation-z_verdict",
        ]
    if kind == "ensemble":
        ensemble_columns(w, status)
        shown += ["members", "failed", "energy_mean", "energy_rms"]
    constraint_columns(w, quantity)
    w.attributes(shown + ["constraint_scaled_max", "hidden_scaled_max"])
    w.file.close()
