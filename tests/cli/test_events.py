"""test_events.py: events are where they are exactly; their points lie on the constraints and on the energy surface to the
method's order; the trajectory keeps its bits; the same bits for any ranks, batches and interruptions, extended by
members and to a later end; trajectories that events end, and their statistics; mistakes."""
# SPDX-License-Identifier: BSD-2-Clause
import os
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import constella, differences, digests, done, draw_by_server, h5py, numpy, ok, path, resumes, run, survives, table, together, write

ANALYSIS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "analysis")
OSCILLATOR = """system: oscillator
doc: A harmonic oscillator.
coordinates: [x]
mass: [1]
potential: x^2/2
states:
  default: {q: [1], v: [0]}
"""
CHAIN = """study: ensemble
system: {name: pendulum-chain, parameters: {n: 2}}
initial: {members: 5, seed: 5, around: zigzag, spread: {q: 0.1, v: 0.3}}
end: END
steps: [0.02]
methods: [rattle, "compose(rattle, suzuki4)", "gauss(2)"]
"""
EVENTS = """events:
  - {name: section, when: "x[1]", direction: up, take: ["x[2]", "x'[2]", "y[1]", "t", "lambda_link[2]"], keep: 3}
  - {name: turned, when: "x'[2]*y[2] - y'[2]*x[2]"}
  - {name: strobe, every: 0.75, take: ["x[1]", "x'[1]"]}
  - {name: steep, when: "1/x[2]", direction: up}
"""
STOPS = EVENTS + '  - {name: far, when: "x[2] - 0.9", stop: true, take: ["x[2]"]}\n'
PULL = '  - {name: slack, when: "lambda_link[2] - 0.5", take: ["lambda_link[2]"]}\n'


def events(result, name, what="t", case=0):
    with h5py.File(result) as f:
        return f[f"events/{name}/{what}"][case]


def exact():
    """The oscillator's crossings, and its state after whole periods, by a composition of order 8."""
    write("oscillator.yaml", OSCILLATOR)
    process, result = run(
        "exact",
        """study: conservation
system: {file: oscillator.yaml}
end: 160
steps: [0.05]
methods: ["compose(rattle, kahan-li8)"]
events: [{name: zero, when: x, take: [x, "x'"]}, {name: strobe, every: 2*pi, take: [x, t]}, {name: up, when: x, direction: up, take: ["x'"]},
  {name: down, when: x, direction: down, take: ["x'"]}, {name: start, when: x - 1, direction: down}]
""",
    )
    if not ok(process.returncode == 0, "it runs", process.stderr):
        return
    times = (numpy.arange(50) + 0.5) * numpy.pi
    error = abs(events(result, "zero")[0, :50] - times).max()
    ok(error < 1e-13, "the first 50 crossings within 1e-13", error)
    x, v = events(result, "zero", "take")[0, :50].T
    ok(abs(x).max() < 1e-15 and abs(abs(v) - 1).max() < 1e-13, "the states there", x, v)
    strobe = events(result, "strobe", "take")[0, :25]
    ok(abs(strobe[:, 0] - 1).max() < 1e-13, "the state after whole periods", strobe)
    ok(abs(strobe[:, 1] - 2 * numpy.pi * numpy.arange(1, 26)).max() < 1e-13, "at their times", strobe)
    up, down = events(result, "up", "take")[0, :, 0], events(result, "down", "take")[0, :, 0]
    ok(numpy.nanmin(up) > 0.99 and numpy.nanmax(down) < -0.99, "directions", up, down)
    ok(events(result, "start", "count")[0] <= 25, "a start with s = 0 is no event", events(result, "start")[0, :3])
    (row,) = table(result)
    ok(row["zero_count"] == 51 and row["events_located"] == "step", "columns", row)


JUMPS = """events:
- {name: pole, when: "1/x", take: [t]}
- {name: far-pole, when: "1/(x - 0.3)", direction: up}
- {name: tangent, when: tan(2*t), direction: down}
- {name: cut, when: "atan2(x', x)", direction: up, take: [t]}
- {name: angle, when: "atan2(x', x)", direction: down, take: [t]}
- {name: steep, when: "(exp(1e9*x/(1 + abs(1e7*x))) - 1)", take: [t]}
- {name: side, when: sign(x - 0.5), take: [x]}
- {name: half, when: step(x - 0.5) - 0.25, take: [x]}
- {name: stops, when: "1/(x + 0.5)", stop: true}
- {name: ends, when: "1 + 0*1/x - t/6", stop: true}
"""


def jumps():
    """Poles and cuts are no events, and end nothing; roots are, however steep, and so are steps and signs."""
    write("oscillator.yaml", OSCILLATOR)
    _, result = run("jumps", "study: ensemble\nsystem: {file: oscillator.yaml}\nend: 7\nsteps: [0.01]\nmethods: [rattle]\n" + JUMPS)
    with h5py.File(result) as f:
        count = {k: int(f[f"events/{k}/count"][0, 0]) for k in f["events"]}
        jumped = {k: int(f[f"events/{k}/jumps"][0, 0]) for k in f["events"] if "jumps" in f[f"events/{k}"]}
        ok(
            [count[k] for k in ("pole", "far-pole", "tangent", "cut", "stops")] == [0] * 5
            and [jumped[k] for k in ("pole", "far-pole", "tangent", "cut", "stops")] == [2, 1, 4, 1, 2],
            "poles and cuts are counted apart",
            count,
            jumped,
        )
        ok([count[k] for k in ("steep", "side", "half")] == [2, 2, 2] and jumped["steep"] == 0, "a steep root and steps are events", count, jumped)
        ok(set(f["events"]) - set(jumped) == {"side", "half"}, "steps and signs have no count of jumps", sorted(jumped))
        ok(count["ends"] == 1 and f["/final/status"][0, 0] == 6, "a root ends the trajectory, a pole does not", count)
    columns = table(result)[0]
    ok(columns["pole_jumps"] == 2 and columns["pole_count"] == 0, "columns tell both", columns)


def missed():
    """Two changes of sign within a step are missed, and a smaller step shows them."""
    write("oscillator.yaml", OSCILLATOR)
    text = "study: conservation\nsystem: {file: oscillator.yaml}\nend: 12.8\nsteps: [0.2, 0.05]\nmethods: [rattle]\nevents: [{name: low, when: x + 0.9995}]\n"
    result = run("missed", text)[1]
    found = [events(result, "low", "count", k)[0] for k in range(2)]
    ok(found[0] < found[1] == 4, "two in a step are missed", found)


def surface():
    """Points lie on g = 0 to round-off and on the energy surface to the method's order."""
    for system, when, zero, take, energy, where in (
        ("planar-pendulum", "x - 0.3", 0.3, ["x", "y", "x'", "y'"], lambda x, y, u, v: (u * u + v * v) / 2 + y, lambda x, y, *_: x * x + y * y - 1),
        (
            "double-pendulum",
            "x1",
            0,
            ["x1", "y1", "x2", "y2", "x1'", "y1'", "x2'", "y2'"],
            lambda a, b, c, d, e, f, g, h: (e * e + f * f + g * g + h * h) / 2 + b + d,
            lambda a, b, c, d, *_: numpy.maximum(abs(a * a + b * b - 1), abs((c - a) ** 2 + (d - b) ** 2 - 2)),
        ),
    ):
        quoted = ", ".join(f'"{x}"' for x in take)
        text = f"""study: conservation
system: {{name: {system}, parameters: {{g: 1}}}}
end: 51.2
steps: [0.1, 0.05, 0.025]
methods: [rattle, "compose(rattle, suzuki4)"]
events: [{{name: section, when: {when}, take: [{quoted}]}}]
"""
        process, result = run("surface-" + system, text)
        if not ok(process.returncode == 0, f"{system} runs", process.stderr):
            continue
        sizes, off, before = [], [], []
        for case in range(6):
            x = events(result, "section", "take", case)[0]
            x = x[numpy.isfinite(x[:, 0])].T
            with h5py.File(result) as f:
                start = f["observables/energy"][case, 0, 0]
            sizes.append(numpy.sqrt(numpy.mean((energy(*x) - start) ** 2)))
            off.append((abs(x[0] - zero).max(), abs(where(*x)).max()))
            before.append(x.shape[1])
        ok(min(before) > 4, f"{system}: it has points", before)
        on = all(s < 2e-15 and g < 2e-14 for s, g in off)
        ok(on, f"{system}: points on the section and on the constraints to round-off", off)
        for first, order in ((0, 2), (3, 4)):
            slope = numpy.log2(sizes[first + 1] / sizes[first + 2])
            ok(abs(slope - order) < 0.5, f"{system}: on the energy surface to order {order}", slope, sizes)


def whole():
    """An event at the end of a step is the state there, bit for bit; one beyond `keep` is counted."""
    text = CHAIN.replace("END", "10.24") + "roundoff: {dyadic-steps: false}\n"
    text = text.replace("steps: [0.02]", "steps: [0.015625]").replace("10.24", "10")
    more = """trajectories: {members: [0, 1, 2, 3, 4], every: 16}
events:
  - {name: strobe, every: 0.25, take: ["x[1]", "y[2]", "x'[1]"], keep: 20}
  - {name: half, when: "t - 2.5", take: ["x[1]", "y[2]", "x'[1]"]}
"""
    process, result = run("whole", text + more)
    if not ok(process.returncode == 0, "it runs", process.stderr):
        return
    for case in range(3):
        with h5py.File(result) as f:
            q, p = f[f"trajectories/{case}/q"][:, 1:21], f[f"trajectories/{case}/p"][:, 1:21]
        mine = numpy.stack([q[:, :, 0], q[:, :, 3], p[:, :, 0]], axis=2)  # the masses are 1
        ok(numpy.array_equal(mine, events(result, "strobe", "take", case)), f"case {case}: the states themselves")
        ok(numpy.array_equal(mine[:, 9], events(result, "half", "take", case)[:, 0]), f"case {case}: at a zero at the end of a step")
        ok((events(result, "strobe", "count", case) == 40).all(), f"case {case}: those beyond `keep` are counted")


def unchanged():
    """Events change no bits of the trajectories, whether these are looked at on the way or one by one."""
    text = CHAIN.replace("END", "10.24")
    bare = digests(run("bare", text)[1])
    for name, more in (("with", EVENTS), ("pulled", EVENTS + PULL)):
        there = digests(run(name, text + more)[1])
        differ = [x for x in differences(bare, there) if not any(y in x for y in ("event", "section", "strobe", "turned", "slack", "study", "statistics"))]
        ok(not differ, f"{name}: the trajectories keep their bits", differ)
    differ = [x for x in differences(digests(path("with.h5")), digests(path("pulled.h5"))) if "events/" in x]
    ok(all("slack" in x for x in differ), "the same events both ways", differ)
    pull = events(path("pulled.h5"), "slack", "take")
    ok(numpy.isfinite(pull[:, 0]).any() and numpy.nanmax(abs(pull - 0.5)) < 1e-12, "events of multipliers", pull[:, :3, 0])


def bits():
    for name, text in (("plain", STOPS), ("lambda", STOPS + PULL)):
        study = CHAIN.replace("END", "10.24") + text
        one = run(name, study)[1]
        for how, more, ranks in (("batches", ["--batch", "2"], 0), ("ranks", [], 2), ("three", ["--batch", "3"], 3)):
            process, other = run(f"{name}-{how}", study, *more, ranks=ranks)
            differ = differences(digests(one), digests(other))
            ok(process.returncode == 0 and not differ, f"{name}: the same bits for other {how}", differ, process.stderr)
        verify = constella("verify", one)
        ok(verify.returncode == 0 and "all with the same bits" in verify.stdout, f"{name}: verified", verify.stdout, verify.stderr)


def changed(name, first, last, but=()):
    """Extends the result of one study to another, and compares with that run in one piece."""
    run(name + "-part", first)
    study = write(name + "-more.yaml", last)
    process = constella("extend", path(name + "-part.h5"), study, "-o", path(name + ".h5"), "--progress", "none")
    ok(process.returncode == 0, f"{name}: extended", process.stdout, process.stderr)
    at_once = run(name + "-whole", last)[1]
    differ = [
        x
        for x in differences(digests(path(name + ".h5")), digests(at_once))
        if not any(y in x for y in ("continue/", "@continued", *but))
    ]
    ok(not differ, f"{name}: the bits of a run in one piece", differ)
    ok((events(at_once, "far", "count") > 0).any(), f"{name}: some are ended")
    verify = constella("verify", path(name + ".h5"))
    ok(verify.returncode == 0, f"{name}: verified", verify.stdout, verify.stderr)


def extended():
    later = CHAIN + STOPS + "extensible: true\n"
    changed("later", later.replace("END", "5.12"), later.replace("END", "10.24"), ["series/"])
    changed("members", (CHAIN.replace("members: 5", "members: 3") + STOPS).replace("END", "10.24"), (CHAIN + STOPS).replace("END", "10.24"))


LONG = CHAIN.replace("END", "2000") + STOPS.replace("0.9", "1.7") + "checkpoint: {seconds: 0.02}\n"


def resumed():
    resumes("resumed", LONG)


def killed():
    """Killed after its first checkpoint, and resumed."""
    survives("killed", LONG)


def named():
    """A system names events, which a study takes by name, and may add to."""
    event = "events:\n  low: {when: x + 0.5, direction: down}\n  zero: x\n"
    write("named.yaml.system", OSCILLATOR + event)
    write("oscillator.yaml", OSCILLATOR)
    study = "study: conservation\nsystem: {file: %s}\nend: 12.8\nsteps: [0.1]\nmethods: [rattle]\nevents: %s\n"
    mine = study % ("named.yaml.system", "[low, {name: zero, direction: up, take: [t]}]")
    theirs = study % ("oscillator.yaml", "[{name: low, when: x + 0.5, direction: down}, {name: zero, when: x, direction: up, take: [t]}]")
    process, one = run("named", mine)
    if not ok(process.returncode == 0, "it runs", process.stderr):
        return
    two = run("spelled", theirs)[1]
    same = [numpy.array_equal(events(one, n), events(two, n), equal_nan=True) for n in ("low", "zero")]
    ok(all(same) and events(one, "zero", "count")[0] == 2, "as if the study had their expressions", same)
    ok("zero: x = 0, upwards" in constella("check", path("named.yaml")).stdout, "told")
    ok("events       section: x = 0, up\n" in constella("show", "henon-heiles").stdout, "shown")
    for name, items, said in (
        ("unknown", "[lows]", ":6:10: error: oscillator has no event 'lows'; it has low, zero"),
        ("again", "[low, low]", ":6:15: error: the event 'low' appears twice"),
        ("bare", "[{name: other}]", "event 'other' has neither"),
        ("upp", "[{name: zero, direction: upp}]", "upp"),
    ):
        process = constella("check", write(f"named-{name}.yaml", study % ("named.yaml.system", items)))
        ok(process.returncode == 2 and said in process.stderr, f"{name}: refused", process.stderr)
    for name, text, said in (
        ("text", "events: x", "'events' must be a map"),
        ("expression", "events: {low: x + z}", "event 'low': unknown name 'z'"),
        ("way", "events: {low: {when: x, direction: upp}}", "'direction' is 'upp'; allowed: up, down, both"),
        ("missing", "events: {low: {direction: up}}", "missing key 'when'"),
        ("name", "events: {4low: x}", "4low"),
        ("many", "events: {" + ", ".join(f"e{i}: x" for i in range(17)) + "}", "17 events; at most 16 are allowed"),
    ):
        write(f"system-{name}.yaml", OSCILLATOR + text + "\n")
        process = constella("check", write(f"study-{name}.yaml", study % (f"system-{name}.yaml", "[low]")))
        ok(process.returncode == 2 and said in process.stderr, f"{name}: refused", process.stderr)


def job():
    """The section of 1000 starts, with a few of them and periods."""
    with open(os.path.join(ANALYSIS, "..", "jobs", "sections", "driven-pendulum-1000.yaml")) as f:
        text = f.read().replace("members: 1000", "members: 12").replace("*200", "*10")
    process, result = run("job", text)
    if not ok(process.returncode == 0, "it runs", process.stderr):
        return
    points = events(result, "strobe", "take")[:, :10]
    ok(numpy.isfinite(points).all() and (events(result, "strobe", "count") == 10).all(), "a point of each period", points.shape)
    process = constella("plot", result, "section", "-o", path("job.png"))
    ok(process.returncode == 0 and os.path.getsize(path("job.png")) > 5000, "drawn", process.stderr)


def thermal():
    """Where a step cannot be shortened, a cubic takes its place, on the constraints."""
    text = """study: ensemble
system: planar-pendulum
initial: {members: 3, seed: 5, spread: {q: 0.1, v: 0.3}}
end: 5.12
steps: [0.02]
methods: ["langevin(rattle, friction=0.5, inverse-temperature=2)", "bdf(2)", "generalized-alpha(rho=0.8)", dopri5, rattle]
events: [{name: section, when: x, take: [x, "x^2 + y^2 - 1", "x*x' + y*y'", y]}]
"""
    process, result = run("thermal", text)
    if not ok(process.returncode == 0, "it runs", process.stderr):
        return
    located = [row["events_located"] for row in table(result)]
    ok(located == ["cubic"] * 3 + ["step"] * 2, "how they are located", located)
    for case in range(5):
        x = events(result, "section", "take", case)
        worst = numpy.nanmax(abs(x[:, :, :3]), axis=(0, 1))
        ok(worst[0] < 1e-14 and worst[1] < 1e-7 and worst[2] < 1e-6, f"case {case}: on the section", worst)
    first = [events(result, "section", "t", k)[0, 0] for k in (1, 2, 4)]
    ok(max(first) - min(first) < 1e-3, "near those of the method's own step", first)
    differ = differences(digests(result), digests(run("thermal-ranks", text, "--batch", "2", ranks=2)[1]))
    ok(not differ, "the same bits for ranks and batches", differ)


def kaplan_meier(time, happened, share):
    left = 1.0
    for t in numpy.unique(time):
        left *= 1 - (happened & (time == t)).sum() / (time >= t).sum()
        if left <= 1 - share + 1e-12:
            return t
    return numpy.nan


def ended():
    """An event that ends a trajectory is an outcome, not a failure; first passage with censored times."""
    process, result = run(
        "ended",
        """study: ensemble
system: planar-pendulum
initial: {members: 40, seed: 3, spread: {q: 0.05, v: 1.6}}
end: 6
steps: [0.02]
methods: [rattle]
observe: every
extremes: [{name: height, expression: y}]
events: [{name: over, when: y - 0.5, stop: true, take: [y]}, {name: bottom, when: x}]
""",
    )
    ok(process.returncode == 0 and "no trajectory failed, 11 of 40 ended by an event" in process.stdout, "it ends well", process.stdout, process.stderr)
    (row,) = table(result)
    with h5py.File(result) as f:
        status, steps, q = f["final/status"][0], f["final/steps"][0], f["final/q"][0]
        height, words = f["extremes/height"][0], f["final/status"].attrs["long_name"]
        t, bottom = f["events/over/t"][0, :, 0], f["events/bottom/t"][0]
        h = f["cases/h"][0]
    stopped = status == 6
    ok(set(status) == {0, 6} and "6 ended by an event (not a failure)" in words, "their status", status, words)
    ok((steps[stopped] == numpy.floor(t[stopped] / h)).all() and (steps[~stopped] == 300).all(), "their last step", steps)
    ok(numpy.isnan(t[~stopped]).all() and (q[stopped, 1] < 0.5).all(), "the last state is the one before", q[stopped])
    ok((height[:, 1] <= 0.5).all(), "nothing is observed behind it", height)
    ok(all(not (bottom[k] > t[k]).any() for k in numpy.flatnonzero(stopped)), "no other event is later")
    ok(row["failed"] == 0 and row["stopped"] == stopped.sum() and row["over_share"] == stopped.mean(), "counted apart", row)
    known = numpy.where(stopped, t, 300 * h)
    mine = [kaplan_meier(known, stopped, x) for x in (0.1, 0.5, 0.9)]
    told = [row[f"over_time_{x}"] for x in ("q10", "q50", "q90")]
    same = [a == b or (numpy.isnan(a) and numpy.isnan(b)) for a, b in zip(mine, told)]
    ok(all(same), "quantiles of the times", mine, told)
    status = constella("status", result)
    ok("ended by an event" in status.stdout and "failed" not in status.stdout, "status tells", status.stdout)
    ok("ended by an event" in constella("table", result).stdout, "the table tells")
    lines = [x for x in constella("verify", result, "--sample", 40).stdout.splitlines() if "ended by an event within" in x]
    ok(len(lines) == 11 and not [x for x in lines if "failed" in x], "verify tells", *lines[:3])
    sys.path.insert(0, ANALYSIS)
    import constella as package
    from constella import words

    shown = package.open(result)
    told = f"{words.state(shown)} {words.failures(shown)} {shown.counts()}"
    mine = "40 of 40 trajectories are done, 11 ended by an event. [] (40, 40, 0)"
    ok(told.endswith(mine), "so does the page", told)


def pictures():
    """The figure `section`: two expressions that an event takes, and what it says where there are none."""
    text = CHAIN.replace("END", "10.24") + EVENTS
    result = run("pictured", text)[1]
    for more in ([], ["--x", "y[1]", "--y", "x'[2]", "--z", "t"], ["--y", "x'[1]", "--z", "member"]):
        process = constella("plot", result, "section", *more, "-o", path("section.png"))
        drawn = process.returncode == 0 and os.path.getsize(path("section.png")) > 5000
        ok(drawn, f"a section {' '.join(more)}", process.stderr)
    for more, said in ((["--x", "y[7]"], "y[7]"), (["--x", "x[2]", "--y", "x[1]"], "no event takes x[2] and x[1]")):
        process = constella("plot", result, "section", *more, "-o", path("none.png"))
        ok(process.returncode and said in process.stderr, f"refused: {said}", process.stderr)


def mistakes():
    for name, line, said in (
        ("scalar", "events: x", "'events' is"),
        ("empty", "events: []", ":7:9: error: 'events' is an empty list"),
        ("text", "events: [y]", ":7:10: error: pendulum-chain has no event 'y'; it names none"),
        ("item", "events: [[y]]", ":7:10: error: an event is a map {name: ..., when: ...}"),
        ("key", 'events: [{name: h, when: "y[1]", of: y}]', "unknown key 'of'"),
        ("neither", "events: [{name: h}]", "event 'h' has neither; it takes one of 'when' and 'every'"),
        ("both", 'events: [{name: h, when: "y[1]", every: 1}]', "event 'h' has both"),
        ("unnamed", 'events: [{when: "y[1]"}]', "missing key 'name'"),
        ("word", 'events: [{name: 4you, when: "y[1]"}]', ":7:17: error: '4you' cannot name an event"),
        ("observable", 'events: [{name: energy, when: "y[1]"}]', ":7:17: error: the name 'energy' is taken"),
        ("expression", 'events: [{name: h, when: "y[1] + z"}]', ":7:34: error: event 'h': unknown name 'z'"),
        ("taken", 'events: [{name: h, when: "y[1]", take: ["z"]}]', "event 'h': unknown name 'z'"),
        ("list", 'events: [{name: h, when: "y[1]", take: z}]', "'take' is"),
        ("direction", 'events: [{name: h, when: "y[1]", direction: upp}]', "upp"),
        ("way", "events: [{name: h, every: 1, direction: up}]", "'direction' belongs to 'when'"),
        ("short", "events: [{name: h, every: 0.001}]", "'every' is 0.001; it must be at least the largest step, 0.02"),
        ("keep", 'events: [{name: h, when: "y[1]", keep: 0}]', "'keep' is 0"),
        ("one", 'events: [{name: h, when: "y[1]", keep: 2, stop: true}]', "'keep' is 2, but 'stop' ends the trajectory"),
        ("flag", 'events: [{name: h, when: "y[1]", stop: often}]', "unknown stop 'often'; allowed: false, true"),
        ("twice", 'events: [{name: h, when: "y[1]"}, {name: h, when: "y[2]"}]', ":7:42: error: the event 'h' appears twice"),
        (
            "many",
            "events: [" + ", ".join(f'{{name: h{i}, when: "y[1]"}}' for i in range(17)) + "]",
            ":7:9: error: there are 17 events; at most 16 are allowed",
        ),
    ):
        process = constella("check", write("bad-" + name + ".yaml", CHAIN.replace("END", "1.28") + line + "\n"))
        ok(process.returncode == 2 and said in process.stderr, f"{name}: refused", process.stderr)
    process = constella("check", write("good.yaml", CHAIN.replace("END", "1.28") + STOPS))
    ok("events         section: x[1] = 0, upwards\n" in process.stdout and "ends the trajectory" in process.stdout, "told", process.stdout)


draw_by_server()
together([exact, jumps, missed, surface, whole, unchanged, bits, extended, resumed, killed, named, job, thermal, ended, pictures, mistakes])
done()
