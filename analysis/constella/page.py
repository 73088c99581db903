#!/usr/bin/python3
"""report.py: a result file as one self-contained page, or as figures: `constella report FILE -o PAGE.html`.

    report.py FILE [-o PAGE.html] [--figures DIR]

Without -o and --figures the page goes to the file's name with .html in the current folder. Exit: 0; 1 when the output cannot be
written; 2 for mistakes of the user: no such file, no result, a missing Python module.
"""
# SPDX-License-Identifier: BSD-2-Clause
import argparse
import base64
import html
import os
import pathlib
import sys

sys.dont_write_bytecode = True

try:
    import plots
    import style
    import words
    from result import Result, ResultError, shortest
except ImportError as e:
    sys.stderr.write(
        f"constella: error: report needs the Python module {e.name}, which {sys.executable} does not have; "
        "Debian: apt-get install python3-h5py python3-numpy python3-matplotlib\n"
    )
    sys.exit(2)

FORMS = ("png", "pdf", "svg")
MOST_FAILURES = 200  # rows in the table of failures
escape = html.escape


# ---- parts of the page


def section(name, heading, body):
    return f'<section id="{name}"><h2>{escape(heading)}</h2>\n{body}\n</section>\n'


def listing(sentences):
    return "<ul>" + "".join(f"<li>{escape(s)}</li>" for s in sentences) + "</ul>"


def facts(pairs):
    rows = "".join(f"<tr><th>{escape(k)}</th><td>{escape(v)}</td></tr>" for k, v in pairs if v)
    return f'<table class="facts"><tbody>{rows}</tbody></table>'


def number(role, x):
    """A cell as `constella table` prints it."""
    if x != x:
        return "–"
    if role.startswith(("order", "rate", "exponent")):
        return f"{x:.3f}"
    if role in ("step", "end") or (x == int(x) if abs(x) < 1e9 else False):
        return shortest(x)
    return f"{x:.3g}"


def table(result):
    """The default columns, a row a case, a rule where the method changes."""
    names = result.columns
    columns = [result.column(n) for n in names]
    numeric = [c.dtype.kind in "fi" for c in columns]
    meaning = [escape(result.attribute(f"/statistics/{n}", "long_name")) for n in names]
    head = "".join(f'<th{" class=number" if k else ""} title="{m}">{escape(n)}</th>' for n, k, m in zip(names, numeric, meaning))
    methods, rows = result.texts("method"), []
    for case in range(result.ncase):
        cells = "".join(
            f'<td class="number">{number(result.uses.get(n, {}).get("role", ""), float(c[case]))}</td>' if k else f'<td class="label">{escape(c[case]) or "–"}</td>'
            for n, c, k in zip(names, columns, numeric)
        )
        first = case == 0 or methods[case] != methods[case - 1]
        rows.append(f"<tr{' class=first' if first else ''}>{cells}</tr>")
    return f'<div class="scroll"><table class="results"><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'


def figure(name, caption, fig):
    data = base64.b64encode(style.encode(fig, "svg")).decode("ascii")
    image = f'<img alt="{escape(caption)}" src="data:image/svg+xml;base64,{data}">'
    return f'<figure id="figure-{name}">{image}<figcaption>{escape(caption)}</figcaption></figure>\n'


def members_text(members):
    shown = ", ".join(str(m) for m in members[:10])
    return shown + (f" and {len(members) - 10} more" if len(members) > 10 else "")


def failures(result):
    """A table of the trajectories that failed; empty text when none did."""
    found = words.failures(result)
    if not found:
        return ""
    steps, rows = result.data("/final/steps"), []
    for case, reason, members in found[:MOST_FAILURES]:
        good = f"{steps[case][members].min()} to {steps[case][members].max()} of {result.data('/cases/n')[case]}" if steps is not None else "–"
        label = result.texts("method")[case] or f"case {case}"
        cells = (label, shortest(result.nominal[case]), reason, str(len(members)), members_text(members), good)
        rows.append("<tr>" + "".join(f"<td>{escape(c)}</td>" for c in cells) + "</tr>")
    head = "".join(f"<th>{c}</th>" for c in ("method", "step", "reason", "trajectories", "members", "good steps"))
    more = f"<p>{len(found) - MOST_FAILURES} more cases are in the file, /final/status.</p>" if len(found) > MOST_FAILURES else ""
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>{more}'


def study(result):
    text = f"<pre>{escape(result.attribute('/', 'study'))}</pre>"
    description = result.attribute("/", "system_description")
    summary = f"<summary>the system {escape(result.attribute('/', 'system'))}</summary>"
    return text + (f"<details>{summary}<pre>{escape(description)}</pre></details>" if description else "")


def provenance(result):
    """Attributes of the root without the long texts, then those of the run."""
    long = ("study", "system_description", "title", "system", "study_kind")
    root = [(k, v) for k, v in result.attributes("/").items() if k not in long]
    run = [(f"run: {k.replace('_', ' ')}", v) for k, v in result.attributes("/run").items() if not k.endswith("_unix") and k not in ("pid", "pid_start")]
    return facts([("file", os.path.basename(result.path)), *root, *run])


def lead(result):
    total = result.status.shape[1]
    methods = len({c.method for c in result.curves()})
    pieces = [f"{result.kind} study of {result.attribute('/', 'system')}", f"{methods} methods" if methods != 1 else "1 method", f"{result.ncase} cases"]
    return " · ".join(pieces + ([f"{total} members"] if total > 1 else []))


def page(result):
    title = result.attribute("/", "title") or f"{result.kind} study of {result.attribute('/', 'system')}"
    drawn = "".join(figure(*f) for f in plots.figures(result)) or "<p>The file holds nothing to draw yet.</p>"
    parts = [
        ("summary", "Summary", listing([words.state(result), *words.summary(result)])),
        ("figures", "Figures", drawn),
        ("results", "Results", table(result)),
        ("failures", "Failures", failures(result)),
        ("study", "What was run", study(result)),
        ("provenance", "Provenance", provenance(result)),
    ]
    parts = [p for p in parts if p[2]]
    css = (pathlib.Path(__file__).parent / "page.css").read_text(encoding="utf-8")
    warning = "" if result.complete else f'<p class="warning">{escape(words.state(result))} What follows holds only what is there.</p>\n'
    links = "".join(f'<a href="#{name}">{escape(heading)}</a>' for name, heading, _ in parts)
    meta = '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
    head = f'<!DOCTYPE html>\n<html lang="en"><head>{meta}\n<title>{escape(title)}</title>\n<style>\n{css}</style></head>\n'
    body = f'<body>\n<header><h1>{escape(title)}</h1><p class="lead">{escape(lead(result))}</p>\n{warning}<nav>{links}</nav></header>\n'
    return head + body + "".join(section(*p) for p in parts) + "</body></html>\n"


# ---- the command


def write(path, data):
    """All or nothing: a reader never sees half a file."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_bytes(data)
        os.replace(part, path)
    except OSError as e:
        if part.exists():
            part.unlink()
        raise OSError(e.errno, f"cannot write: {e.strerror}", str(path)) from None


def write_figures(result, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name, _, fig in plots.figures(result):
        for form in FORMS:
            write(folder / f"{name}.{form}", style.encode(fig, form))


def arguments(argv):
    parser = argparse.ArgumentParser(prog="constella report", description="Figures and tables of a result file in one self-contained page.", allow_abbrev=False)
    parser.add_argument("file", metavar="FILE", help="a result of constella run")
    parser.add_argument("-o", "--output", metavar="PAGE.html", type=pathlib.Path, help="default: FILE's name with .html, here, unless --figures is given")
    parser.add_argument("--figures", metavar="DIR", type=pathlib.Path, help="also write each figure as PNG, PDF and SVG into this folder")
    args = parser.parse_args(argv)
    if args.output is None and args.figures is None:
        args.output = pathlib.Path(pathlib.Path(args.file).stem + ".html")
    if args.output is not None and args.output.exists() and os.path.exists(args.file) and args.output.samefile(args.file):
        parser.error(f"-o {args.output} is the result file itself")
    return args


def fail(code, subject, message):
    sys.stderr.write(f"{subject}: error: {message}\n")
    return code


def main(argv):
    args = arguments(argv)
    try:
        with Result(args.file) as result:
            if args.figures is not None:
                write_figures(result, args.figures)
            if args.output is not None:
                write(args.output, page(result).encode("utf-8"))
    except ResultError as e:
        return fail(2, args.file, e)
    except OSError as e:
        return fail(1, e.filename or args.file, e.strerror or e)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
