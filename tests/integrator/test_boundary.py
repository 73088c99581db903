"""test_boundary.py: misuse of the library ends in an error code and a text, never in a signal. Every function
that the headers of HEADERS declare is called with NULL for each of its pointers in turn, in a child process;
then calls out of order, indices out of range, masses and parameters that are none."""
# SPDX-License-Identifier: BSD-2-Clause
import ctypes
import math
import os
import re
import signal
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources
os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_btl="self")

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
HEADERS = ("integrator", "system", "method", "diag")
LIBRARY = next(
    x for x in sorted(os.listdir(os.environ.get("BUILD", "build"))) if re.fullmatch(r"libconstella\.so\.[0-9.]+", x)
)
lib = ctypes.CDLL(os.path.join(os.environ.get("BUILD", "build"), LIBRARY), mode=ctypes.RTLD_GLOBAL)
P, D, L = ctypes.c_void_p, ctypes.c_double, ctypes.c_long
count = failed = 0


def ok(good, name, *remarks):
    global count, failed
    count += 1
    failed += not good
    print(f"{'' if good else 'not '}ok {count} - {name}", flush=True)
    for line in "\n".join(map(str, remarks)).splitlines()[:20] if not good else ():
        print(f"# {line}", flush=True)


def prototypes(header):
    """(name, type of the result, [(type, name)]) of every function."""
    with open(f"{ROOT}/include/constella/{header}.h") as f:
        text = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)
    text = re.sub(r"static inline.*?\n}", "", text, flags=re.S)
    text = re.sub(r"^\s*#.*?$", "", text.replace("\\\n", ""), flags=re.M)
    for m in re.finditer(
        r"^((?:const )?\w+(?: const)?[\s*]+(?:const \*)?)\s*(cst_\w+)\(([^;{]*?)\)[^;]*;",
        text,
        flags=re.M,
    ):
        result, name, arguments = (" ".join(x.split()) for x in m.groups())
        if result.startswith(("typedef", "return", "extern")):
            continue
        split = [re.match(
            r"(.*?)(\w+)(\[\w*\])?$",
            x.strip(),
        ) for x in arguments.split(",") if x.strip() not in ("void", "...")]
        yield name, result, [(x[1].strip() + ("*" if x[3] else ""), x[2]) for x in split]


class Options(ctypes.Structure):
    _fields_ = [
        (
            "system",
            P,
        ), ("method", ctypes.c_char_p), ("layers", P), ("step", D), ("trajectories", L), ("tolerance", D),
        (
            "max_iterations",
            ctypes.c_int,
        ), ("compensated", ctypes.c_bool), ("compile", ctypes.c_bool), ("seed", ctypes.c_uint64),
    ]  # fmt: skip


class Conditions(ctypes.Structure):
    _fields_ = [("orders", ctypes.c_int), ("roundoff", ctypes.c_double), ("defect", 13 * ctypes.c_double)]


class Properties(ctypes.Structure):
    _fields_ = [("room", ctypes.c_char * 4096)]


def call(name, result, *arguments):
    f = getattr(lib, name)
    f.restype = result
    return f(*arguments)


def numbers(*x, room=64):
    return (D * room)(*x)


def message(x):
    return (call("cst_integrator_message", ctypes.c_char_p, x) or b"").decode()


def make(system, method=b"rattle", step=0.01, room=1):
    """The code of the creation, and the integrator."""
    x = P()
    options = Options(system=system, method=method, step=step, trajectories=room)
    return call("cst_integrator_create", ctypes.c_int, ctypes.byref(options), ctypes.byref(x)), x


def start(x, c=None, q=(0, -1), v=(0.5, 0), n=1):
    return call(
        "cst_integrator_start",
        ctypes.c_int,
        x,
        L(n),
        c,
        numbers(*q) if q else None,
        numbers(*v) if v else None,
    )


class Things:
    """A valid argument of each type; anything else is zeros."""

    def __init__(self):
        lib.cst_integrator_begin(None, 0)
        self.system = P(call("cst_catalogue_create", P, b"planar-pendulum"))
        self.diag = P(call("cst_diag_create", P))
        self.error = ctypes.create_string_buffer(4096)
        self.method = P(call("cst_method_parse", P, b"rattle", None, self.error))
        self.layers = P(call("cst_layers_create", P))
        self.integrator = make(self.system)[1]
        start(self.integrator)
        self.zeros = ctypes.create_string_buffer(1 << 16)

    def of(self, kind, name):
        kind = kind.replace("const", "").replace(" ", "")
        for key in ("system", "diag", "method", "layers", "integrator"):
            if kind == f"cst_{key}*":
                return getattr(self, key)
        if kind == "FILE*":
            return P(call("fopen", P, b"/dev/null", b"w"))
        if kind == "char*":
            return ctypes.create_string_buffer(b"rattle", 4096)
        if kind == "double*":
            c = numbers(1, 1, 1)
            return c if name == "c" else numbers(0, -1) if name.startswith("q") else numbers(0.5, 0)
        if "*" in kind:
            return ctypes.cast(self.zeros, P)
        if kind == "double":
            return D(0.5)
        return L(1 if name == "n" else 0)


def ended_by(function):
    """The signal that ended the function in a child process, and whether its answer was true."""
    child = os.fork()
    if child == 0:
        signal.alarm(300)
        for k in (1, 2):
            os.dup2(os.open("/dev/null", os.O_WRONLY), k)
        os._exit(0 if function() else 1)
    status = os.waitpid(child, 0)[1]
    return os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0, os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0


RESULTS = {"cst_conditions": Conditions, "cst_properties": Properties, "double": D, "void": None}


def null_pointers(things):
    for header in HEADERS:
        calls, signals = 0, []
        for name, result, arguments in prototypes(header):
            for k, (kind, _) in enumerate(arguments):
                if "*" not in kind:
                    continue
                given = [None if i == k else things.of(*x) for i, x in enumerate(arguments)]
                restype = RESULTS.get(result, P if "*" in result else L)
                by, _ = ended_by(lambda: (call(name, restype, *given), True)[1])
                calls += 1
                if by:
                    signals.append(f"{name}: NULL for {arguments[k][1]}: signal {by}")
        ok(
            calls > 4 and not signals,
            f"{header}.h: {calls} calls with a null pointer end without a signal",
            *signals,
        )


def says(name, function, *words):
    """The function returns (code, text): a code other than 0, and a text with these words."""
    read, write = os.pipe()

    def child():
        code, text = function()
        os.write(write, f"{code} {text}".encode())
        return True

    by, _ = ended_by(child)
    os.close(write)
    heard = os.read(read, 10000).decode()
    os.close(read)
    code, _, text = heard.partition(" ")
    ok(not by and code not in ("", "0") and all(x in text for x in words), name, f"signal {by}", heard)


def masses(things):
    for value in (math.nan, 0.0, -1.0, math.inf):

        def bad(value=value):
            _, x = make(things.system)
            return start(x, numbers(value, 1, 1)), message(x)

        says(f"a mass of {value} is refused", bad, "trajectory 0", "mass" if math.isfinite(value) else "m is")

    def gravity():
        _, x = make(things.system)
        return start(x, numbers(1, 1, math.nan)), message(x)

    says("a parameter that is not a number is refused", gravity, "trajectory 0: the parameter", "finite")


def order(things):
    def advance_unstarted():
        _, x = make(things.system)
        return call("cst_integrator_advance", ctypes.c_int, x, L(1)), message(x)

    says("advance before start", advance_unstarted, "no trajectory has been started")

    def failed_creation():
        _, x = make(things.system, b"no-such-method")
        return start(x), message(x)

    says("start of an integrator that could not be created", failed_creation, "no-such-method")

    def no_system():
        code, x = make(None)
        return code, message(x)

    says("create without a system", no_system, "required")


def ranges(things):
    for index in (-1, 1, 10**6):

        def observe(index=index):
            call("cst_integrator_observe", None, things.integrator, index, numbers(7))
            return 1, message(None)

        says(f"observable {index} is refused", observe, "cst_integrator_observe")
    for state in (-1, 99, 2**31 - 1):

        def beyond(state=state):
            q = numbers(7)
            call("cst_system_state", None, things.system, state, numbers(1, 1, 1), q, numbers())
            return int(q[0] == 7), message(None)

        says(f"state {state} is refused", beyond, "cst_system_state", "s->nstate")
    for name, first in (
        ("cst_catalogue_name", []),
        ("cst_method_info_at", []),
        ("cst_scheme_at", []),
    ):
        for index in (-1, 10**6, -(2**31)):
            by, empty = ended_by(lambda: call(name, P, *first, index) is None)
            ok(not by and empty, f"{name}({index}) is NULL", by)
    for n in (-1, 0, 2, 2**40):
        says(
            f"{n} trajectories are refused",
            lambda: (start(things.integrator, n=n), message(things.integrator)),
            "allowed are 1 to 1",
        )


def before_begin():
    """In a child that never initialises PETSc."""

    def early():
        system = P(call("cst_catalogue_create", P, b"planar-pendulum"))
        code, x = make(system)
        return code and start(x), message(x)

    says("create and start before begin", early, "cst_integrator_begin")


def ends():
    """Each in a child that initialises PETSc itself."""

    def after_end():
        things = Things()
        lib.cst_integrator_end()
        return call(
            "cst_integrator_advance",
            ctypes.c_int,
            things.integrator,
            L(1),
        ), message(things.integrator)

    says("advance after end", after_end, "cst_integrator_end has been called")

    def destroy_after_end():
        things = Things()
        lib.cst_integrator_end()
        lib.cst_integrator_destroy(things.integrator)
        return 1, ""

    says("destroy after end", destroy_after_end)

    def begin_after_end():
        lib.cst_integrator_begin(None, 0)
        lib.cst_integrator_end()
        why = ctypes.create_string_buffer(400)
        return lib.cst_integrator_begin(why, 400), why.value.decode()

    says("begin after end", begin_after_end, "only once")


before_begin()
ends()
things = Things()
null_pointers(things)
masses(things)
order(things)
ranges(things)
print(f"1..{count}")
sys.stdout.flush()
os._exit(1 if failed else 0)
