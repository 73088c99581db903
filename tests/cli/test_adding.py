"""test_adding.py: the C of docs/adding.md is what it says: the method builds, is listed and has the orders of its table; the layer runs."""
# SPDX-License-Identifier: BSD-2-Clause
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True   # no __pycache__ among the sources

from cli import BEAD, FOLDER, constella, done, ok, path, skip, write

SOURCES = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
with open(os.path.join(SOURCES, "docs", "adding.md"), encoding="utf-8") as page:
    TEXT = page.read()
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", TEXT, re.M | re.S)


def blocks(language, words):
    """The blocks in a language that hold some words."""
    return [text for name, text in BLOCKS if name == language and words in text]


def command(*words):
    return subprocess.run(words, cwd=SOURCES, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=200, encoding="utf-8")


def variable(name):
    """A variable of the Makefile."""
    told = command("make", "--no-print-directory", "-s", f"BUILD={BUILD}", "--eval", f"told: ; $(info $({name}))", "told")
    return told.stdout.split()


def rows(text):
    """A table as the program prints it: cells of each line, the columns apart by two blanks and more."""
    return [re.split(r" {2,}", line.strip()) for line in text.strip().splitlines()]


def close(a, b):
    """The same to a unit of the last digit that is printed; words as they are."""
    try:
        return abs(float(a) - float(b)) <= 0.011 * abs(float(b)) or abs(float(a)) < 1e-11 > abs(float(b))
    except ValueError:
        return a == b


def same(found, printed):
    return len(found) == len(printed) and all(len(x) == len(y) and all(map(close, x, y)) for x, y in zip(found, printed))


def method():
    (source,), (line,) = blocks("c", "cst_method_row"), blocks("c", "METHOD(")
    name = re.match(r"/\* (\w+\.c):", source).group(1)
    with open(os.path.join(SOURCES, "src/method/list.h"), encoding="utf-8") as file:
        listed = file.read()
    os.makedirs(path("new/method"), exist_ok=True)
    write("new/method/list.h", listed + line)   # found before that of src
    flags = variable("ALL_CFLAGS")
    flags = [x for x in flags if x not in ("-MMD", "-MP")]
    program = path("with-" + name[:-2])
    objects = []
    for file in (write(name, source), os.path.join(SOURCES, "src/method/registry.c")):
        objects.append(path(os.path.basename(file) + ".o"))
        told = command(variable("CC")[0], "-I" + path("new"), *flags, "-c", file, "-o", objects[-1])
        if not ok(told.returncode == 0, f"{os.path.basename(file)} compiles", told.stdout):
            return
    told = command(variable("CC")[0], *variable("SANFLAGS"), BUILD + "/obj/main.o", *objects, BUILD + "/libconstella.a", "-o", program, *variable("PC_LIBS"))
    if not ok(told.returncode == 0, "and is linked", told.stdout):
        return
    told = command(program, "show", "skew")
    ok(told.returncode == 0 and told.stdout.startswith("skew: a method"), "it is shown", told.stdout)
    write("bead.yaml", BEAD)
    write("skew.yaml", """study: order
system: {file: bead.yaml}
end: 2.0
steps: {from: 0.1, halvings: 5}
methods: [skew, "compose(skew, suzuki4)"]
reference: {method: "gauss(6)", step: 0.01}
""")
    told = command(program, "run", path("skew.yaml"), "-o", path("skew.h5"), "--overwrite", "--progress", "none")
    if not ok(told.returncode == 0, "it runs", told.stdout):
        return
    (printed,) = [text for _, text in BLOCKS if text.startswith("method ") and "skew" in text]
    columns = ",".join(rows(printed)[0])
    found = command(program, "table", path("skew.h5"), "--columns", columns, "--where", "step=0.003125")
    ok(found.returncode == 0 and same(rows(found.stdout), rows(printed)), "the table is the one on the page", found.stdout, printed)


def layer():
    (source,), (study,) = blocks("c", "cst_user_layer"), blocks("yaml", "mine.c")
    (session,) = [text for _, text in BLOCKS if text.startswith("$ build/constella run mine.yaml")]
    write("mine.c", source), write("mine.yaml", study)
    told = constella("run", path("mine.yaml"), "-o", path("mine.h5"), "--overwrite", "--progress", "none")
    if told.returncode == 2 and "compiler" in told.stderr:
        return skip("the layer of the page", "no compiler")
    if not ok(told.returncode == 0, "mine.c compiles and runs", told.stderr):
        return
    words = re.search(r"^\$ build/constella table mine.h5 (.*)$", session, re.M).group(1).split()
    found = constella("table", path("mine.h5"), *words)
    printed = session.split(words[-1] + "\n", 1)[1]
    ok(same(rows(found.stdout), rows(printed)), "the table is the one on the page", found.stdout, printed)


if __name__ == "__main__":
    counted = sum(name == "c" for name, _ in BLOCKS)
    ok(counted == 3, "every C block of the page is looked at: a method, its line, a layer", counted)
    method()
    layer()
    done()
