"""grow.py: grows each construct of studies and descriptions of systems until it is refused, and prints the
processor time and the memory for this, and just below it.

Not part of the tests: BUILD=build /usr/bin/python3 tests/fuzz/grow.py [NAME...]

A refusal may take 2 s and 2 GiB; what is accepted is checked within 10 s. Exit status 1 if a limit is
exceeded.
"""
# SPDX-License-Identifier: BSD-2-Clause
import os
import resource
import shutil
import signal
import sys
import tempfile
import time

PROGRAM = os.path.abspath(os.environ.get("CONSTELLA", "build/constella"))
REFUSED, ACCEPTED, MEMORY = 2.0, 10.0, 2048  # seconds, seconds, MiB
LIMIT = 40  # seconds of the processor
BYTES = 64 << 20  # of a text, at most

STUDY = """study: order
system: {system}
end: 1.0
steps: [0.1, 0.05]
methods: [rattle, midpoint]
reference: self
"""
HEAD = 'system: s\ncoordinates: ["x[n]"]\nparameters: {{n: {{size: {n}}}}}\nmass: [1]\n'
STATE = "states: {default: {q: [0.1*i], v: [0]}}\n"
FLAT = "system: s\ncoordinates: [x, y]\nmass: [1, 1]\npotential: y\nconstraints: {rod: x^2 + y^2 - 1}\nstates: {default: {q: [0, -1], v: [1, 0]}}\n"


def study(**change):
    """A study of a pendulum with some lines in place of its own, or behind them."""
    text = STUDY.format(system=change.pop("system", "planar-pendulum"))
    for key, value in change.items():
        lines = [x for x in text.splitlines() if not x.startswith(key + ":")]
        text = "\n".join([*lines, f"{key}: {value}"]) + "\n"
    return text, None


def system(text):
    return STUDY.format(system="{file: system.yaml, compile: never}"), text


def row(n, what=lambda i: "0"):
    return "[" + ", ".join(what(i) for i in range(n)) + "]"


def tableau(n):
    return "{a: " + row(n, lambda i: row(n, lambda j: "0")) + ", b: " + row(n, lambda i: f'"1/{n}"') + "}"


def bombs(n):
    """Aliases of aliases: text grows by n lines, what it stands for by 9^n."""
    return "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1]\n" + "".join(
        f"a{i + 1}: &a{i + 1} [" + ", ".join([f"*a{i}"] * 9) + "]\n" for i in range(n)
    )


GROWTHS = {
    # descriptions of systems
    "coordinates": lambda n: system(HEAD.format(n=n) + "potential: 0\n" + STATE),
    "chain": lambda n: system(HEAD.format(n=n) + 'potential: "sum(i, 2, n, (x[i] - x[i-1])^4)"\n' + STATE),
    "pairs": lambda n: system(
        HEAD.format(n=n) + 'potential: "sum(i, 1, n, sum(j, i+1, n, 1/(1 + (x[i] - x[j])^2)))"\n' + STATE
    ),
    "pairs-by-index": lambda n: system(
        HEAD.format(n=n)
        + 'potential: "sum(i, 1, n, sum(j, i+1, n, sqrt(i*j)/(1 + (x[i] - x[j])^2)))"\n'
        + STATE
    ),
    "triples": lambda n: system(
        HEAD.format(n=n) + 'potential: "sum(i, 1, n, sum(j, 1, n, sum(k, 1, n, x[i]*x[j]*x[k])))"\n' + STATE
    ),
    "sine-of-sum": lambda n: system(HEAD.format(n=n) + 'potential: "sin(sum(i, 1, n, x[i]))"\n' + STATE),
    "sums-in-depth": lambda n: system(
        HEAD.format(n=30)
        + 'potential: "'
        + "".join(f"sum(k{i}, 1, 2, " for i in range(n))
        + "x[1]"
        + ")" * n
        + '"\n'
        + STATE
    ),
    "sum-of-nothing": lambda n: system(HEAD.format(n=3) + f'potential: "sum(i, 1, {n}, 1)"\n' + STATE),
    "sums-of-sums-of-nothing": lambda n: system(
        HEAD.format(n=3) + f'potential: "sum(i, 1, {n}, sum(j, 1, {n}, i*j))"\n' + STATE
    ),
    "constraints-of-neighbours": lambda n: system(
        HEAD.format(n=n)
        + 'potential: 0\nconstraints: {r: {for: "i = 2..n", expression: "(x[i] - x[i-1])^2 - 0.01"}}\n'
        + STATE
    ),
    "constraints-of-all": lambda n: system(
        HEAD.format(n=n)
        + 'potential: 0\nconstraints: {r: {for: "k = 1..n-1", expression: "sum(j, 1, n, sin(x[j]*x[k])) - 1"}}\n'
        + STATE
    ),
    "constraints-in-one": lambda n: system(
        HEAD.format(n=n) + 'potential: 0\nconstraints: {r: "sum(j, 1, n, x[j]^2) - 1"}\n' + STATE
    ),
    "families": lambda n: system(
        HEAD.format(n=2)
        + "potential: 0\nconstraints: {"
        + ", ".join(f'r{i}: {{for: "i = 1..n", expression: "x[i]"}}' for i in range(n))
        + "}\n"
        + STATE
    ),
    "written-constraints": lambda n: system(
        HEAD.format(n=50)
        + "potential: 0\nconstraints: {"
        + ", ".join(f"r{i}: x[{i % 50 + 1}]^2 - {i}" for i in range(n))
        + "}\n"
        + STATE
    ),
    "product": lambda n: system(FLAT.replace("potential: y", "potential: " + "*".join(["(x + 2)"] * n))),
    "different-product": lambda n: system(
        FLAT.replace("potential: y", "potential: " + "*".join(f"(x + {i + 2})" for i in range(n)))
    ),
    "terms": lambda n: system(
        FLAT.replace("potential: y", "potential: " + " + ".join(f"sin({i + 1}*x*y)" for i in range(n)))
    ),
    "tower": lambda n: system(FLAT.replace("potential: y", "potential: " + "sin(x + " * n + "y" + ")" * n)),
    "power": lambda n: system(FLAT.replace("potential: y", f"potential: (x + y)^{n}")),
    "powers-of-powers": lambda n: system(
        FLAT.replace("potential: y", "potential: " + "(" * n + "x + y" + ")^3" * n)
    ),
    "quotients": lambda n: system(
        FLAT.replace("potential: y", "potential: " + "y/(1 + x^2 + " * n + "1" + ")" * n)
    ),
    "brackets": lambda n: system(FLAT.replace("potential: y", "potential: " + "(" * n + "y" + ")" * n)),
    "long-number": lambda n: system(FLAT.replace("potential: y", "potential: y + 0." + "1" * n)),
    "long-name": lambda n: system(FLAT.replace("[x, y]", f"[{'x' * n}, y]").replace("x^2", "x" * n + "^2")),
    "long-doc": lambda n: system(FLAT + "doc: " + "word " * n + "\n"),
    "parameters": lambda n: system(
        FLAT + "parameters: {" + ", ".join(f"p{i}: {i}" for i in range(n)) + "}\n"
    ),
    "parameters-of-parameters": lambda n: system(
        FLAT + "parameters: {p0: 1, " + ", ".join(f"p{i + 1}: p{i}*p{i}" for i in range(n)) + "}\n"
    ),
    "states": lambda n: system(
        FLAT.rstrip().rstrip("}")
        + ", v: [1, 0]}" * 0
        + "}, "
        + ", ".join(f"s{i}: {{q: [0, -1], v: [{i}, 0]}}" for i in range(n))
        + "}\n"
    ),
    "symmetries": lambda n: system(
        FLAT + "symmetries: {" + ", ".join(f"s{i}: [-y, x]" for i in range(n)) + "}\n"
    ),
    "full-mass": lambda n: system(
        HEAD.format(n=n).replace(
            "mass: [1]",
            "mass: "
            + row(n, lambda i: row(n, lambda j: "1" if i == j else f"sin(x[{i + 1}]*x[{j + 1}])/100")),
        )
        + "potential: 0\n"
        + STATE
    ),
    "mass-of-position": lambda n: system(
        HEAD.format(n=min(n, 40)).replace(
            "mass: [1]", 'mass: ["' + " + ".join(["2", *(f"x[i]^{k + 1}" for k in range(n))]) + '"]'
        )
        + "potential: 0\n"
        + STATE
    ),
    "gyroscopic": lambda n: system(
        HEAD.format(n=n) + 'potential: 0\ngyroscopic: ["sum(j, 1, n, x[j])"]\n' + STATE
    ),
    "definitions": lambda n: system(
        HEAD.format(n=1)
        + "potential: f0(x[1])\ndefine:\n"
        + "".join(f"  f{k}(u): f{k + 1}(u + 1) - f{k + 1}(2*u)\n  n{k}: f{k}(x[1]) + {k}\n" for k in range(n))
        + f"  f{n}(u): u\n"
        + STATE
    ),
    "forces": lambda n: system(
        HEAD.format(n=n) + 'potential: 0\nforces: {drag: ["-sum(j, 1, n, x\'[j])"]}\n' + STATE
    ),
    "skates": lambda n: system(
        HEAD.format(n=n)
        + 'potential: 0\nnonholonomic: {skate: {for: "i = 2..n", expression: "sin(x[i-1])*x\'[i] - cos(x[i])*x\'[i-1]"}}\n'
        + STATE
    ),
    "bodies": lambda n: system(
        'system: s\nparameters: {n: {size: %d}}\nbodies: {"link[n]": {rotation: L, centre: [u, v, w], mass: 1, inertia: [1, 2, 2]}}\npotential: 0\n'
        "states: {default: {bodies: {link: {axis: [1, 0, 0], angle: 0.1, omega: [0, 0, 1], centre: [i, 0, 0], velocity: [0, 0, 0]}}}}\n"
        % n
    ),
    "arrays": lambda n: system(
        "system: s\ncoordinates: "
        + row(n, lambda i: f'"x{i}[n]"')
        + "\nparameters: {n: {size: 3}}\nmass: "
        + row(n, lambda i: "1")
        + "\npotential: 0\nstates: {default: {q: "
        + row(n)
        + ", v: "
        + row(n)
        + "}}\n"
    ),
    "exact": lambda n: system(
        FLAT.replace(
            "v: [1, 0]}",
            'v: [1, 0], exact: {q: ["'
            + "sin(t + " * n
            + "t"
            + ")" * n
            + '", "-cos(t)"], v: [cos(t), sin(t)]}}',
        )
    ),
    "system-depth": lambda n: system(FLAT + "x: " + "[" * n + "]" * n + "\n"),
    "system-aliases": lambda n: system(FLAT + bombs(n)),
    # studies
    "steps": lambda n: study(steps="{counts: " + row(n, lambda i: str(10 + i)) + "}"),
    "steps-written": lambda n: study(steps=row(n, lambda i: repr(1 / (10 + i)))),
    "steps-equal": lambda n: study(steps=row(n, lambda i: "0.1")),
    "count-of-steps": lambda n: study(steps="{counts: [%d, %d]}" % (n, 2 * n)),
    "halvings": lambda n: study(steps="{from: 0.1, halvings: %d}" % n),
    "values": lambda n: study(
        system="{name: planar-pendulum, parameters: {g: " + row(n, lambda i: repr(1 + i / 1e6)) + "}}"
    ),
    "range": lambda n: study(
        system="{name: planar-pendulum, parameters: {g: {from: 1, to: 2, count: %d}}}" % n
    ),
    "ranges": lambda n: study(
        system="{name: double-pendulum, parameters: {g: {from: 1, to: 2, count: %d}, L1: {from: 1, to: 2, count: %d}, L2: {from: 1, to: 2, count: %d}}}"
        % (n, n, n)
    ),
    "members": lambda n: study(initial="{members: %d, seed: 1, spread: {v: 0.1}}" % n),
    "members-list": lambda n: study(
        initial="{list: " + row(n, lambda i: "{q: [0, -1], v: [%r, 0]}" % (1 + i / 1e6)) + "}"
    ),
    "starts": lambda n: study(initial=row(n, lambda i: "{q: [0, -1], v: [%r, 0]}" % (1 + i / 1e6))),
    "grid": lambda n: study(initial='{grid: {"x\'": {from: 0.5, to: 1, count: %d}}, project: true}' % n),
    "grids": lambda n: study(
        system="double-pendulum",
        initial='{grid: {"x1\'": {from: 0, to: 0.1, count: %d}, "x2\'": {from: 0, to: 0.1, count: %d}}, project: true}'
        % (n, n),
    ),
    "methods": lambda n: study(
        methods=row(n, lambda i: f'"compose(rattle, [{1 + (i + 1) / 1e6}, {-(i + 1) / 1e6}])"')
    ),
    "methods-unknown": lambda n: study(methods=row(n, lambda i: f"rattel{i}")),
    "compositions": lambda n: study(methods='["' + "compose(" * n + "rattle" + ", suzuki4)" * n + '"]'),
    "adjoints": lambda n: study(methods='["' + "adjoint(" * n + "rattle" + ")" * n + '"]'),
    "conversions-of-taylor": lambda n: study(methods=f'["convert(taylor({n}))"]'),
    "convert-gauss": lambda n: study(methods=f'["convert(gauss({n}))"]'),
    "gauss": lambda n: study(methods=f'["project(gauss({n}))"]'),
    "hbvm": lambda n: study(methods=f'["hbvm(k={n}, s={n})"]'),
    "drifts": lambda n: (
        'study: ensemble\nsystem: planar-pendulum\ninitial: {members: 2, seed: 1}\nend: 1\nsteps: [0.1]\nmethods: ["baoab(friction=1, inverse-temperature=1, drifts=%d)"]\n'
        % n,
        None,
    ),
    "resolution": lambda n: (
        'study: order\nsystem: planar-pendulum\ninitial: {members: 2, seed: 1}\nend: 1\nsteps: [0.5, 0.25]\nmethods: ["baoab(friction=1, inverse-temperature=1)"]\nreference: self\nnoise: {resolution: %r}\n'
        % (0.25 / n),
        None,
    ),
    "gammas": lambda n: study(methods='["compose(rattle, ' + row(n, lambda i: repr(1 / n)) + ')"]'),
    "tableau": lambda n: study(methods=f"[{tableau(n)}]"),
    "tableau-in-convert": lambda n: study(layers="{mine: " + tableau(n) + "}", methods="[convert(mine)]"),
    "layers": lambda n: study(layers="{" + ", ".join(f"l{i}: {tableau(2)}" for i in range(n)) + "}"),
    "tolerances": lambda n: study(solver="{tolerance: " + row(n, lambda i: repr((i + 1) * 1e-12)) + "}"),
    "observables": lambda n: study(observables=row(n, lambda i: f'"o{i}: x^{i % 5 + 1} + {i}*y"')),
    "observable-tower": lambda n: study(observables='["o: ' + "sin(x + " * n + "y" + ")" * n + '"]'),
    "observable-sum": lambda n: study(observables=f'["o: sum(i, 1, {n}, sin(i*x))"]'),
    "histograms": lambda n: study(
        study="ensemble",
        initial="{members: 2, seed: 1}",
        histograms=row(n, lambda i: f"{{name: h{i}, expression: x, from: -1, to: 1, bins: 10}}"),
    ),
    "bins": lambda n: study(
        study="ensemble",
        initial="{members: 2, seed: 1}",
        histograms="[{name: h, expression: x, from: -1, to: 1, bins: %d}]" % n,
    ),
    "samples": lambda n: study(samples="{count: %d}" % n, steps="{counts: [100000, 200000]}"),
    "stored-members": lambda n: study(
        initial="{members: 1000000, seed: 1, spread: {v: 0.1}}",
        trajectories="{members: " + row(n, lambda i: str(i)) + "}",
    ),
    "stored-range": lambda n: study(
        initial="{members: 100000000, seed: 1, spread: {v: 0.1}}", trajectories='{members: ["0..%d"]}' % n
    ),
    "stored-random": lambda n: study(
        initial="{members: 100000000, seed: 1, spread: {v: 0.1}}", trajectories="{members: {random: %d}}" % n
    ),
    "everything": lambda n: study(
        system="{name: planar-pendulum, parameters: {g: {from: 1, to: 2, count: %d}}}" % n,
        steps="{counts: " + row(n, lambda i: str(10 + i)) + "}",
        solver="{tolerance: " + row(n, lambda i: repr((i + 1) * 1e-12)) + "}",
    ),
    "reference-steps": lambda n: study(reference='{method: "gauss(6)", step: %r}' % (0.05 / n)),
    "reference-times": lambda n: study(
        steps="{counts: [%d, %d]}" % (n, 2 * n),
        reference='{method: "gauss(6)", step: 0.05}',
        error="{over: mesh}",
    ),
    "end": lambda n: study(end=str(n), steps="[1, 0.5]"),
    "title": lambda n: study(title="word " * n),
    "unknown-keys": lambda n: (study()[0] + "".join(f"key{i}: 1\n" for i in range(n)), None),
    "depth": lambda n: study(title="[" * n + "]" * n),
    "map-depth": lambda n: study(title="{a: " * n + "1" + "}" * n),
    "aliases": lambda n: (study()[0] + bombs(n), None),
    "long-line": lambda n: study(title='"' + "a" * n + '"'),
    "comments": lambda n: ("# x\n" * n + study()[0], None),
    "documents": lambda n: (study()[0] + "---\na: 1\n" * n, None),
    "anchors": lambda n: (study()[0] + "x: [" + ", ".join(f"&a{i} 1" for i in range(n)) + "]\n", None),
    "escapes": lambda n: study(title='"' + "\\u0041" * n + '"'),
    "block-text": lambda n: (
        study()[0].replace("study: order", "title: |\n" + "  line\n" * n + "study: order"),
        None,
    ),
    "water": lambda n: study(system="{name: tip3p-water, parameters: {n: %d}}" % n),
    "pendulum-chain": lambda n: study(system="{name: pendulum-chain, parameters: {n: %d}}" % n),
    "dna-chain": lambda n: study(system="{name: dna-chain, parameters: {n: %d}}" % n),
}


def attempt(folder, text, described):
    """(exit status, seconds of the processor, MiB, first line of what it said)."""
    for name, content in (("study.yaml", text), ("system.yaml", described)):
        with open(os.path.join(folder, name), "w") as f:
            f.write(content or "")
    said = os.path.join(folder, "said")
    pid = os.fork()
    if pid == 0:
        os.chdir(folder)
        resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT))
        resource.setrlimit(resource.RLIMIT_AS, (12 << 30, 12 << 30))
        out = os.open("/dev/null", os.O_WRONLY)
        err = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(out, 1), os.dup2(err, 2)
        os.execv(PROGRAM, [PROGRAM, "check", "study.yaml"])
    began, usage, status = time.monotonic(), None, None
    while True:
        done, status, usage = os.wait4(pid, os.WNOHANG)
        if done:
            break
        if time.monotonic() - began > 6 * LIMIT:
            os.kill(pid, signal.SIGKILL)
        time.sleep(0.005)
    with open(said, errors="replace") as f:
        line = f.readline().strip()
    return os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, line


def grow(name, make, folder):
    """The most expensive refusal and acceptance, as (size, seconds, MiB, status, line); the exceeded
    limits.
    """
    tried, size, low, high, length = [], 4, 0, None, 0
    while high is None and size <= 4**15 and length < BYTES / 16:
        text, described = make(size)
        length = len(text) + len(described or "")
        tried.append((size, *attempt(folder, text, described)))
        if tried[-1][1] != 0:
            high = size
        else:
            low = size
            if tried[-1][2] > LIMIT / 2:
                break
        size *= 4
    for _ in range(5):
        middle = (low + (high or 0)) // 2
        if high is None or middle in (low, high) or tried[-1][2] > LIMIT / 2:
            break
        tried.append((middle, *attempt(folder, *make(middle))))
        low, high = (middle, high) if tried[-1][1] == 0 else (low, middle)
    if high is not None:
        for times in (16, 256):  # far beyond, where the text is not too long
            if (length < 2000 or length * times < BYTES / 16) and high * times < 4**20:
                tried.append((high * times, *attempt(folder, *make(high * times))))
    wrong = []
    for what, limit, of in (
        ("refused", REFUSED, [t for t in tried if t[1] != 0]),
        ("accepted", ACCEPTED, [t for t in tried if t[1] == 0]),
    ):
        for t in sorted(of, key=lambda t: -t[2])[:1]:
            print(
                f"{name:28s} {what:8s} at {t[0]:>10d}: {t[2]:6.2f} s {t[3]:7.0f} MiB, exit {t[1]}  {t[4][:110]}",
                flush=True,
            )
        wrong += [
            f"{name} at {t[0]}: {what} in {t[2]:.2f} s, {t[3]:.0f} MiB, exit {t[1]}: {t[4][:200]}"
            for t in of
            if t[2] > limit or t[3] > MEMORY or t[1] not in (0, 2)
        ]
    return wrong


if __name__ == "__main__":
    folder, wrong = tempfile.mkdtemp(prefix="constella-grow-"), []
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    for name in sys.argv[1:] or GROWTHS:
        wrong += grow(name, GROWTHS[name], folder)
    shutil.rmtree(folder)
    print(f"{len(sys.argv[1:] or GROWTHS)} constructs, {len(wrong)} beside the limits", *wrong, sep="\n")
    sys.exit(1 if wrong else 0)
