"""formula.py: expressions of a system file as MathML, as they are written: quotients as fractions, powers raised, x' as a
letter with a dot, x[i] and m1 with an index, sums with their limits, thin spaces in products."""
# SPDX-License-Identifier: BSD-2-Clause
import html
import re
import string
import sys

TOKEN = re.compile(r"\s*([A-Za-z]\w*|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|\S)", re.ASCII)
LETTERS = "alpha beta gamma delta epsilon zeta eta theta kappa lambda mu nu xi pi rho sigma tau phi chi psi omega"
GREEK = dict(zip(LETTERS.split(), "αβγδεζηθκλμνξπρστφχψω"))
GREEK |= dict(zip("Gamma Delta Theta Lambda Xi Sigma Phi Psi Omega".split(), "ΓΔΘΛΞΣΦΨΩ"))
TIMES = '<mo>&#x2062;</mo><mspace width="0.17em"/>'
DEEPEST, FRAMES = 200, 10  # parentheses within each other, and calls for each of them


class NoExpressionError(Exception):
    """The text is none."""


def bracketed(text):
    return f"<mrow><mo>(</mo>{text}<mo>)</mo></mrow>"


def fence(part):
    text, fenced = part
    return bracketed(text) if fenced else text


def symbol(name):
    """The index of a name is what follows its letters."""
    index = name.lstrip(string.ascii_letters)
    base = name[: len(name) - len(index)]
    word = f"<mi>{GREEK.get(base, base)}</mi>"
    return f"<msub>{word}<mi>{index.removeprefix('_')}</mi></msub>" if index else word


class Reader:
    """Each method reads a part of a formula and returns (text, fenced); fenced: it stands in parentheses, which are not
    in the text."""

    def __init__(self, text):
        self.words, self.at, self.depth = [*TOKEN.findall(text), ""], 0, 0

    def take(self, *wanted):
        """The next word, if it is one of these; else ''."""
        word = self.words[self.at]
        self.at += word in wanted
        return word if word in wanted else ""

    def expect(self, word):
        if not self.take(word):
            raise NoExpressionError

    def whole(self):
        text, _ = self.list()
        if self.words[self.at]:
            raise NoExpressionError
        return text

    def list(self, end=""):
        """Expressions with commas between them."""
        texts = [self.sum()[0]]
        while self.take(","):
            texts.append(self.sum()[0])
        if end:
            self.expect(end)
        return (texts[0], True) if len(texts) == 1 else (bracketed("<mo>,</mo>".join(texts)), False)

    def sum(self):
        part = self.product()
        while sign := self.take("+", "-"):
            part = f"{part[0]}<mo>{'+' if sign == '+' else '−'}</mo>{fence(self.product())}", False
        return part

    def product(self):
        part = self.factor()
        while sign := self.take("/", "*"):
            other = self.factor()
            if sign == "/":
                part = f"<mfrac><mrow>{part[0]}</mrow><mrow>{other[0]}</mrow></mfrac>", False
            else:
                part = f"{fence(part)}{TIMES}{fence(other)}", False
        return part

    def factor(self):
        self.depth += 1
        if self.depth > DEEPEST:
            raise NoExpressionError
        part = (f"<mrow><mo>−</mo>{fence(self.factor())}</mrow>", False) if self.take("-") else self.power()
        self.depth -= 1
        return part

    def power(self):
        part = self.operand()
        while self.take("'"):
            part = f"<mover>{part[0]}<mo>˙</mo></mover>", False
        if self.take("^"):
            part = f"<msup><mrow>{fence(part)}</mrow><mrow>{self.factor()[0]}</mrow></msup>", False
        return part

    def operand(self):
        word = self.words[self.at]
        self.at += 1
        if word in ("(", "["):
            return self.list(")" if word == "(" else "]")
        if word[:1].isalpha():
            return (self.call(word) if self.take("(") else self.named(word)), False
        if word[-1:].isdigit() or word[-1:] == "." and word != ".":
            return f"<mn>{word}</mn>", False
        raise NoExpressionError

    def named(self, name):
        if not self.take("["):
            return symbol(name)
        index = self.sum()[0]
        self.expect("]")
        return f"<msub>{symbol(name)}<mrow>{index}</mrow></msub>"

    def call(self, name):
        if name == "sum":
            variable, first, last, term = (self.argument(end) for end in ",,,)")
            limits = f"<mrow>{variable}<mo>=</mo>{first}</mrow><mrow>{last}</mrow>"
            return f"<munderover><mo>∑</mo>{limits}</munderover><mrow>{term}</mrow>"
        part = self.list(")")
        if name == "sqrt":
            return f"<msqrt>{part[0]}</msqrt>"
        if name == "abs":
            return f"<mrow><mo>|</mo>{part[0]}<mo>|</mo></mrow>"
        return f"<mrow><mi>{name}</mi>{fence(part)}</mrow>"

    def argument(self, end):
        text, _ = self.sum()
        self.expect(end)
        return text


def mathml(expression):
    """An expression, or a list of them in parentheses or brackets, as a MathML row; a text that is none as <mtext>."""
    sys.setrecursionlimit(max(sys.getrecursionlimit(), DEEPEST * FRAMES))
    try:
        return f"<mrow>{Reader(expression).whole()}</mrow>"
    except NoExpressionError:
        return f"<mtext>{html.escape(expression)}</mtext>"
