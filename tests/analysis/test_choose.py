#!/usr/bin/python3
"""test_choose.py: goals in words, the advice of a small tournament, its proof, its record, what limits it, mistakes. TAP."""
# SPDX-License-Identifier: BSD-2-Clause
# first: it skips the test where modules are missing
from drawing import ENVIRONMENT, HERE, PROGRAM, folder, main, ok, program, refused, run_tests

import contextlib
import io
import json
import math
import subprocess
import sys
import time

sys.path.insert(0, str(HERE.parent / "cli"))
from held import Gate

import constella
from constella.certifying.maps import Method
from constella.choosing import candidates, choice, goal, judge, ladder
from constella.choosing.field import Code, Costs, Field, beginning, compiling, fitted, timed_well
from constella.choosing.heats import Runner
from constella.choosing.judge import Judged
from constella.choosing.scale import Scale, measure
from constella.choosing.tournament import Entry, Tournament
from constella.integrator import System
from constella.running import OVER, call


def test_goals():
    g = goal.parse("energy 1e-4 until 1e6, momentum exact and average sqrt(x^2 + min(y, 1)) 1 %")
    ok([p.word for p in g.parts] == ["energy", "momentum", "average"] and g.until == 1e6, "goal: three parts", g)
    ok(g.parts[2].limit == 0.01 and g.parts[2].expression == "sqrt(x^2 + min(y, 1))", "goal: an expression with a comma", g.parts[2])
    ok(goal.parse(g.said) == g, "goal: its text is read again", g.said)
    ok(goal.parse("temperature 2% at 0.5").bath == 0.5, "goal: a bath")
    for text, words in (
        ("enrgy 1e-4 until 1", ('did you mean "energy"', "position X until T")),
        ("energy 1e-4", ("needs a horizon",)),
        ("position 1e-4, momentum exact", ("needs a horizon",)),
        ("energy 1e-4 until 10, energy 1e-5 until 10", ("twice",)),
        ("energy 1e-4 until 10, position 1 until 20", ("two horizons",)),
        ("energy exact until 1", ("finite precision",)),
        ("energy -1 until 1", ("above 0",)),
        ("energy 1e-4 until soon", ("no number",)),
        ("energy until 10", ("one number",)),
        ("average 1 %", ("an expression",)),
        ("average x 1", ("percentage",)),
        ("temperature 1 % at 1, energy 1e-4 until 9", ("contradicts",)),
        ("energy 1e-4 until 3,", ("empty",)),
        ("until 3", ("says nothing",)),
    ):
        ok(refused(lambda text=text: goal.parse(text), *words), f"goal: {text}")


def test_ladder():
    ok(all(ladder.ALL[k] < ladder.ALL[k + 1] for k in range(len(ladder.ALL) - 1)), "ladder: counts rise")
    ok(ladder.fitting([100, 125, 160], 4) == [100, 160], "ladder: whole steps of a shorter horizon")
    m = ladder.shortened(1e6, 30, 1000000)
    ok(1e6 / m >= 30 and 1000000 % m == 0, "ladder: a shorter horizon", m)


def test_order():
    ok(ladder.exponent([0.04, 0.025, 0.0156], [9.4e-15, 6.8e-15, 7.9e-15]) < 0.3, "ladder: round-off that falls once has no order")
    ok(abs(ladder.exponent([0.4, 0.2, 0.1], [16e-6, 1e-6, 1e-6 / 16]) - 4) < 1e-9, "ladder: an order")


def test_candidates():
    ok(all(Method(m).name for m in (*candidates.METHODS, *candidates.bathed(0.5, 3.0))), "candidates: all are methods")
    fit, refused_ = candidates.chosen(System("chaplygin-sleigh"), None, 0.0, 1.0)
    ok("project(rk4)" in fit and "rattle" in refused_, "candidates: those that fit", fit)


def test_scale():
    """An oscillator's period is its own."""
    s = measure(System("system: o\ncoordinates: [x]\nmass: [4]\npotential: 18*x^2\nstates: {default: {q: [1], v: [0]}}\n"), {})
    ok(abs(s.time - 2.1) < 0.05, "scale: the period of an oscillator", s)  # 2 pi / 3


ROW = {"failed": 0, "end": 100.0, "energy_max": 1e-5, "energy_scale": 1.0, "energy_slope": 1e-7, "energy_slope_rms": 1e-7, "energy_drift_limit": 2e-7}


def test_judge():
    """Largest values refute at any horizon, drift limits confirm."""
    aim = goal.parse("energy 1e-4 until 1000")
    for verdict, more, wanted in (
        ("bounded", {}, judge.OPEN),  # 1e-5 + 900 * 2e-7 = 1.9e-4 is not excluded
        ("bounded", {"energy_drift_limit": 1e-8}, judge.MEETS),
        ("linear", {"energy_slope": 2e-7}, judge.FAILS),
        ("quadratic", {"energy_slope": 1e-7}, judge.FAILS),
        ("exact", {"energy_max": 1e-13}, judge.MEETS),
        ("exponential", {}, judge.FAILS),
        ("bounded", {"energy_max": 2e-4}, judge.FAILS),
        ("bounded", {"end": 1000.0}, judge.MEETS),
        ("bounded", {"failed": 1.0}, judge.FAILS),
    ):
        found = judge.judge(aim, ROW | {"energy_verdict": verdict} | more, 1000, [], {})
        ok(found.verdict == wanted, f"judge: {verdict} {more}", found)
    for verdict, short in (("bounded", 0.1), ("undecided", math.inf)):
        found = judge.judge(aim, ROW | {"energy_verdict": verdict, "energy_drift_limit": 1e-6}, 1000, [], {})
        ok(found.verdict == judge.OPEN and found.short == short, f"judge: {verdict}, in a run that is too short", found)


def test_short():
    """A drift that a short confirmation does not exclude decides between methods, not between steps of one."""
    field = Field("kepler", {}, goal.parse("energy 1e-4 until 10"), 10.0, Scale(1.0, 1.0, 1.0), [], Runner({}, lambda *_: None, folder / "none.h5", False))
    played = Tournament(field, ["rattle"], 8, {"left": 1.0}, lambda _: None)

    def shown(*coarse):
        e = Entry("rattle")
        e.seen = {("rattle", n, 1e-14): x for n, x in zip((400, 200, 100), ((Judged(judge.MEETS, 0.2), 4.0), *coarse))}
        played.shown(e)
        return e

    e = shown((Judged(judge.OPEN, 1.2, "open", short=0.4), 2.0), (Judged(judge.OPEN, 3.0, "open", short=0.79), 1.0))
    ok(e.best == ("rattle", 100, 1e-14) and e.cost == 1.0 and e.judged.verdict == judge.MEETS and "at a step of 0.025" in e.judged.why, "short: the larger step", e)
    e = shown((Judged(judge.OPEN, 1.2, "open"), 2.0), (Judged(judge.OPEN, 3.0, "open", short=0.5), 1.0))
    ok(e.best == ("rattle", 400, 1e-14), "short: not where a drift is seen on the way", e)
    e = shown((Judged(judge.OPEN, 1.2, "open", short=0.9), 2.0))
    ok(e.best == ("rattle", 400, 1e-14), "short: not near what is allowed", e)


def test_constants():
    """The time of a unit, without what a run takes to begin; steps that the solver repeats keep theirs."""
    def run(n, times):
        return {"method": "x", "step": 100 / n, "steps": n, "evaluations": 4 * n, "iterations": 0, "cpu_seconds": 2e-6 + 1e-8 * 4 * n * times, "rate": 1e7}

    quick = [run(n, times) for n, times in ((20, 50), (80, 1.2), (320, 1))]
    disturbed = [run(20, 1), run(80, 3.9), run(320, 1)]
    before = beginning({"a": quick, "b": [run(n, 1) for n in (20, 80, 320)], "c": disturbed, "d": quick[1:]})
    ok(2e-6 <= before < 3.5e-6, "constants: what a run takes to begin, although one was disturbed", before)
    c = fitted(quick, 2e-6)
    ok(all(abs(x - y) < 1e-3 * y for x, y in zip(c.seconds, (5e-7, 1e-8, 1e-8))) and c.units == [4, 4, 4], "constants: of a unit", c)
    ok(not timed_well([{**quick[0], "failed": 8}]), "constants: none of a run that fails")


def test_exact_momentum():
    """A change of the size of round-off is exact whatever law fits it; a larger one is not."""
    aim = goal.parse("momentum exact until 1000")
    for largest, wanted in ((9e-14, judge.MEETS), (9e-12, judge.FAILS)):
        row = {"failed": 0, "end": 1000.0, "steps": 80000, "J_max": largest, "J_scale": 1.0, "J_verdict": "linear"}
        found = judge.judge(aim, row, 1000, ["J"], {})
        ok(found.verdict == wanted, f"judge: momentum that changes by {largest:g}", found)


STEPS = (16, 20, 25, 32)


class Sluggish:
    """A program whose runs with step 100 / 16 never end within a limit, and which takes ten times what is planned for 100 / 20."""

    def __init__(self):
        self.asked = []

    def __call__(self, study, of, limit):
        counts = study["steps"]["counts"]
        self.asked.append((tuple(study["methods"]), tuple(counts)))
        self.runner.seconds += 10 * limit if 16 in counts else limit if counts == [20] else 0.0
        return [] if 16 in counts else [{"method": x, "step": 100 / c, "tolerance": 1e-14} for x in study["methods"] for c in counts]


def test_overruns():
    """A heat that takes too long is run again method by method, then step by step from the finest on; overruns are part of the
    plan, and known ones decide the same without a measurement."""
    known, over = {}, {}
    for attempt in range(2):
        program = Sluggish()
        program.runner = runner = Runner(known if attempt else {}, known.__setitem__ if not attempt else lambda *_: None, folder / "none.h5", False, over)
        runner._made = program
        field = Field("kepler", {}, goal.parse("energy 1e-4 until 100"), 100.0, Scale(1.0, 1.0, 1.0), [], runner)
        field.costs = {x: Costs([5.0], [1e-6], [4.0], 0.0) for x in ("rk4", "rattle")}
        field.room = 1000.0
        rows = field.heat({x: list(STEPS) for x in field.costs}, 1, 8, 1, [1e-14])
        ok(sorted(rows) == sorted((x, c, 1e-14) for x in field.costs for c in STEPS[1:]), "overruns: what is known of the others", rows)
        if not attempt:
            first, spent = program.asked, runner.over
    ok(first[0] == (("rk4", "rattle"), STEPS) and first[1:6] == [(("rk4",), STEPS)] + [(("rk4",), (c,)) for c in reversed(STEPS)], "overruns: apart, the finest first", first)
    ok(len(over) == 7 and runner.over == spent > 7, "overruns: 7 studies, noted once", over)
    ok(not program.asked, "overruns: nothing is measured again", program.asked)
    field.room = 0.5
    program.asked, runner.known, runner.over = [], {}, 0.0
    over.clear()
    ok(not field.heat({x: list(STEPS) for x in field.costs}, 1, 8, 1, [1e-14]) and len(program.asked) == 1, "overruns: none where the room is used up", program.asked)


def test_limit():
    """A process is ended after so many seconds of the processor, which sleeping does not use."""
    began = time.monotonic()
    code, _ = call(["/bin/sh", "-c", "sleep 0.3; while :; do :; done"], False, True, 0.2)
    ok(code == OVER and time.monotonic() - began > 0.45, "limit: of computing", code)
    ok(call(["/bin/sh", "-c", "sleep 0.3"], False, True, 0.05)[0] == 0, "limit: not of the clock")


def choose(*words):
    return program("choose", *words)


def main_of(*words):
    """A command within this process: exit status and output."""
    with contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()) as said:
        return main(list(words)), said.getvalue()


FEW = "rattle,rk4,compose(rattle, suzuki4),semi-implicit-euler(erp=0.2)"
QUICK = ("henon-heiles", "--goal", "energy 1e-4 until 400", "--methods", FEW, "--budget", "5min", "--members", "4")


def test_advice():
    """A scheme of order 4 or rattle, not one that drifts; the proof shows it; the record is one of the same bits."""
    done = choose(*QUICK, "-o", "c.json", "--explain", "--proof", "proof.yaml")
    last = done.stdout.splitlines()[-1] if done.stdout else ""
    ok(done.returncode == 0 and last.startswith("recommended: ") and "rk4" not in last.split(",")[0], "advice: the last line", done.stdout + done.stderr)
    ok("why the others lost" in done.stdout and "  rk4 " in done.stdout and "baseline   semi-implicit-euler(erp=0.2)" in done.stdout, "advice: why others lost", done.stdout)
    told = json.loads((folder / "c.json").read_text())
    best = told["answer"]["recommended"]
    ok(last == f"recommended: {best['method']}, step {best['step']!r}", "advice: the record has it", best)
    ok(best["cost"] <= min(m["cost"] for m in told["answer"]["methods"] if m["cost"] and m["verdict"] == "meets"), "advice: the cheapest that meets the goal")
    r = constella.run(folder / "proof.yaml", folder / "proof.h5", progress=False)
    ok(r.column("energy_max")[0] <= 1e-4 * r.column("energy_scale")[0] and len(r.status[0]) == 32, "advice: the proof meets the goal", r.column("energy_max"))
    whole = (folder / "c.json").read_bytes()
    some = len(undecided(told)["studies"]) + 2
    (folder / "c.json").write_text(json.dumps(undecided(told) | {"studies": told["studies"][:some]}))
    again = choose(*QUICK, "-o", "c.json", "--explain", "--resume")
    ok((folder / "c.json").read_bytes() == whole and again.stdout == done.stdout, "advice: resumed, it decides the same with the same bits", again.stdout + again.stderr)
    done = program("verify", "c.json")
    ok(done.returncode == 0 and "same bits, the same decisions" in done.stdout, "advice: verified", done.stdout + done.stderr)
    bent = json.loads(whole)
    bent["studies"][-1]["rows"][0]["energy_max"] *= 1 + 1e-15
    (folder / "bent.json").write_text(json.dumps(bent))
    code, said = main_of("verify-record", "file=bent.json")
    ok(code == 1 and "differs in 1 of" in said, "advice: another bit is seen", said)
    for form, word in (("html", "<img"), ("md", "**recommended: ")):
        again = choose(*QUICK, "-o", f"c.{form}", "--resume", "--quiet")
        ok(word in (folder / f"c.{form}").read_text() and not again.stderr, f"advice: .{form}", again.stderr)


def asked(*given):
    """`choose` with these words NAME=VALUE within this process: exit status and stderr."""
    with contextlib.chdir(folder), contextlib.redirect_stderr(io.StringIO()) as said:
        return main(["choose", *given]), said.getvalue()


STUDY = """study: choose
system: henon-heiles
goal: energy 1e-4 until 400
members: 4
budget: 5min
methods: [rattle, rk4, "compose(rattle, suzuki4)", semi-implicit-euler(erp=0.2)]
"""


def test_study():
    """The same question from a file: it goes on from the constants of the command's record, and decides the same."""
    (folder / "file.yaml").write_text(STUDY)
    told = json.loads((folder / "c.json").read_text())
    (folder / "file.json").write_text(json.dumps(undecided(told)))
    done = program("check", "file.yaml")
    ok(done.returncode == 0 and "energy 0.0001 until 400" in done.stdout and "4 that step the system" in done.stdout, "study: checked", done.stdout + done.stderr)
    done = program("run", "file.yaml")
    ok(done.returncode == 2 and "file.json exists" in done.stderr, "study: no result is overwritten", done.stderr)
    done = program("status", "file.json")
    ok("interrupted" in done.stdout, "study: the status of one that is under way", done.stdout + done.stderr)
    done = program("run", "file.yaml", "--resume")
    ok(done.returncode == 0 and (folder / "file.json").read_bytes() == (folder / "c.json").read_bytes(), "study: the bytes of the command's record", done.stdout + done.stderr)
    ok("state         complete" in program("status", "file.json").stdout, "study: the status of a complete one")
    done = program("extend", "file.json", "file.yaml")
    ok(done.returncode == 2 and "is not extended" in done.stderr, "study: no extension", done.stderr)
    done = program("run", "file.yaml", "--resume", OMPI_COMM_WORLD_SIZE="2")
    ok(done.returncode == 2 and "start it without mpirun" in done.stderr, "study: not under mpirun", done.stderr)
    whole = (folder / "file.json").read_bytes()
    (folder / "bad.yaml").write_text(STUDY.replace("henon-heiles", "henon-heils"))
    done = program("run", "bad.yaml", "-o", "file.json", "--overwrite")
    fresh = choice.begin(folder / "file.json", {}, False, True, True)
    ok(done.returncode == 2 and fresh.told == {} and (folder / "file.json").read_bytes() == whole, "study: --overwrite takes nothing away before it measures", done.stderr)
    for change, wanted in (
        (("goal:", "gaol:"), "bad.yaml:3:1: error: unknown key 'gaol'; did you mean 'goal'"),
        (("energy", "enrgy"), 'bad.yaml:3:7: error: unknown word "enrgy"'),
        (("members: 4", "members: 0"), "bad.yaml:4:10: error: 'members' is a whole number"),
        (("5min", "-3"), "bad.yaml:5:9: error: '-3' is no time such as"),
        (("system: henon-heiles\n", ""), "bad.yaml:1:1: error: missing key 'system'"),
    ):
        (folder / "bad.yaml").write_text(STUDY.replace(*change))
        if change[0] in ("energy", "members: 4", "5min"):
            code, said = asked("study=bad.yaml", "check=1")
        else:  # of its keys the program itself says so
            done = program("check", "bad.yaml")
            code, said = done.returncode, done.stderr
        ok(code == 2 and wanted in said, f"study: {change[1] or 'no system'}", said)


def record(name):
    """What it has by now; {}: nothing."""
    try:
        return json.loads((folder / name).read_text())
    except (OSError, ValueError):
        return {}


def undecided(told):
    """A record's constants alone."""
    return {k: v for k, v in told.items() if k != "answer"} | {"studies": [s for s in told["studies"] if "timing" in s["study"]]}


def test_killed():
    """kill -9 at three places: --resume gives the bytes of a choice with the same constants that nothing disturbed."""
    words = [PROGRAM, "choose", *QUICK, "-o", "k.json"]
    for heats in (0, 1, 3):  # studies of the tournament that the record has
        gate = Gate("rename:1", "k.json$")  # each time that the record is written
        first = subprocess.Popen(words + ["--resume"] * (heats > 0), cwd=folder, env={**ENVIRONMENT, **gate.env}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        gate.steps(first, 1, lambda: "units" in (told := record("k.json")) and len(told["studies"]) - len(undecided(told)["studies"]) >= heats)
        first.kill()
        first.wait()
        ok(first.returncode == -9 and "answer" not in record("k.json"), f"killed: with {heats} heats", first.returncode)
    done = choose(*QUICK, "-o", "k.json", "--resume")
    (folder / "w.json").write_text(json.dumps(undecided(record("k.json"))))
    whole = choose(*QUICK, "-o", "w.json", "--resume")
    ok(done.returncode == 0 and done.stdout == whole.stdout, "killed: the same advice", done.stdout + done.stderr)
    ok((folder / "k.json").read_bytes() == (folder / "w.json").read_bytes(), "killed: the same bytes")
    ok(not list(folder.glob("k.heat*")), "killed: nothing is left beside the record", list(folder.glob("k.heat*")))


def test_budget():
    """Where the constants or the screening use it up the choice still ends with the best there is, and says so; methods that
    there is no room to time are left out."""
    told = undecided(record("c.json"))
    ok(told["units"]["left"] == 300 - told["units"]["used"] and 0 < told["units"]["used"] < 300, "budget: units of work", told["units"])
    told["units"]["left"] = 0.0
    (folder / "s.json").write_text(json.dumps(told))
    done = choose(*QUICK, "-o", "s.json", "--resume")
    # of the one method that is screened the goal is met, in a short run, or it is not
    ended = ("nothing meets the goal of what the budget allows", "limit: the budget: longer runs are needed to show it; it ended with screening")
    ok(done.returncode == 1 and any(x in done.stdout for x in ended), "budget: used up in the screening", done.stdout + done.stderr)
    done = choose("henon-heiles", "--goal", "energy 1e-4 until 1e12", "--methods", "compose(rattle, suzuki4)", "--budget", "4s", "--members", "2")
    ok(done.returncode == 1 and "best so far: compose(rattle, suzuki4), step" in done.stdout and "limit: the budget: " in done.stdout, "budget: the best so far", done.stdout + done.stderr)
    field = Field("kepler", {}, goal.parse("energy 1e-4 until 10"), 10.0, Scale(1.0, 1.0, 1.0), [], Runner({}, lambda *_: None, folder / "none.h5", False))
    tried = []
    field.runner.run = lambda study, _, limit: tried.append((*study["methods"], *study["steps"]["counts"])) or []
    left = field.calibrate({"rattle": [1e-6, 1e-6, None], "rk4": [1e-6, 1e-6, 1e-6], "rk6": [2e-6, 2e-6, 2e-6], "heun": [None]}, 8, 8.0)
    ok(sorted(left) == ["rattle", "rk4", "rk6"] and all("budget" in x for x in left.values()) and not field.costs, "budget: methods that stop a study are left out", left)
    ok(tried == [("rattle", 80, 320), ("rk4", "rk6", 20, 80, 320), ("rattle", 320), ("rk4", 20, 80, 320), ("rk6", 20, 80, 320), ("rk4", 320), ("rk6", 320)], "budget: alone, then at small steps", tried)
    both = goal.parse("position 1e-4, momentum exact until 10")
    ok(compiling(60, field.goal) == 24 and compiling(20, field.goal) == compiling(60, both) == 0 < compiling(120, both), "budget: steps are compiled where it allows it")
    studies = []
    field.runner.run = lambda study, _, limit: studies.append((*study["methods"], study["system"]["compile"], limit)) or []
    field.system, field.compiling = {"file": "x.yaml"}, 8.0
    field.code = {"rattle": Code("kick", 1.0), "euler-a": Code("kick", 1.0), "rk4": Code("layer", 5.0)}
    left = field.calibrate({m: [1e-6, 1e-6, 1e-6] for m in field.code}, 8, 8.0)
    ok(studies == [("euler-a", "always", 8.0), ("rk4", "always", -1.0)], "budget: code is compiled once for all its methods, where there is time for it", studies)
    ok(set(left) == set(field.code) and all("compiling" in x for x in left.values()), "budget: methods without code are left out", left)
    field.runner.run = lambda study, _, limit: studies.append(tuple(study["methods"])) or [{}] * (study["timing"]["repeats"] == 1)
    studies.clear()
    field.calibrate({m: [1e-6, 1e-6, 1e-6] for m in field.code}, 8, 8.0)
    ok(studies[2] == ("euler-a", "rattle") and studies[3] == ("rk4",), "budget: methods with other code are timed apart", studies)
    wanted = {"rattle": [10, 20], "rk4": [10, 20], "euler-a": [10, 20]}
    ok(field.together(wanted, 1) == [((10, 20), ["rattle", "euler-a"]), ((10, 20), ["rk4"])], "budget: and run apart", field.together(wanted, 1))
    field.code, field.compiling = {}, 0.0
    groups = field.groups({"a": [1.0, 1.0, 1.0], "b": [2.0, 2.0, 2.0], "c": [1.0, None, None], "d": [0.5, 0.5, None]})
    ok(groups == [(["d"], [80, 320]), (["c"], [320]), (["a", "b"], [20, 80, 320])], "budget: steps that the start allows, the cheapest first", groups)


def limit(*words):
    done = choose(*words, "--quiet", "--budget", "5min", "--members", "2")
    return done.returncode, next((line for line in done.stdout.splitlines() if line.startswith("limit: ")), done.stdout + done.stderr)


def test_limits():
    code, said = limit("henon-heiles", "--goal", "energy 1e-11 until 100", "--methods", "semi-implicit-euler(erp=0.2)")
    ok(code == 1 and "truncation" in said, "limits: truncation", said)
    code, said = limit("henon-heiles", "--goal", "energy 1e-18 until 100", "--methods", "gauss(4)")
    ok(code == 1 and "round-off" in said, "limits: round-off", said)


def here(*words):
    """The command within this process: exit status and stderr."""
    given = [f"system={words[0]}"]
    rest = iter(words[1:])
    for word in rest:
        name = {"-o": "output"}.get(word, word.lstrip("-"))
        given.append(f"{name}=1" if name == "resume" else f"{name}={next(rest)}")
    return asked(*given)


def test_mistakes():
    for words, wanted in (
        (("kepler",), "--goal is missing"),
        (("keppler", "--goal", "energy 1 until 1"), "keppler"),
        (("kepler", "--goal", "constraint 1 until 1"), "no constraints"),
        (("henon-heiles", "--goal", "momentum exact"), "no symmetries"),
        (("kepler", "--goal", "energy 1 until 1", "--methods", "ratle"), "did you mean 'rattle'"),
        (("kepler", "--goal", "energy 1 until 1", "--methods", "project(rk4)"), "needs constraints"),
        (("kepler", "--goal", "energy 1 until 1", "--budget", "long"), "--budget"),
        (("kepler", "--goal", "energy 1 until 1", "--members", "0"), "--members"),
        (("kepler", "--goal", "energy 1 until 1", "--parameters", "nu=1"), 'unknown parameter "nu"'),
        (("kepler", "--goal", "energy 1 until 1", "--initial", "circlar"), 'did you mean "circular"'),
        (("kepler", "--goal", "energy 1 until 1", "-o", "x.pdf"), ".json"),
        (("kepler", "--goal", "energy 1 until 1", "--resume"), "-o FILE"),
        ((*QUICK, "-o", "c.json"), "exists"),
        (("kepler", *QUICK[1:], "-o", "c.json", "--resume"), "another question"),
    ):
        code, said = here(*words) if "--goal" in words and "0" not in words else (lambda d: (d.returncode, d.stderr))(choose(*words))
        ok(code == 2 and wanted in said, f"mistake: {' '.join(words)[:60]}", said)


run_tests(globals())
