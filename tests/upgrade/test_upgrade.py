"""test_upgrade.py: files that earlier programs have written, the sets beside this file (README.md): this program reads, tables, verifies,
extends and compares them, with the numbers of then. To go on where another program stopped may be refused: with status 2, what
differs, and no byte changed. TAP."""
# SPDX-License-Identifier: BSD-2-Clause
import contextlib
import csv
import glob
import importlib.util
import io
import lzma
import os
import re
import shutil
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources
HERE = os.path.dirname(os.path.abspath(__file__))
ANALYSIS = os.path.join(HERE, "../../analysis")
sys.path[:0] = [os.path.join(HERE, "../cli"), ANALYSIS]

from cli import ENVIRONMENT, PROGRAM, constella, differences, digests, done, h5py, numpy, ok, scratch, skip

ENVIRONMENT["XDG_CACHE_HOME"] = scratch()  # a layer is compiled once
ENVIRONMENT.pop("CONSTELLA_CC", None)
os.environ["CONSTELLA"] = ENVIRONMENT["CONSTELLA"] = PROGRAM  # of the package; the folder is another one

# Results whose bits differ from those of now because a mistake was mended: "SET/NAME": the mistake. `verify` then ends with status 1.
CHANGED = dict.fromkeys(
    (f"0.1.0-c31b9678/{name}" for name in ("conservation", "extended", "skates")),
    "lines whose noise hides a bend were called linear; the significance of a drift is that of the best of seven tests, not of six",
)
# What verify says of a choice that is made by other rules today: an earlier program let a drift that a short run does not exclude
# decide between steps. Its studies have the same bits.
MEASURES = {"0.1.0-c31b9678/certificate.json": (1, "1 of 6 numbers DIFFER")}  # orders are measured over smaller steps now
DECIDES = {"0.1.0-c31b9678/choice.json": (1, "differs in 0 of 9 studies, and decides otherwise")}
# Data sets that results of a program lack, or have of other pairs of samples (`swing` and `way`, of the means over lags), by parts of their
# paths, and those of studies with events; so it is in extensions of these results. `number` and `continue/rows` depend on how many numbers of a trajectory are kept.
LACKS = {"0.1.0-c31b9678": ("passed_singular", "ranges/", "terms/", "_settled_", "_end_change", "number", "continue/rows", "autocorrelation/", "mean-square-displacement/", "statistics/swing_", "statistics/way_", "/values/", "/extreme/", *(f"statistics/{x}_{y}" for x in ("height", "temperature") for y in ("min", "max", "change")), "statistics@columns")}
LACKS_OF_EVENTS = {"0.1.0-c31b9678": ("jumps", "continue/rows", "number")}
# What is the same, bit for bit, in a result that went on to a later end and in one of a run in one piece (docs/extending.md).
LATER = ("final/", "trajectories/", "events/", "extremes/")
# Attributes of a result that name the program.
MAKER = ("/@git", "/@version")
# The ways in which a trajectory can end, with their numbers: later programs have more of them, behind those of then.
ENDS = "final/status@long_name"
# How a program says that it does not go on with what another one wrote.
OTHER = re.compile(
    r"""has "(version|compiler|libraries|build): [^"]+", now it is "\1: [^"]+"; resume with what made it"""
    r"""|was made by another program: (version|compiler|libraries) '[^']+', and this one has '[^']+'"""
    r"""|was made by another version of the program; name another output"""
    r"""|another build saved it"""
    r"""|was made by another version of the program, which keeps other numbers"""
)


class Set:
    """A copy of a set, its files unpacked; which of them no test has read."""

    def __init__(self, folder):
        self.name, self.folder, self.unread = os.path.basename(folder), scratch(), set()
        for packed in os.listdir(folder):
            name = packed.removesuffix(".xz")
            with (lzma.open if packed.endswith(".xz") else open)(os.path.join(folder, packed), "rb") as f:
                data = f.read()
            with open(os.path.join(self.folder, name), "wb") as f:
                f.write(data)
            self.unread.add(name)
        self.before = {name: self.bytes(name) for name in self.unread}

    def path(self, name):
        self.unread.discard(name)
        return os.path.join(self.folder, name)

    def names(self, pattern):
        return sorted(os.path.basename(x) for x in glob.glob(os.path.join(self.folder, pattern)) if os.path.basename(x) in self.before)

    def bytes(self, name):
        with open(os.path.join(self.folder, name), "rb") as f:
            return f.read()

    def has(self, name):
        return name in self.before

    def copy(self, name, to):
        """A file that may change."""
        return shutil.copy(self.path(name), os.path.join(self.folder, to))

    def run(self, name, result, *words):
        """A fresh run of a study of the set; its result. Status 1: trajectories failed."""
        path = os.path.join(self.folder, result)
        process = constella("run", self.path(name), "-o", path, "--progress", "none", "--overwrite", *words, folder=self.folder)
        return path if process.returncode in (0, 1) and os.path.exists(path) else ok(False, f"{self.name}/{name} runs", process.stderr)

    def call(self, *words):
        return constella(*words, folder=self.folder)


# ---- what is wrong: lists of sentences, empty where nothing is ----


def unlike(process, status, *words):
    """A command that did not end with the status, or did not print what it should."""
    said = process.stdout + process.stderr
    wrong = [f"status {process.returncode}, not {status}"] if process.returncode != status else []
    wrong += [f"it does not say '{word}'" for word in words if word not in said]
    return wrong and [*wrong, said]


def unclear(process):
    """A refusal that does not say that, and in what, the program is another one."""
    wrong = [] if OTHER.search(process.stderr) else ["no reason"]
    return wrong + unlike(process, 2, "error")


def other_cells(then, now):
    """Cells of a table of then, as CSV, that one of now has not. It may have more columns."""
    then, now = (list(csv.DictReader(io.StringIO(text))) for text in (then, now))
    wrong = [] if len(then) == len(now) > 0 else [f"{len(now)} rows, not {len(then)}"]
    return wrong + [f"{key}: {b.get(key)}, not {a[key]}" for a, b in zip(then, now) for key in a if b.get(key) != a[key]]


def other_bits(room, name, path):
    """Trajectories whose bits are not those of the file."""
    process = room.call("verify", path, "--sample", 1000, "--trust-code")
    if f"{room.name}/{name}" in CHANGED:
        return unlike(process, 1, "DIFFER", "What differs between the file and this program")
    with h5py.File(path, "r") as f:
        count = int((f["final/status"][...] >= 0).sum())
    return unlike(process, 0, f"{count} trajectories, all ")  # to a tolerance, where PETSc's solvers have another BLAS


# ---- results ----


def reads(room, name, result):
    path = room.path(result)
    wrong = unlike(room.call("status", path), 0, "state         complete")
    ok(not wrong, f"{room.name}/{name}: status", *wrong)
    with open(room.path(name + ".csv")) as f:
        then = f.read()
    now = room.call("table", path, "--format", "csv")
    if "height_max" in then:  # of an expression
        told = room.call("table", path, "--columns", "height_max,energy_max").stdout
        ok("height_max and its like are the largest |x - x(0)|" in told, f"{room.name}/{name}: it says what height_max was", told)
        told = room.call("table", path, "--columns", "energy_max").stdout
        ok("largest |x" not in told, f"{room.name}/{name}: energy_max is what it was", told)
        from constella import open as opened
        from constella import words

        with opened(path) as r:
            told = words.summary(r)
        ok(sum("height_max is the largest |x - x(0)|" in x for x in told) == 1, f"{room.name}/{name}: its report says it too", *told)
    wrong = other_cells(then, now.stdout)
    ok(now.returncode == 0 and not wrong, f"{room.name}/{name}: the table of then", now.stderr, *wrong)
    methods = {row["method"] for row in csv.DictReader(io.StringIO(then))}
    wrong = unlike(room.call("table", path), 0, *methods)
    ok(not wrong, f"{room.name}/{name}: a table to read", *wrong)
    wrong = other_bits(room, name, path)
    ok(not wrong, f"{room.name}/{name}: verify finds the same bits", *wrong)


def ends_of_then(old, fresh):
    """Whether every number of a status means in a fresh result what it meant then."""
    now = fresh.reasons
    return all(now.get(number) == words for number, words in old.reasons.items())


def compares(room, name, result):
    """With a fresh run, in all bits; where the table of another machine has other last digits, beyond noise."""
    import constella as package

    fresh = room.run(name + ".yaml", f"fresh-{name}.h5")
    if not fresh:
        return
    with package.open(room.path(result)) as old:
        with package.open(fresh) as new:
            ok(ends_of_then(old, new), f"{room.name}/{name}: statuses mean what they meant", old.reasons, new.reasons)
        differ = [x for x in differences(digests(old.path), digests(fresh)) if x not in (*MAKER, ENDS)]
        agrees = not differ or old.compare(fresh).agrees or f"{room.name}/{name}" in CHANGED
        ok(agrees, f"{room.name}/{name}: agrees with a fresh run", *differ)
        with h5py.File(room.path(result), "r") as f:
            same = old.kind == f.attrs["study_kind"] and all(
                numpy.array_equal(old.statistic(column.attrs["role"], column.attrs.get("of", "")), column[...], equal_nan=True)
                for column in f["statistics"].values()
                if column.attrs.get("role") == "largest"
            )
            stored = "trajectories" in f
        ok(same, f"{room.name}/{name}: Python reads its columns")
        if stored:
            tracks = old.trajectories()
            ok(tracks and all(numpy.isfinite(x["t"]).all() for x in tracks), f"{room.name}/{name}: Python reads its trajectories")


def extends(room, name, result, form):
    """By a larger study, or a later end: the bits of a fresh run."""
    study, old = f"{name}-{form}.yaml", room.copy(result, f"{name}-{form}-old.h5")
    new = os.path.join(room.folder, f"{name}-{form}.h5")
    process = room.call("extend", old, room.path(study), "-o", new, "--progress", "none")
    title = f"{room.name}/{study}"
    with open(old, "rb") as f:
        ok(f.read() == room.before[result], f"{title}: the file stays as it was")
    if form == "later" and process.returncode == 2:
        wrong = unclear(process)
        ok(not wrong and not os.path.exists(new), f"{title}: refused, with the reason", *wrong)
        return
    fresh = room.run(study, f"fresh-{name}-{form}.h5")
    if not fresh or not ok(process.returncode in (0, 1) and os.path.exists(new), f"{title}: extended", process.stderr):
        return
    differ = [x for x in differences(digests(new), digests(fresh)) if form != "later" or x.startswith(LATER)]
    with h5py.File(old, "r") as f:
        lacks = LACKS.get(room.name, ()) + (LACKS_OF_EVENTS.get(room.name, ()) if "events" in f else ())
    differ = [x for x in differ if not any(what == x or what in f"/{x.split('@')[0]}/" for what in lacks)]
    ok(not differ, f"{title}: the bits of a fresh run", *differ)
    taken = re.search(r"(\d+) trajectories (are taken over|go on to a later end)", process.stdout)
    ok(taken and int(taken[1]) > 0, f"{title}: what there was is taken over", process.stdout)


def results(room):
    for table in room.names("*.csv"):
        name = table.removesuffix(".csv")
        if room.has(name + ".h5"):
            reads(room, name, name + ".h5")
            compares(room, name, name + ".h5")
            for form in ("more", "later"):
                if room.has(f"{name}-{form}.yaml"):
                    extends(room, name, name + ".h5", form)


# ---- what is not finished ----


def goes_on(room, title, process, result, study, *files):
    """A run that goes on from files has the bits of an undisturbed one; a refusal leaves them as they were."""
    if process.returncode == 2:
        wrong = unclear(process)
        ok(not wrong, f"{title}: refused, with the reason", *wrong)
        ok(all(room.bytes(x) == room.before[x] for x in files), f"{title}: the files stay as they were")
        room.path(study)
        return
    differ = differences(digests(result), digests(room.run(study, "fresh-" + study + ".h5")))
    ok(process.returncode == 0 and not differ, f"{title}: the bits of an undisturbed run", process.stderr, *differ)


def interrupted(room):
    for name in sorted({x.split(".h5.")[0] for x in room.names("*.checkpoint.*")}):
        checkpoints = room.names(name + ".h5.checkpoint.*")
        for checkpoint in checkpoints:
            room.path(checkpoint)
        result, study, title = room.path(name + ".h5"), room.path(name + ".yaml"), f"{room.name}/{name}"
        wrong = unlike(room.call("status", result), 0, "interrupted", "checkpoint")
        ok(not wrong, f"{title}: status names its checkpoint", *wrong)
        wrong = unlike(room.call("table", result), 0, "the run was interrupted", "rattle")
        ok(not wrong, f"{title}: its table", *wrong)
        process = room.call("verify", result, "--sample", 1000)
        wrong = unlike(process, 0, "all with the same bits")
        ignored = re.search(r"checkpoint \d+ of .* is ignored: (.*)", process.stderr)
        ok(not wrong and (not ignored or OTHER.search(ignored[1] + "; resume with what made it")), f"{title}: verify", *wrong, process.stderr)
        process = room.call("run", study, "-o", result, "--resume", "--progress", "none")
        goes_on(room, f"{title}: resume", process, result, name + ".yaml", name + ".h5", *checkpoints)
        process = room.call("run", study, "-o", result, "--overwrite", "--progress", "none")
        left = glob.glob(result + ".checkpoint.*")
        ok(process.returncode == 0 and not left, f"{title}: starts over with --overwrite", process.stderr, left)


def parts(room):
    names = room.names("part-*.h5")
    for name in names:
        path = room.path(name)
        wrong = unlike(room.call("status", path), 0, f"part {name[5]}/{len(names)}, complete") + other_bits(room, name, path)
        ok(not wrong, f"{room.name}/{name}: status, and verify finds the same bits", *wrong)
    if names:
        whole = os.path.join(room.folder, "whole.h5")
        process = room.call("merge", *map(room.path, names), "-o", whole, "--progress", "none")
        goes_on(room, f"{room.name}: merge", process, whole, "part.yaml", *names)


# ---- certificates, choices, origins of drifts, systems ----


def keeps(room, study, record):
    """--resume finds all that it asks for, or refuses it, and changes nothing."""
    process = room.call("run", study, "-o", record, "--resume")
    wrong = unclear(process) if process.returncode == 2 else unlike(process, process.returncode if process.returncode < 2 else 0)
    name = os.path.basename(record)
    ok(not wrong and room.bytes(name) == room.before[name], f"{room.name}/{name}: --resume keeps it", *wrong)


def certificates(room):
    from constella.certifying import certificate

    for name in room.names("certificate.json"):
        record = room.path(name)
        title = f"{room.name}/{name}"
        wrong = unlike(room.call("status", record), 0, "state         complete", "claims        1 refuted")
        said = MEASURES.get(title, (0, "all with the same bits"))
        wrong += unlike(room.call("verify", record), *said)
        ok(not wrong, f"{title}: status, and verify finds the same numbers", *wrong)
        refuted = certificate.read(record).refuted
        ok(refuted == [("mine", "symplectic")], f"{title}: Python reads its verdicts", refuted)
        keeps(room, room.path("certificate.yaml"), record)
        larger = room.copy(name, "certificate-more.json")
        process = room.call("extend", larger, room.path("certificate-more.yaml"))
        found = certificate.read(larger)
        ok(process.returncode == 1 and found.of("rattle", "symmetric").verdict == "confirmed", f"{title}: extended", process.stderr)


def choices(room):
    for name in room.names("choice.json"):
        record = room.path(name)
        wrong = unlike(room.call("status", record), 0, "state         complete", "goal          energy 0.001 until 20")
        said = DECIDES.get(f"{room.name}/{name}", (0, "the same bits, the same decisions"))
        wrong += unlike(room.call("verify", record), *said)
        ok(not wrong, f"{room.name}/{name}: status, and verify makes its decisions again", *wrong)
        keeps(room, room.path("choice.yaml"), record)
    for name in room.names("proof.yaml"):
        result = room.run(name, "proof.h5")
        with h5py.File(result, "r") as f:
            change = float((f["statistics/energy_max"][...] / f["statistics/energy_scale"][...]).max())
        ok(0 < change < 1e-3, f"{room.name}/{name}: shows what it promised", change)


def origins(room):
    """What `explain` has found beside a result: reports show it."""
    import constella as package
    from constella.explaining import chart

    for name in room.names("*.explain.h5"):
        room.path(name)
        with package.open(room.path(name.replace(".explain.h5", ".h5"))) as result:
            causes = {(x["quantity"], x["cause"]) for x in chart.kept(result.path, result.attribute("/run", "id"))}
        ok(("energy", "truncation") in causes, f"{room.name}/{name}: the origin of the drift", causes)


def systems(room):
    found = [x for x in room.names("*.yaml") if room.bytes(x).startswith(b"system:")]
    for name in found:
        wrong = unlike(room.call("system", room.path(name)), 0, "\nok\n")
        ok(not wrong, f"{room.name}/{name}: examined", *wrong)
    # read by the studies that name them
    studies = b"".join(room.bytes(x) for x in room.names("*.yaml") if x not in found)
    for name in [*room.names("*.c"), *room.names("starts.csv")]:
        if name.encode() in studies:
            room.path(name)


def pages(room):
    """A comparison as the command prints it, a page with figures, a table for LaTeX: by the package, which these commands call. Sources."""
    if importlib.util.find_spec("matplotlib") is None:
        skip(f"{room.name}: pages", "No module named 'matplotlib'")
        return
    from constella.commands import main

    page, table, said = (os.path.join(room.folder, x) for x in ("page.html", "table.tex", "compared.txt"))
    for name in room.names("skates.h5"):
        words = [f"file={room.path(name)}", "formats=png", "style=screen"]
        status = main(["report", *words, f"output={page}"]) or main(["export", *words, f"output={table}"])
        with open(page) as f, open(table) as g:
            ok(not status and all("dalembert" in x.read() for x in (f, g)), f"{room.name}/{name}: a page and a table")
        with open(said, "w") as f, contextlib.redirect_stdout(f):
            status = main(["compare", f"file={room.path(name)}", f"other={room.path('fresh-' + name)}"])  # of compares()
        with open(said) as f:
            ok(status == 0 and "A and B agree" in f.read(), f"{room.name}/{name}: compared with a fresh run")
        wrong = unlike(room.call("cite", room.path(name)), 0, "@software{Constella")
        ok(not wrong, f"{room.name}/{name}: its sources", *wrong)


# ---- what a wrong reader would do ----


def negatives(room):
    """Each of these must be found: a number that a table has got wrong, a bit of a result, a cut file, a refusal without its reason,
    a file that nobody reads."""
    with open(room.path("stages.csv")) as f:
        then = f.read()
    number = list(csv.DictReader(io.StringIO(then)))[0]["displacement"]
    now = then.replace(number, number[:-1] + ("1" if number[-1] != "1" else "2"))
    ok(now != then and other_cells(then, now) and not other_cells(then, then), "another last digit is found")
    ok(other_cells(then, then.splitlines()[0]), "a row that is missing is found")
    path = room.copy("stages.h5", "bent.h5")
    with h5py.File(path, "r+") as f:
        f["final/q"][0, 0, 0] = numpy.nextafter(f["final/q"][0, 0, 0], 9)
        f["statistics/displacement"][0] *= 2
    ok(other_bits(room, "bent", path), "a last bit of a state is found")
    ok(other_cells(then, room.call("table", path, "--format", "csv").stdout), "a number of a column is found")
    with open(room.copy("stages.h5", "cut.h5"), "r+b") as f:
        f.truncate(40000)
    ok(unlike(room.call("table", os.path.join(room.folder, "cut.h5")), 0, "rattle"), "a cut file is found")
    process = room.call("extend", room.copy("stages.h5", "small.h5"), room.path("self.yaml"))
    ok(process.returncode == 2 and unclear(process), "a refusal for another reason is found")
    room.unread.add("bent.h5")
    ok(room.unread >= {"bent.h5"} and not Set.path(room, "bent.h5") in room.unread, "a file is read once its path is asked for")


def made(room):
    """All results of a set are of the commit that it is named after."""
    with open(room.path("COMMANDS")) as f:
        commit = room.name.rpartition("-")[2]
        found = {commit in f.readline()}
    for name in room.names("*.h5"):
        with h5py.File(room.path(name), "r") as f:
            found.add(name.endswith(".explain.h5") or f.attrs["git"] == commit)
    ok(found == {True}, f"{room.name}: made by that commit")


sets = sorted(os.path.dirname(x) for x in glob.glob(os.path.join(HERE, "*/COMMANDS")))
ok(sets, "there is a set")
for folder in sets:
    room = Set(folder)
    for test in (made, results, interrupted, parts, certificates, choices, origins, systems, pages):
        test(room)
    ok(not room.unread, f"{room.name}: each of its files is read", *sorted(room.unread))
negatives(Set(sets[0]))
done()
