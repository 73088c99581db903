"""commands.py: what `constella report`, `plot`, `export`, `compare`, `system --html` and `list figures` do, with messages instead of
tracebacks.

The program has parsed the command line (src/cli/analysis.c); a word NAME=VALUE comes here for each argument
and option. Exit: 0; 1 when the output cannot be written, or for a mistake in the program itself; 2 for
mistakes of the user: no such file, no result, a damaged one, a missing Python module, nothing to draw.
CONSTELLA_TRACEBACK=1 in the environment shows the traceback, for developers.
"""
# SPDX-License-Identifier: BSD-2-Clause
import os
import pathlib
import sys
import traceback
import warnings

import numpy

from .reading import ConstellaError, Watch, naming, unknown
from .result import Result
from .selection import split
from .soundness import damage
from .writing import write


def fail(code, subject, message):
    sys.stderr.write(f"{subject}: error: {message}\n")
    return code


class Arguments:
    """The words NAME=VALUE of a command as attributes; None where there is no such word."""

    def __init__(self, words):
        self.given = dict(word.split("=", 1) for word in words)
        for name in ("output", "figures"):
            if name in self.given:
                self.given[name] = pathlib.Path(self.given[name])

    def __getattr__(self, name):
        return self.given.get(name)


def same_file(output, file):
    return output is not None and output.exists() and os.path.exists(file) and output.samefile(file)


# ---- what they do


def report(args):
    from . import fonts, lettering, page, style
    from .plot.saving import FORMS

    if args.output is not None and args.output.suffix.lower() not in (".html", ".htm"):
        raise ConstellaError(f"{args.output}: the page is written as .html or .htm")
    forms = [f.strip() for f in args.formats.split(",")]
    for form in forms:
        if form not in FORMS:
            raise unknown("format", form, FORMS)
    drawn = {"svg", *(forms if args.figures is not None else [])}
    fonts.hold(drawn)
    for form in drawn:
        lettering.apply(form)
    with Result(args.file) as result:
        chosen = result.select(args.methods, args.where)
        if args.figures is not None:
            args.figures.mkdir(parents=True, exist_ok=True)
            for name, _, fig in page.figures(chosen, args.style):
                for form in forms:
                    write(args.figures / f"{name}.{form}", style.encode(fig, form, args.style))
        if args.output is not None:
            write(args.output, page.page(chosen, args.style).encode("utf-8", "replace"))


def interval(text):
    if text is None:
        return None
    try:
        first, last = text.split(":")
        return (float(first) if first else -float("inf"), float(last) if last else float("inf"))
    except ValueError:
        raise ConstellaError(f'--time: "{text}" is no FROM:TO') from None


def numbers(text):
    if text is None:
        return None
    try:
        return [int(m) for m in text.split(",")]
    except ValueError:
        raise ConstellaError(f'--members: "{text}" is no list of numbers') from None


def draw(args):
    from . import fonts, lettering, plot
    from .plot.saving import form_of

    if args.kind not in plot.KINDS:
        raise unknown("kind of figure", args.kind, list(plot.KINDS))
    options = {"x": args.x and split(args.x), "y": args.y and split(args.y), "z": args.z and split(args.z)}
    options |= {"members": numbers(args.members), "time": interval(args.time), "other": args.other}
    options = {k: v for k, v in options.items() if v is not None}
    with Result(args.file) as result:
        if args.output.suffix == ".html" and args.kind == "mechanism":
            from .animation import page

            moving = page(result.select(args.methods, args.where), **options)
            return write(args.output, moving.encode("utf-8"))
        fonts.hold([form_of(args.output)])
        lettering.apply(form_of(args.output))
        fig = plot.figure(
            args.kind,
            result,
            methods=args.methods,
            where=args.where,
            look=args.style,
            width=args.width and float(args.width),
            panel=args.panel,
            **options,
        )
        plot.save(fig, args.output, args.style)


def export(args):
    from .exporting import export as export_to

    with Result(args.file) as result:
        export_to(
            result.select(args.methods, args.where),
            args.output,
            args.columns and split(args.columns),
            args.case and int(args.case),
        )


def compare(args):
    """Two results side by side; status 1 where they differ beyond noise."""
    from . import beside

    with naming(args.other):
        other = Result(args.other)
    with Result(args.file) as a, other as b:
        found = a.select(args.methods, args.where).compare(b.select(args.methods, args.where))
        sys.stdout.write(beside.text(found))
        if args.output is not None:
            write(args.output, beside.table(found).encode("utf-8", "replace"))
    return 0 if found.agrees else 1


def certify(args):
    """Measure what methods claim; status 1 where a claim is refuted."""
    from .certifying.command import run

    return run(args)


def choose(args):
    """Find the cheapest method and step for a goal; status 1 where nothing meets it."""
    from .choosing.command import run

    return run(args)


def verify_record(args):
    """Make the cells of a certificate or the heats of a choice again and compare; status 1 where they differ."""
    from .certifying.verifying import is_certificate
    from .certifying.verifying import verify as verify_certificate
    from .choosing.command import verify as verify_choice

    path = pathlib.Path(args.file)
    if is_certificate(path):
        return verify_certificate(path, int(args.sample), int(args.seed), args.trust is not None)
    return verify_choice(args)


def status_record(args):
    """How far a certificate or a choice is."""
    from .certifying.command import status
    from .certifying.verifying import is_certificate
    from .choosing.command import status as status_of_choice

    path = pathlib.Path(args.file)
    return status(path) if is_certificate(path) else status_of_choice(path)


def explain(args):
    """Tell where the drift of a conservation result comes from."""
    from .explaining.command import run

    return run(args)


def system(args):
    """Print the page on a system."""
    from .system_page import run

    return run(args)


def cheapest(args):
    """Print the methods with the least cost of a work-precision study."""
    from .cheapest import run

    return run(args)


def markup(args):
    """Print cells as a table in Markdown or LaTeX."""
    from .markup import run

    return run(args)


def figures(args):
    """Print the kinds of figures, a line each."""
    from .plot import KINDS

    sys.stdout.write("".join(f"{name:<16} {row.doc}\n" for name, row in KINDS.items()))


COMMANDS = {
    "report": report, "plot": draw, "export": export, "compare": compare, "certify": certify, "choose": choose,
    "explain": explain, "system": system, "table": cheapest, "markup": markup, "verify-record": verify_record,
    "status-record": status_record, "figures": figures,
}  # fmt: skip


def unforeseen(command, files, e):
    """The message of an exception that no command expects, and the exit status: damage of a file, or a mistake of ours."""
    for file in files:
        if seen := damage(file):
            return fail(2, file, f"is damaged: {seen}")
    where = traceback.extract_tb(e.__traceback__)[-1]
    said = (str(e).splitlines() or [""])[0][:200]
    return fail(
        1,
        "constella",
        f"{command} failed with {type(e).__name__}: {said} ({os.path.basename(where.filename)}, line "
        f"{where.lineno}). Nothing in {' and '.join(files) or 'its input'} looks damaged, "
        f"so this is a mistake of the program: please report it, "
        "with what CONSTELLA_TRACEBACK=1 in the environment shows",
    )


def main(argv):
    """Run a command. argv: its name and words NAME=VALUE. Returns the exit status."""
    args = Arguments(argv[1:])
    Watch.on = True
    warnings.filterwarnings("ignore", "Glyph .* missing")  # a box is drawn for a character of no font
    numpy.eye(2).dot(numpy.eye(2))  # OpenBLAS takes its memory now; later it might wait for some for ever
    try:
        if any(same_file(args.output, file) for file in (args.file, args.other) if file):
            return fail(2, "constella", f"{argv[0]}: -o {args.output} is the result file itself")
        return COMMANDS[argv[0]](args) or 0
    except ConstellaError as e:
        return fail(2, getattr(e, "path", None) or args.file or "constella", getattr(e, "message", e))
    except MemoryError:
        return fail(1, "constella", f"{argv[0]} of {args.file}: not enough memory (is there a ulimit -v?)")
    except Exception as e:  # noqa: BLE001
        path = getattr(e, "filename", None)
        if isinstance(e, OSError) and path and path != args.file and e.strerror:
            return fail(1, path, e.strerror)
        if os.environ.get("CONSTELLA_TRACEBACK"):
            raise
        return unforeseen(argv[0], [file for file in (args.file, args.other) if file], e)
    finally:
        Watch.on = False
