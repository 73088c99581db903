"""cli.py: shared by the end-to-end tests of the command line: running the program, TAP lines, reading
results."""
# SPDX-License-Identifier: BSD-2-Clause
import atexit
import csv
import functools
import glob
import hashlib
import importlib.util
import io
import os
import resource
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor

SLOW = ("h5py", "numpy")  # modules that take a fifth of a second to import
for _name in SLOW:
    if importlib.util.find_spec(_name) is None:
        print(f"1..0 # SKIP No module named '{_name}'")
        sys.exit(0)


def __getattr__(name):
    """`from cli import h5py, numpy`, for the tests that use them."""
    if name in SLOW:
        return importlib.import_module(name)
    raise AttributeError(f"cli has no {name}")


PROGRAM = os.path.abspath(os.environ.get("CONSTELLA", "build/constella"))
# The same objects with code for v2 besides, of some methods (tests.mk).
MORE_SETS = os.path.abspath(os.path.join(os.environ.get("BUILD", "build"), "tests/constella-sets"))
# `make san` sets it: limits of time are multiplied by it.
SLOWER = int(os.environ.get("SLOWER", 1))
FOLDER = tempfile.mkdtemp(prefix="constella-cli-")
atexit.register(shutil.rmtree, FOLDER, True)

ENVIRONMENT = {
    **os.environ,
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",  # the same for Open MPI 5
    "OMPI_MCA_mpi_yield_when_idle": "1",
    # where there is no fast network, Open MPI 5 says of ucx so on stderr
    "OMPI_MCA_osc": "^monitoring,pt2pt,rdma,ucx",
}
# the program chooses a btl by itself
for inherited in ("CONSTELLA_ISA", "OMPI_MCA_btl", "OMPI_MCA_sharedfp", "PETSC_OPTIONS"):
    ENVIRONMENT.pop(inherited, None)

STRIKE = os.path.abspath(os.path.join(os.environ.get("BUILD", "build"), "tests/survive/strike.so"))


def hurried(rate=10):
    """Variables of a run whose seconds between checkpoints are those of a clock that goes `rate` times as fast: it
    makes many of them in little time.
    """
    return {"LD_PRELOAD": STRIKE, "STRIKE_CLOCK": str(rate)}


_count = _failed = 0
# .lines: the output of a function of `together`, printed in the order of the functions
_mine = threading.local()


def _say(verdict, text, remarks=()):
    global _count, _failed
    if hasattr(_mine, "lines"):
        _mine.lines.append((verdict, text, remarks))
        return
    if verdict is None:
        print(f"# {text}", flush=True)
        return
    _count += 1
    _failed += not verdict
    print(f"{'' if verdict else 'not '}ok {_count} - {text}", flush=True)
    for line in "\n".join(str(x) for x in remarks).splitlines()[:30] if not verdict else ():
        print(f"# {line}", flush=True)


def ok(verdict, name, *remarks):
    """One TAP line; remarks are printed when it fails. Returns the verdict."""
    _say(bool(verdict), name, remarks)
    return bool(verdict)


def skip(name, why):
    _say(True, f"{name} # SKIP {why}")


def note(text):
    _say(None, text)


def together(functions, most=4):
    """Run functions at the same time (a run waits for MPI more than it computes) and print their lines in
    order."""

    def heard(function):
        _mine.lines = []
        try:
            function()
        except Exception as error:
            ok(False, f"{getattr(function, '__name__', 'test')} ends without an exception", repr(error))
        lines = _mine.lines
        del _mine.lines
        return lines

    with ThreadPoolExecutor(most) as pool:
        for lines in pool.map(heard, functions):
            for line in lines:
                _say(*line)


def done():
    print(f"1..{_count}")
    sys.exit(1 if _failed else 0)


def scratch():
    """A fresh folder in the scratch folder."""
    return tempfile.mkdtemp(dir=FOLDER)


def path(name):
    return os.path.join(FOLDER, name)


def write(name, text):
    """A file in the scratch folder; returns its path."""
    mode = "wb" if isinstance(text, bytes) else "w"
    with open(path(name), mode) as f:
        f.write(text)
    return path(name)


class _Server:
    """The program, loaded once (serve.c), of which each command is a copy: starting it takes longer than most
    of what it is asked here."""

    LIBRARY = os.path.abspath(os.path.join(os.environ.get("BUILD", "build"), "tests/cli/serve.so"))
    # what acts when a program is loaded: of a copy it has acted already, as ENVIRONMENT says
    AT_LOADING = ("GLIBC_TUNABLES", "LD_LIBRARY_PATH", "LD_DEBUG")
    MOST = 100000  # bytes of a request

    more = {}  # variables of the server (serve.c)

    def __init__(self):
        self.socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self.process = subprocess.Popen(
                [PROGRAM],
                env={**ENVIRONMENT, **self.more, "LD_PRELOAD": self.LIBRARY, "CONSTELLA_SERVE": str(theirs.fileno())},
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
            )
        atexit.register(self.end)

    def end(self):
        self.socket.close()
        self.process.wait()

    @classmethod
    def request(cls, words, env, folder, seconds):
        """The text of a request; None for what must be started by itself."""
        variables = [f"{name}={value}" for name, value in env.items()]
        parts = [folder, str(seconds), str(len(words)), str(len(variables)), *words, *variables]
        text = b"".join(os.fsencode(x) + b"\0" for x in parts)
        whole = len(text) < cls.MOST and text.count(b"\0") == len(parts) and SLOWER == 1
        whole = whole and "LD_PRELOAD" not in env and all(env.get(x) == ENVIRONMENT.get(x) for x in cls.AT_LOADING)
        return text if whole and os.path.exists(cls.LIBRARY) else None

    def run(self, text, words, timeout):
        """As subprocess.run(), its output captured."""
        pipes = [os.pipe() for _ in range(3)]
        with open(os.devnull) as nothing:
            socket.send_fds(self.socket, [text], [nothing.fileno(), *(end for _, end in pipes)])
        for _, end in pipes:
            os.close(end)
        out, err, reply = (open(begin, "rb") for begin, _ in pipes)
        with out, err, reply:
            pid = int.from_bytes(reply.read(4), sys.byteorder)
            late = threading.Timer(timeout, os.kill, (pid, signal.SIGKILL))
            late.start()
            with ThreadPoolExecutor(1) as beside:
                errors = beside.submit(err.read)
                said = out.read()
            status = os.waitstatus_to_exitcode(int.from_bytes(reply.read(4), sys.byteorder))
            late.cancel()
        texts = [x.decode("utf-8", "replace") for x in (said, errors.result())]
        texts = [x.replace("\r\n", "\n").replace("\r", "\n") for x in texts]  # as subprocess does
        return subprocess.CompletedProcess(words, status, *texts)


class _Python:
    """Python with the package and matplotlib, loaded once (python.py): importing them takes longer than most of
    what its commands are asked here."""

    SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "python.py")
    # as src/cli/analysis.c sets them
    ALWAYS = {"MPLBACKEND": "Agg", "MATPLOTLIBRC": "/dev/null", "PYTHONMALLOC": "malloc", "OPENBLAS_NUM_THREADS": "1"}
    # what acts when Python or a module is loaded
    AT_LOADING = ("PYTHON", "MATPLOTLIB", "LC_", "LANG", "LD_", "HDF5_", "CONSTELLA_ANALYSIS")

    def __init__(self):
        self.socket = path("python")
        theirs, self.alive = os.pipe()
        environment = {**ENVIRONMENT, **self.ALWAYS}
        self.process = subprocess.Popen([sys.executable, self.SCRIPT, self.socket, str(theirs)], env=environment, pass_fds=[theirs], stdin=subprocess.DEVNULL)
        os.close(theirs)
        atexit.register(os.close, self.alive)
        while not os.path.exists(self.socket) and self.process.poll() is None:
            time.sleep(0.01)  # where it ends, each command starts Python by itself

    @classmethod
    def fits(cls, env):
        """Whether a command with these variables may be a copy of a Python that is loaded already."""
        changed = [name for name in {*env, *ENVIRONMENT} if env.get(name) != ENVIRONMENT.get(name)]
        return SLOWER == 1 and len(path("python")) < 100 and not any(name.startswith(cls.AT_LOADING) for name in changed)


    # commands that need it always; others where there is one
    NEED = ("report", "plot", "export", "compare", "certify", "choose", "explain")
    FEW = 2  # commands that cost less than to load it for them

    @classmethod
    def variables(cls, command, env):
        """What tells a copy of the program where it is."""
        global _python, _asked
        if not (_drawing and command[1:] and cls.fits(env)):
            return {}
        _asked += command[1] in cls.NEED
        if not _python and _asked > cls.FEW:
            _python = cls()
        return {"CONSTELLA_SERVE_PYTHON": _python.socket} if _python else {}


_python, _drawing, _asked = None, False, 0


def draw_by_server():
    """Many commands that follow draw, or measure in Python: it is loaded once for all of them."""
    global _drawing
    _drawing = True


_server, _beginning = None, threading.Lock()


def solve_by_petsc():
    """Most commands that follow need PETSc: it is loaded once for all of them."""
    _Server.more = {"CONSTELLA_SERVE_PETSC": "1"}



def _served(command, env, folder, timeout, seconds=0):
    """The result of a command by the server; None for what must be started by itself."""
    global _server
    with _beginning:
        env = {**env, **_Python.variables(command, env)}
    text = _Server.request(command, env, folder, seconds)
    if text is None:
        return None
    with _beginning:
        _server = _server or _Server()
    return _server.run(text, command, timeout)


@functools.lru_cache(None)
def program_for(isa):
    """The built program that has code for an instruction set which this machine can run; None: there is none."""
    for program in (PROGRAM, MORE_SETS):
        process = os.path.exists(program) and subprocess.run(
            [program, "check", os.devnull],
            env={**ENVIRONMENT, "CONSTELLA_ISA": isa},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        if process and "CONSTELLA_ISA" not in process.stderr:
            return program
    return None


def narrowest():
    """The instruction set with the fewest lanes of those that are built and run here."""
    return next(isa for isa in ("v2", "v3", "v4", "portable") if program_for(isa))


def sets(*wanted):
    """The instruction sets among those wanted for which some built program has code; a line says which are left out."""
    for isa in wanted:
        if program_for(isa):
            yield isa
        else:
            skip(f"with CONSTELLA_ISA={isa}", "not built, or not on this machine: make ISAS=all test")


def not_built(process, name):
    """Whether a run ended because the tests' build lacks a method for the set that was asked for; a line says so."""
    lacks = process.returncode == 2 and "is not built for the instruction set" in process.stderr
    if lacks:
        skip(name, "make ISAS=all test")
    return lacks


def constella(*words, ranks=0, env=None, folder=None):
    """Run the program; the result has returncode, stdout, stderr. ranks 0: without mpirun."""
    program = PROGRAM
    if env and env.get("CONSTELLA_ISA") in ("v2", "v3", "v4"):
        program = program_for(env["CONSTELLA_ISA"]) or PROGRAM
    command = (["mpirun", "-n", str(ranks)] if ranks else []) + [program, *map(str, words)]
    env, folder = {**ENVIRONMENT, **(env or {})}, folder or FOLDER
    return (not ranks and program == PROGRAM and _served(command, env, folder, 1000)) or subprocess.run(
        command,
        env=env,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        timeout=1000,
        encoding="utf-8",
        errors="replace",
    )


def limited(*words, seconds=6, folder=None):
    """As constella(), with a limit of processor time, and a hundred times as much of real time, that kills it. The
    default is three times what a refusal takes on an idle machine."""
    command, folder = [PROGRAM, *map(str, words)], folder or os.path.dirname(path("x"))

    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (SLOWER * seconds, SLOWER * seconds))

    try:
        return _served(command, ENVIRONMENT, folder, 100 * seconds, seconds) or subprocess.run(
            command,
            env=ENVIRONMENT,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            timeout=100 * SLOWER * seconds,
            encoding="utf-8",
            errors="replace",
            preexec_fn=limit,
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(words, -1, "", "it took too long")


def by_rank(commands, folders=None):
    """Words that start one rank per command, in its folder; mpirun of Open MPI 5.0.7 crashes on its own ':'."""
    cases = [
        f"{i}) {'cd ' + shlex.quote(folders[i]) + ' && ' if folders else ''}exec {shlex.join(command)};;"
        for i, command in enumerate(commands)
    ]
    script = 'case "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" in ' + " ".join(cases) + " esac"
    return ["mpirun", "-n", str(len(commands)), "sh", "-c", script]


def run(name, text, *words, **how):
    """Run a study given as text to NAME.h5; returns (the finished process, the path of the result)."""
    study = write(name + ".yaml", text)
    result = path(name + ".h5")
    return constella("run", study, "-o", result, "--overwrite", "--progress", "none", *words, **how), result


def made(name, text, *words, **how):
    """The opened result of a study that must succeed; None (and a failed test) when it does not."""
    process, result = run(name, text, *words, **how)
    if not ok(
        process.returncode == 0,
        f"{name} runs",
        f"exit status {process.returncode}",
        process.stderr,
        process.stdout,
    ):
        return None
    import h5py

    return h5py.File(result, "r")


def table(result):
    """Rows of `table --format csv --columns all` as dictionaries, numbers as floats where they are
    numbers."""
    process = constella("table", result, "--format", "csv")
    rows = []
    for row in csv.DictReader(io.StringIO(process.stdout)):
        for key, cell in row.items():
            try:
                row[key] = float(cell)
            except ValueError:
                pass
        rows.append(row)
    return rows


def digests(result):
    """sha256 of the bytes of every dataset outside /run, and of the texts and numbers at its objects; of a file that has
    not changed since, those that were found.
    """
    now = os.stat(result)
    return dict(_digests(os.path.realpath(result), now.st_ino, now.st_size, now.st_mtime_ns))


def _bytes(thing):
    """Type, shape and bytes of a dataset or attribute; texts of any length as such."""
    import h5py

    type, shape = thing.dtype, thing.shape
    if thing.get_space().get_simple_extent_type() == h5py.h5s.NULL:
        return str(type).encode()
    import numpy

    value = numpy.zeros(shape, type)
    if isinstance(thing, h5py.h5d.DatasetID):
        thing.read(h5py.h5s.ALL, h5py.h5s.ALL, value)
    else:
        thing.read(value)
    return f"{type}{shape}".encode() + (repr(value.tolist()).encode() if type.hasobject else value.tobytes())


@functools.lru_cache(200)
def _digests(result, *_):
    """By the functions of the HDF5 library: the classes of h5py take three times as long."""
    from h5py import h5a, h5d, h5f, h5o

    found = {}

    def attributes(name, thing):
        for k in range(h5a.get_num_attrs(thing)):
            attribute = h5a.open(thing, index=k)
            key = attribute.name.decode()
            if key not in ("DIMENSION_LIST", "REFERENCE_LIST"):
                found[f"{name}@{key}"] = _bytes(attribute)

    def visit(name):
        text = name.decode()
        if text == "run" or text.startswith("run/"):
            return
        thing = h5o.open(file, name)
        attributes(text, thing)
        if isinstance(thing, h5d.DatasetID):
            found[text] = hashlib.sha256(_bytes(thing)).hexdigest()

    file = h5f.open(os.fsencode(result), h5f.ACC_RDONLY)
    attributes("/", h5o.open(file, b"/"))
    h5o.visit(file, visit)
    return found


def differences(a, b):
    return [name for name in sorted(set(a) | set(b)) if a.get(name) != b.get(name)]


# A small study, of which tests change lines.
GOOD = """study: order
system: planar-pendulum
end: 1.0
steps: [0.1, 0.05]
methods: [rattle, midpoint]
reference: exact
"""

# A system of the user.
BEAD = """system: bead-on-ellipsoid
coordinates: [x, y, z]
parameters: {m: 1, g: 1, a: 1, c: 2}
mass: [m, m, m]
potential: m*g*z
constraints: {surface: (x^2 + y^2)/a^2 + z^2/c^2 - 1}
symmetries: {rotation-z: [-y, x, 0]}
states: {default: {q: [0.6*a, 0, -0.8*c], v: [0, 1, 0]}}
"""

# Its motion passes a singular state.
CRANK = """system: isosceles
doc: Crank and rod of the same length 1; A is their joint, B = (X, 0) the slider. At A = (0, 1) or (0, -1) the slider is at the pivot.
coordinates: [x, y, X]
parameters: {g: 9.81, al: 0.9, w: -0.4}
mass: [1, 1, 0.5]
potential: g*y
constraints:
  crank: (x^2 + y^2 - 1)/2
  rod: ((x - X)^2 + y^2 - 1)/2
states:
  default: {q: [cos(al), sin(al), 2*cos(al)], v: [-sin(al)*w, cos(al)*w, -2*sin(al)*w]}
"""


_pieces, _piece = {}, threading.Lock()


def _at_once(text):
    """The result of a study in one piece, run once for all that compare with it."""
    with _piece:
        if text not in _pieces:
            _pieces[text] = run(f"at-once-{len(_pieces)}", text)[1]
        return _pieces[text]


def resumes(name, text):
    """Runs a study that is stopped by a limit of time, up to three times, and resumed: the bits of a run in one piece. The
    clock goes on by as much whenever it is asked, so that the run stops on any machine."""
    from held import ticking

    limit, clock = ("--max-hours", "0.0002"), ticking()
    study, result = write(name + ".yaml", text), path(name + ".h5")
    line = ("run", study, "-o", result, "--progress", "none")
    process = constella(*line, *limit, env=clock)
    stops = 0
    while process.returncode == 75 and stops < 40:
        stops += 1
        process = constella(*line, "--resume", *limit, env=clock) if stops < 3 else constella(*line, "--resume")
    ok(process.returncode == 0 and stops > 0, "stopped on its way, and resumed", stops, process.stderr)
    differ = differences(digests(result), digests(_at_once(text)))
    ok(not differ, "the bits of a run without a stop", differ)


def survives(name, text):
    """Kills a run after its first checkpoint, where the second one is to get its name, and resumes it: the bits of a run
    in one piece. Returns the result."""
    from held import killed_at_checkpoint

    study, result = write(name + ".yaml", text), path(name + ".h5")
    process = killed_at_checkpoint([PROGRAM, "run", study, "-o", result, "--progress", "none"])
    whole = [x for x in glob.glob(result + ".checkpoint.[0-9]*") if not x.endswith(".new")]
    ok(process.returncode == -signal.SIGKILL and whole, f"{name}: killed, with a checkpoint", process.returncode)
    process = constella("run", study, "-o", result, "--resume", "--progress", "none")
    differ = differences(digests(result), digests(_at_once(text)))
    ok(process.returncode == 0 and not differ, f"{name}: resumed, with the bits of a run without it", differ, process.stderr)
    return result


def close(a, b, bound=1e-12):
    import numpy

    a, b = numpy.asarray(a, float), numpy.asarray(b, float)
    return a.shape == b.shape and bool((numpy.abs(a - b) <= bound * (1 + numpy.abs(b))).all())
