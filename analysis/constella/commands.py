"""commands.py: what `constella report`, `constella plot` and `constella export` do: their arguments, and messages in place of tracebacks.

Exit: 0; 1 when the output cannot be written; 2 for mistakes of the user: no such file, no result, a missing Python module, nothing to draw.
CONSTELLA_TRACEBACK=1 in the environment shows what was raised, for those who work on this package.
"""
# SPDX-License-Identifier: BSD-2-Clause
import argparse
import os
import pathlib
import sys

from .reading import ConstellaError
from .result import Result
from .selection import split, unknown

NOTHING = "the file is damaged, or not as the program writes it"


class Parser(argparse.ArgumentParser):
    """Errors in the words of the other commands."""

    def error(self, message):
        sys.stderr.write(f"constella: error: {self.prog.split()[-1]}: {message}\n")
        raise SystemExit(2)


def fail(code, subject, message):
    sys.stderr.write(f"{subject}: error: {message}\n")
    return code


def selection(parser):
    parser.add_argument("--methods", metavar="A,B", help="only these methods")
    parser.add_argument(
        "--where",
        metavar="CONDITIONS",
        help="only cases that fulfil them, as of `constella table`: 'step < 0.1 and L2 = 1'",
    )


def looks(parser):
    parser.add_argument(
        "--style",
        default="screen",
        metavar="screen|paper",
        help="paper: sizes and fonts of a journal, no titles",
    )


def report_arguments(argv):
    p = Parser(
        prog="constella report",
        description="Figures and tables of a result file in one self-contained page.",
        allow_abbrev=False,
    )
    p.add_argument("file", metavar="FILE", help="a result of constella run")
    p.add_argument(
        "-o",
        "--output",
        metavar="PAGE.html",
        type=pathlib.Path,
        help="default: FILE's name with .html, here, unless --figures is given",
    )
    p.add_argument(
        "--figures", metavar="DIR", type=pathlib.Path, help="also write each figure into this folder"
    )
    p.add_argument(
        "--formats", default="png", metavar="png,pdf,svg", help="of these figures; the default is png"
    )
    selection(p)
    looks(p)
    args = p.parse_args(argv)
    if args.output is None and args.figures is None:
        args.output = pathlib.Path(pathlib.Path(args.file).stem + ".html")
    return args


def plot_arguments(argv):
    p = Parser(
        prog="constella plot", description="One figure of a result file.", allow_abbrev=False, add_help=False
    )
    p.add_argument("file", metavar="FILE", nargs="?", help="a result of constella run")
    p.add_argument("kind", metavar="KIND", nargs="?", help="what to draw")
    p.add_argument(
        "--x", metavar="WHAT,...", help="expressions, columns or what is swept: what stands across"
    )
    p.add_argument("--y", metavar="WHAT,...", help="what stands up")
    p.add_argument("--z", metavar="COLUMN", help="what the colours of a map are")
    p.add_argument("--members", metavar="0,7", help="trajectories of these members")
    p.add_argument("--time", metavar="FROM:TO", help="this part of trajectories")
    p.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        type=pathlib.Path,
        help="OUT.png, .pdf or .svg; mechanism also .html, an animation",
    )
    p.add_argument("--width", type=float, metavar="INCHES", help="of the whole figure")
    p.add_argument("-h", "--help", action="store_true", help="this, and the kinds")
    selection(p)
    looks(p)
    args = p.parse_args(argv)
    if args.help or not args.file or not args.kind:
        out = sys.stdout if args.help else sys.stderr
        out.write(p.format_help() + "\n" + kinds_text())
        raise SystemExit(0 if args.help else 2)
    return args


def kinds_text():
    from .plot import KINDS

    return "KIND is one of\n" + "".join(f"  {name:<16} {row.doc}\n" for name, row in KINDS.items())


def export_arguments(argv):
    from .exporting import FORMS

    p = Parser(prog="constella export", description="A result file in another form.", allow_abbrev=False)
    p.add_argument("file", metavar="FILE", help="a result of constella run")
    endings = ", ".join(f"{ending} ({doc})" for ending, (_, doc) in FORMS.items())
    p.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        type=pathlib.Path,
        required=True,
        help=f"its ending says what is written: {endings}",
    )
    p.add_argument(
        "--columns",
        metavar="A,B",
        help="of .tex: what is shown of each method; of .csv and .parquet: only these columns",
    )
    p.add_argument(
        "--case",
        type=int,
        metavar="K",
        help="of .csv and .parquet: the stored trajectories of case K in place of the table",
    )
    selection(p)
    return p.parse_args(argv)


def same_file(output, file):
    return output is not None and output.exists() and os.path.exists(file) and output.samefile(file)


# ---- what they do


def report(args):
    from . import page, style
    from .plot.saving import FORMS, write

    forms = [f.strip() for f in args.formats.split(",")]
    for form in forms:
        if form not in FORMS:
            raise unknown("format", form, FORMS)
    with Result(args.file) as result:
        chosen = result.select(args.methods, args.where)
        if args.figures is not None:
            args.figures.mkdir(parents=True, exist_ok=True)
            for name, _, fig in page.figures(chosen, args.style):
                for form in forms:
                    write(args.figures / f"{name}.{form}", style.encode(fig, form, args.style))
        if args.output is not None:
            write(args.output, page.page(chosen, args.style).encode("utf-8"))


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
    from . import plot
    from .plot.saving import form_of

    if args.kind not in plot.KINDS:
        raise unknown("kind of figure", args.kind, list(plot.KINDS))
    options = {"x": args.x and split(args.x), "y": args.y and split(args.y), "z": args.z and split(args.z)}
    options |= {"members": numbers(args.members), "time": interval(args.time)}
    options = {k: v for k, v in options.items() if v is not None}
    output = args.output or pathlib.Path(f"{pathlib.Path(args.file).stem}-{args.kind}.png")
    with Result(args.file) as result:
        if output.suffix == ".html" and args.kind == "mechanism":
            from .animation import page
            from .plot.saving import write

            return write(output, page(result.select(args.methods, args.where), **options).encode("utf-8"))
        form_of(output)
        fig = plot.figure(
            args.kind,
            result,
            methods=args.methods,
            where=args.where,
            look=args.style,
            width=args.width,
            **options,
        )
        plot.save(fig, output, args.style)
    sys.stderr.write(f"{output}\n" if args.output is None else "")


def export(args):
    from .exporting import export as write

    with Result(args.file) as result:
        write(
            result.select(args.methods, args.where),
            args.output,
            args.columns and split(args.columns),
            args.case,
        )


COMMANDS = {
    "report": (report_arguments, report),
    "plot": (plot_arguments, draw),
    "export": (export_arguments, export),
}


def main(argv):
    """argv: the command and its arguments. The exit status."""
    parse, do = COMMANDS[argv[0]]
    args = parse(argv[1:])
    try:
        if same_file(args.output, args.file):
            return fail(2, "constella", f"{argv[0]}: -o {args.output} is the result file itself")
        do(args)
    except ConstellaError as e:
        return fail(2, args.file, e)
    except OSError as e:
        path = getattr(e, "filename", None)
        return (
            fail(1, path, e.strerror)
            if path and path != args.file and e.strerror
            else fail(2, args.file, f"{NOTHING}: {e}")
        )
    except Exception as e:  # noqa: BLE001  (whatever a file of somebody else's may do)
        if os.environ.get("CONSTELLA_TRACEBACK"):
            raise
        return fail(
            2, args.file, f"{NOTHING} ({type(e).__name__}: {str(e).splitlines()[0][:200] if str(e) else ''})"
        )
    return 0
