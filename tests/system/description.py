"""description.py: the description of a system, read for the tests by code that shares nothing with the
program's reader.

A YAML reader and an expression parser for the forms that descriptions have; the functions of the system
become SymPy expressions.
"""
# SPDX-License-Identifier: BSD-2-Clause
import operator, re

import sympy

# ---- YAML: block maps and lists, flow maps and lists, folded and quoted text, comments -----------


class Flow:
    """One flow value: [a, b], {k: v}, "text", or plain words up to what ends them."""

    def __init__(self, text):
        self.s, self.at = text.strip(), 0

    def blank(self):
        while self.s[self.at : self.at + 1] == " ":
            self.at += 1

    def take(self, pattern):
        m = re.compile(pattern).match(self.s, self.at)
        if not m:
            raise ValueError("no %s at %r" % (pattern, self.s[self.at :]))
        self.at = m.end()
        self.blank()
        return m.group(1).strip()

    def several(self, end, entry):
        self.at += 1
        self.blank()
        while self.s[self.at] != end:
            entry()
            if self.s[self.at] == ",":
                self.take("(,)")
        self.take("([]}])")

    def value(self):
        if self.s[self.at] == "[":
            out = []
            self.several("]", lambda: out.append(self.value()))
        elif self.s[self.at] == "{":
            out = {}
            self.several("}", lambda: out.__setitem__(self.take("([^:]+):"), self.value()))
        else:
            out = self.take('"([^"]*)"' if self.s[self.at] == '"' else r"([^][{},]+)")
        return out


def flow_or_text(text):
    return Flow(text).value() if text[:1] in '[{"' else text


def block(lines):
    """The value of lines [(indent, text)] of one block."""
    out, i, indent = None, 0, lines[0][0]
    while i < len(lines):
        end = i + 1
        while end < len(lines) and lines[end][0] > indent:
            end += 1
        below = lines[i + 1 : end]
        if lines[i][1].startswith("- "):
            out = (out or []) + [flow_or_text(" ".join([lines[i][1][2:]] + [t for _, t in below]))]
        else:
            key, rest = re.match(r'"?([^:"]+)"?: *(.*)', lines[i][1]).groups()
            out = out or {}
            if rest in ("", ">-", ">"):
                out[key] = " ".join(t for _, t in below) if rest else block(below)
            else:
                out[key] = flow_or_text(" ".join([rest] + [t for _, t in below]))
        i = end
    return out


def read_yaml(path):
    lines = [re.sub(r"(^|\s+)#.*", "", line.rstrip("\n")) for line in open(path)]
    return block([(len(line) - len(line.lstrip()), line.strip()) for line in lines if line.strip()])


# ---- expressions ---------------------------------------------------------------------------------

FUNCTIONS = {f: getattr(sympy, f) for f in ("sqrt", "sin", "cos", "tan", "exp", "log", "atan2")}
BINARY = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "^": operator.pow}
TOKEN = re.compile(r"\s*(\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+|[A-Za-z]\w*|\S)")


class Parser:
    """Precedences: + - 1, * / 2, unary - 3, ^ 4 (to the right). Decimals become the exact values of their
    doubles.
    """

    def __init__(self, text, names):
        self.tokens, self.at, self.names = TOKEN.findall(str(text)) + [""], 0, dict(names)

    def next(self, wanted=None):
        t = self.tokens[self.at]
        if wanted and t != wanted:
            raise ValueError("%r instead of %r in %r" % (t, wanted, self.tokens))
        self.at += 1
        return t

    def arguments(self):
        self.next("(")
        out = [self.expression(0)]
        while self.tokens[self.at] == ",":
            self.next()
            out.append(self.expression(0))
        self.next(")")
        return out

    def total(self):
        self.next("(")
        variable = self.next()
        self.next(",")
        first = self.expression(0)
        self.next(",")
        last = self.expression(0)
        self.next(",")
        start, terms, hidden = self.at, [], self.names.get(variable)
        if last < first:  # read on behind what is summed
            self.names[variable] = sympy.Integer(1)
            self.expression(0)
        for i in range(int(first), int(last) + 1):
            self.at, self.names[variable] = start, sympy.Integer(i)
            terms.append(self.expression(0))
        self.names[variable] = hidden
        self.next(")")
        return sympy.Add(*terms)

    def operand(self):
        t = self.next()
        if t == "-":
            return -self.expression(3)
        if t == "(":
            out = self.expression(0)
            self.next(")")
            return out
        if t[0].isdigit() or t[0] == ".":
            return sympy.Rational(*float(t).as_integer_ratio())
        if t == "sum":
            return self.total()
        if t in FUNCTIONS:
            return FUNCTIONS[t](*self.arguments())
        if t == "pi":
            return sympy.pi
        out = self.names[t]
        if isinstance(out, list):
            self.next("[")
            k = int(self.expression(0))
            self.next("]")
            if not 1 <= k <= len(out):
                raise IndexError(t)
            out = out[k - 1]
        return out

    def expression(self, least):
        left = self.operand()
        binding = {"+": 1, "-": 1, "*": 2, "/": 2, "^": 4}
        while binding.get(self.tokens[self.at], 0) > least:
            op = self.next()
            left = BINARY[op](left, self.expression(3 if op == "^" else binding[op]))
        return left


def parse(text, names):
    p = Parser(text, names)
    out = p.expression(0)
    p.next("")
    return out


# ---- a system ------------------------------------------------------------------------------------


class System:
    """The functions of one description as SymPy expressions of c (parameters), q and v."""

    def __init__(self, text, size):
        self.names, self.sizes, self.defaults = {}, [], {}
        for name, value in (text.get("parameters") or {}).items():
            self.parameter(name, value, size)
        self.constants = dict(self.names)
        self.slots, self.q = [], []
        for name in text.get("coordinates", []):
            self.coordinate(name)
        plain = len(self.q)
        self.bodies = [self.body(name, b) for name, b in (text.get("bodies") or {}).items()]
        nq = self.nq = len(self.q)
        self.v = [sympy.Symbol("v_%d" % i) for i in range(nq)]
        if plain and all(isinstance(row, list) for row in text["mass"]):
            mass = [[parse(e, self.names) for e in row] for row in text["mass"]]
        else:
            diagonal = self.unrolled(text.get("mass", []), self.names)
            mass = [[diagonal[i] if i == j else sympy.S.Zero for j in range(plain)] for i in range(plain)]
        mass = [row + [sympy.S.Zero] * (nq - plain) for row in mass] + [
            [sympy.S.Zero] * nq for _ in range(nq - plain)
        ]
        for b in (b for bodies in self.bodies for b in bodies):
            self.add_mass(b, mass)
        self.gyroscopic = "gyroscopic" in text
        self.a = self.unrolled(text["gyroscopic"], self.names) if self.gyroscopic else [sympy.S.Zero] * nq
        self.time = sympy.Symbol("c_t")
        self.V = parse(text.get("potential", "0"), {**self.names, "t": self.time})
        self.T = sympy.Add(*[mass[i][j] * self.v[i] * self.v[j] / 2 for i in range(nq) for j in range(nq)])
        self.L = self.T + sympy.Add(*[self.a[i] * self.v[i] for i in range(nq)]) - self.V
        full = any(mass[i][j] != 0 for i in range(nq) for j in range(i))
        self.general = (
            full or self.gyroscopic or any(m.free_symbols & set(self.q) for row in mass for m in row)
        )
        self.g = [g for e in (text.get("constraints") or {}).values() for g in self.constraints(e)]
        self.g += [g for bodies in self.bodies for b in bodies for g in self.orthogonality(b)]
        numbers = [
            x
            for bodies in self.bodies
            for b in bodies
            for x in [b["I"][i, j] for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))] + b["mass"]
        ]
        self.inertias = [x for k, x in enumerate(numbers) if x not in numbers[:k]]
        symmetries = [
            self.of_all_bodies(s, plain)
            if "rotation" in s or "translation" in s
            else s
            if isinstance(s, dict)
            else {"generator": s, "gauge": 0}
            for s in (text.get("symmetries") or {}).values()
        ]
        self.xi = [
            s["entries"] if "entries" in s else self.unrolled(s["generator"], self.names) for s in symmetries
        ]
        self.gauge = [parse(s["gauge"], self.names) for s in symmetries]
        self.states = {k: self.state(s) for k, s in text["states"].items()}

    def parameter(self, name, value, size):
        if isinstance(value, dict) and "size" in value:
            self.names[name] = sympy.Integer(size)
            self.sizes.append(name)
        else:
            symbol = sympy.Symbol("c_" + name)
            self.defaults[symbol] = parse(value["default"] if isinstance(value, dict) else value, self.names)
            self.names[name] = symbol

    def coordinate(self, name):
        word, n = re.fullmatch(r"(\w+)(?:\[(.+)\])?", name).groups()
        n = int(parse(n, self.constants)) if n else 0
        symbols = [sympy.Symbol("q_%s_%d" % (word, i)) for i in range(n or 1)]
        self.names[word] = symbols if n else symbols[0]
        self.q += symbols
        self.slots.append(n)

    def body(self, key, b):
        """The bodies of one name: where their rotation and centre begin in q, inertia, mass."""
        word, n = re.fullmatch(r"(\w+)(?:\[(.+)\])?", key).groups()
        n = int(parse(n, self.constants)) if n else 0
        names = ["%s%d%d" % (b["rotation"], i, j) for i in (1, 2, 3) for j in (1, 2, 3)] + b.get("centre", [])
        self.slots += [None] * len(names)  # lists of all coordinates are unrolled by self.strided
        out, columns = [], {name: [] for name in names}
        for i in range(1, (n or 1) + 1):
            at, here = len(self.q), {**self.constants, "i": sympy.Integer(i)} if n else self.constants
            for name in names:
                columns[name].append(sympy.Symbol("q_%s_%d" % (name, i)))
                self.q.append(columns[name][-1])
            I = b["inertia"]
            I = (
                [[parse(x, here) for x in row] for row in I]
                if isinstance(I[0], list)
                else [[parse(I[j], here) if j == k else sympy.S.Zero for j in range(3)] for k in range(3)]
            )
            out.append(
                {
                    "name": word,
                    "i": i,
                    "n": n,
                    "at": at,
                    "I": sympy.Matrix(I),
                    "mass": [parse(b["mass"], here)] if "centre" in b else [],
                }
            )
        for name in names:
            self.names[name] = columns[name] if n else columns[name][0]
        self.strides = getattr(self, "strides", []) + [(out[0]["at"], n, len(names))]
        return out

    def add_mass(self, b, mass):
        """1/2 omega'I omega = 1/2 tr(V J V'): the rows of R have the mass J."""
        J = b["I"].trace() / 2 * sympy.eye(3) - b["I"]
        for a in range(3):
            for i in range(3):
                for j in range(3):
                    mass[b["at"] + 3 * a + i][b["at"] + 3 * a + j] = J[i, j]
            if b["mass"]:
                mass[b["at"] + 9 + a][b["at"] + 9 + a] = b["mass"][0]

    def of_all_bodies(self, s, plain):
        """The generator of a rotation or translation of all bodies, beside that of the plain coordinates."""
        n = sympy.Matrix([parse(x, self.constants) for x in s.get("rotation", s.get("translation"))])
        xi = self.unrolled(s.get("generator", []), self.names) if plain else []
        for b in (b for bodies in self.bodies for b in bodies):
            R = sympy.Matrix(3, 3, self.q[b["at"] : b["at"] + 9])
            c = sympy.Matrix(self.q[b["at"] + 9 : b["at"] + 12]) if b["mass"] else None
            if "rotation" in s:
                columns = [n.cross(R[:, j]) for j in range(3)]
                xi += [columns[j][i] for i in range(3) for j in range(3)] + (list(n.cross(c)) if c else [])
            else:
                xi += [sympy.S.Zero] * 9 + (list(n) if c else [])
        return {"entries": xi, "gauge": s.get("gauge", 0)}

    def orthogonality(self, b):
        R = sympy.Matrix(3, 3, self.q[b["at"] : b["at"] + 9])
        E = R.T * R - sympy.eye(3)
        return [E[i, j] / (2 if i == j else 1) for i in range(3) for j in range(i, 3)]

    def state(self, s):
        """q and v: lists of all coordinates, or of the plain ones with bodies beside them."""
        if "bodies" not in s:
            return [self.unrolled(s[x], self.constants) for x in "qv"]
        q, v = ([x for x in self.unrolled(s.get(k, []), self.constants)] for k in "qv")
        for bodies in self.bodies:
            for b in bodies:
                e = s["bodies"][b["name"]]
                if isinstance(e, list):
                    e = e[b["i"] - 1]
                here = {**self.constants, "i": sympy.Integer(b["i"])} if b["n"] else self.constants

                def vector(key, n=3):
                    return sympy.Matrix([parse(x, here) for x in e.get(key, [0] * n)])

                if "axis" in e:  # exp(angle hat(n)) by Euler's formula in half angles, as a quaternion
                    axis, half = vector("axis"), parse(e["angle"], here) / 2
                    p = [sympy.cos(half)] + list(
                        axis / sympy.sqrt(sum(x**2 for x in axis)) * sympy.sin(half)
                    )
                elif "quaternion" in e:
                    p = vector("quaternion", 4)
                    p = list(p / sympy.sqrt(sum(x**2 for x in p)))
                else:
                    p = [1, 0, 0, 0]
                u, hat = sympy.Matrix(p[1:]), lambda w: sympy.Matrix(
                    [[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]]
                )
                R = (p[0] ** 2 - u.dot(u)) * sympy.eye(3) + 2 * u * u.T + 2 * p[0] * hat(u)
                if "matrix" in e:
                    R = sympy.Matrix([[parse(x, here) for x in row] for row in e["matrix"]])
                q += list(R) + (list(vector("centre")) if b["mass"] else [])
                v += list(R * hat(vector("omega"))) + (list(vector("velocity")) if b["mass"] else [])
        return [q, v]

    def strided(self, entries, names):
        """The same for names of bodies: the coordinates of one body stand together, and those of its
        neighbour behind them.
        """
        out = []
        for _, n, size in getattr(self, "strides", []):
            mine, entries = entries[:size], entries[size:]
            for i in range(1, (n or 1) + 1):
                out += [
                    parse(
                        e[i - 1] if isinstance(e, list) else e,
                        {**names, "i": sympy.Integer(i)} if n else names,
                    )
                    for e in mine
                ]
        return out

    def unrolled(self, entries, names):
        """One expression of each coordinate, from one for each name; i numbers the elements of an array."""
        out = []
        for k, (e, n) in enumerate(zip(entries, self.slots)):
            if n is None:
                return out + self.strided(entries[k:], names)
            if isinstance(e, list):
                out += [parse(x, {**names, "i": sympy.Integer(i)}) for i, x in enumerate(e, 1)]
            else:
                out += [
                    parse(e, {**names, "i": sympy.Integer(i)} if n else names) for i in range(1, (n or 1) + 1)
                ]
        return out

    def constraints(self, e):
        names = {**self.names, "t": self.time}
        if not isinstance(e, dict):
            return [parse(e, names)]
        name, first, last = re.fullmatch(r"(\w+) *= *(.+?)\.\.(.+)", e["for"]).groups()
        numbers = range(int(parse(first, self.constants)), int(parse(last, self.constants)) + 1)
        return [parse(e["expression"], {**names, name: sympy.Integer(i)}) for i in numbers]
