#!/usr/bin/python3
"""constella cite, the bibliography behind it, and the licences of the files."""
# SPDX-License-Identifier: BSD-2-Clause
import os
import re
import subprocess
import sys

from cli import BEAD, GOOD, constella, done, ok, path, run, together, write

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
BIBLIOGRAPHY = os.path.join(ROOT, "src", "cli", "bibliography.bib")

with open(BIBLIOGRAPHY, encoding="utf-8") as f:
    TEXT = f.read()
ENTRIES = re.findall(r"^@(\w+)\{(\w+),\n(.*?)\n\}$", TEXT, re.S | re.M)


def uses(body):
    return re.search(r"usedby *= \{([^}]*)\}", body)[1].split(", ")


def names(of, pattern=r"[a-z0-9-]+"):
    listed = constella("list", of).stdout.partition("Benchmarks, compiled")[0]  # which are told with their source
    return [re.match(pattern, line)[0] for line in listed.splitlines() if re.match(pattern, line)]


def bibliography():
    keys = [key for _, key, _ in ENTRIES]
    ok(
        len(ENTRIES) == TEXT.count("\n@") and len(set(keys)) == len(keys),
        "every entry is well formed and has a key of its own",
        keys,
    )
    wrong = [
        key
        for _, key, body in ENTRIES
        if body.count("{") != body.count("}")
        or not re.search(r"^  author +=", body, re.M)
        or not re.search(r"^  title +=", body, re.M)
    ]
    ok(not wrong, "with author, title and closed braces", wrong)
    bad = [
        doi
        for doi in re.findall(r"doi *= \{([^}]*)\}", TEXT)
        if not re.fullmatch(r"10\.\d{4,5}/[^\s{}]+", doi)
    ]
    ok(not bad, "DOIs have the form of DOIs", bad)
    ok(
        all(re.search(r"\n  usedby[^\n]*$", body) for _, _, body in ENTRIES),
        "the rows of an entry are its last field",
    )


def rows():
    known = {
        f"{kind} {name}"
        for kind, of in (("method", "methods"), ("scheme", "schemes"), ("system", "systems"))
        for name in names(of)
    }
    named = {use for _, _, body in ENTRIES for use in uses(body)} - {"software every"}
    ok(named <= known, "every row that an entry names is there", sorted(named - known))
    without = {
        use
        for use in known - named
        if "textbooks of mechanics" not in constella("show", use.split()[1]).stdout
    }
    ok(not without, "every method, scheme and system that has a source has an entry", sorted(without))


def cited():
    run(
        "cited",
        GOOD.replace("[rattle, midpoint]", '["compose(rattle, suzuki4)"]').replace(
            "exact", '{method: "gauss(4)", step: 0.05}'
        ),
    )
    process = constella("cite", path("cited.h5"))
    keys = re.findall(r"^@\w+\{(\w+),", process.stdout, re.M)
    wanted = {
        "Constella",
        "Andersen1983",
        "Suzuki1990",
        "HairerLubichWanner2006",
        "BrugnanoGurioliIavernaroWeinmueller",
    }
    ok(
        process.returncode == 0 and wanted <= set(keys),
        "program, method, scheme, system and the reference's method are cited",
        process.stdout,
        process.stderr,
    )
    ok(not {"TaoOwhadi2016", "KahanLi1997", "Yoshida1990"} & set(keys), "what was not used is not", keys)
    ok(
        "usedby" not in process.stdout and "doi     = {10.1016/0021-9991(83)90014-1}" in process.stdout,
        "with DOIs, without our own field",
    )
    ok(len(keys) == len(set(keys)), "each once")


def own():
    write("bead.yaml", BEAD.replace("coordinates", "source: 'A. Author (a@b.org), A book on @preamble{beads}'\ncoordinates", 1))
    run("own", GOOD.replace("planar-pendulum", "{file: bead.yaml}").replace("exact", "self"))
    process = constella("cite", path("own.h5"))
    ok(
        "% no entry: system bead-on-ellipsoid: A. Author (a(at)b.org), A book on (at)preamble{beads}" in process.stdout,
        "a system of one's own is told with its source, in which no entry begins",
        process.stdout,
    )


def mistakes():
    for words in (("cite",), ("cite", "a.h5", "b.h5"), ("cite", "--all"), ("cite", "none.h5")):
        process = constella(*words)
        ok(
            process.returncode == 2 and process.stderr and not process.stdout,
            " ".join(words) + " is refused",
            process.stderr,
            process.stdout,
        )


def licences():
    check = subprocess.run(
        [sys.executable, os.path.join(ROOT, "tools", "spdx.py"), "--check"], capture_output=True, text=True
    )
    ok(
        check.returncode == 0,
        "every file says its licence (tools/spdx.py adds the line)",
        check.stdout,
        check.stderr,
    )
    with open(os.path.join(ROOT, "CITATION.cff"), encoding="utf-8") as f:
        text = f.read()
    needed = (
        "cff-version",
        "message",
        "title",
        "type",
        "version",
        "authors",
        "abstract",
        "license",
        "keywords",
        "preferred-citation",
        "references",
    )
    missing = [key for key in needed if not re.search(rf"^{key}:", text, re.M)]
    ok(not missing, "CITATION.cff has its keys", missing)
    with open(os.path.join(ROOT, "include", "constella", "constella.h"), encoding="utf-8") as f:
        release = re.search(r'CST_RELEASE "([^"]*)"', f.read())[1]
    ok(re.search(rf"^version: {re.escape(release)}$", text, re.M), "and the version of the release", release)


together([bibliography, rows, cited, own, mistakes, licences])
done()
