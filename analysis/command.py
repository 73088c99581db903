#!/usr/bin/python3
"""command.py: runs `constella report`, `plot`, `export`, `compare`, `system --html` and `list figures`: command.py COMMAND NAME=VALUE ...
(constella/commands.py)."""
# SPDX-License-Identifier: BSD-2-Clause
import gc
import importlib
import os
import signal
import sys
import types

sys.dont_write_bytecode = True


DRAWING = ("report", "plot", "figures")
# Imported by matplotlib and numpy, and needed by no figure, or by few: dates, sliders, random numbers, TeX, triangles,
# axes in space; the grammar of mathematics; pictures that are no lines.
LATER = (
    "PIL.Image",
    "PIL.PngImagePlugin",
    "dateutil.parser",
    "matplotlib._fontconfig_pattern",
    "matplotlib.dates",
    "matplotlib.dviread",
    "matplotlib.mathtext",
    "matplotlib.tri",
    "matplotlib.widgets",
    "mpl_toolkits.mplot3d",
    "numpy.ctypeslib",
    "numpy.polynomial",
    "numpy.random",
    "pyparsing",
)


TOGETHER = ("PIL.Image", "PIL.PngImagePlugin")  # the second tells the first how a PNG is written


class Later(types.ModuleType):
    """Stands for a module until somebody asks for what is in it."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.loaded(), name)

    def loaded(self):
        together = TOGETHER if self.__name__ in TOGETHER else (self.__name__,)
        for name in together:
            if isinstance(sys.modules.get(name), Later):
                del sys.modules[name]
        for name in together:
            importlib.import_module(name)
        return sys.modules[self.__name__]

    def promise(self, name):
        """A function for those who take it from the module at once, and call it when it is needed."""
        setattr(self, name, lambda *given, **named: getattr(self.loaded(), name)(*given, **named))


class MathTextParser:
    """Of matplotlib.mathtext, which nine tenths of all figures do without (constella/lettering.py)."""

    stand: Later

    def __init__(self, output):
        self.output, self.parser = output, None

    def parse(self, *given, **named):
        if self.parser is None:
            self.parser = self.stand.loaded().MathTextParser(self.output)
        return self.parser.parse(*given, **named)


class Space:
    """The axes of matplotlib with the name 3d, on which no figure is drawn."""

    name = "3d"


def put_off():
    """Put stands in the place of modules that are imported later, or never. Returns what to do when matplotlib is
    imported."""
    import dateutil
    import PIL

    stands = {name: Later(name) for name in LATER}
    PIL.Image, PIL.PngImagePlugin, dateutil.parser = stands["PIL.Image"], stands["PIL.PngImagePlugin"], stands["dateutil.parser"]
    stands["pyparsing"].__version__ = "99"  # matplotlib asks for it, and a version is not known without an import
    stands["PIL.PngImagePlugin"].promise("PngInfo")
    for name in ("tricontour", "tricontourf", "tripcolor", "triplot"):  # methods of axes
        stands["matplotlib.tri"].promise(name)
    MathTextParser.stand = stands["matplotlib.mathtext"]
    MathTextParser.stand.MathTextParser = MathTextParser
    stands["mpl_toolkits.mplot3d"].Axes3D = Space
    fonts = stands["matplotlib._fontconfig_pattern"]
    fonts.promise("generate_fontconfig_pattern")
    imported = []
    # The import checks the names of fonts in matplotlib's own defaults.
    fonts.parse_fontconfig_pattern = lambda x: fonts.loaded().parse_fontconfig_pattern(x) if imported else {}
    sys.modules.update(stands)
    return lambda: imported.append(True)


def draws(words):
    """Whether a command brings matplotlib, which takes longer to import than all others together."""
    page = any(word.startswith("output=") and word.endswith(".html") for word in words[1:])
    return words[0] in DRAWING or words[0] == "choose" and page


def import_matplotlib():
    """matplotlib reads a matplotlibrc of the current folder, which may be anybody's, before all others: import it in
    the folder of this script. A third of its import are docstrings with tables of properties, which nobody reads
    here: they are left out."""
    ready = put_off()
    here = os.open(".", os.O_RDONLY)
    os.chdir(os.path.dirname(os.path.abspath(__file__)))
    import matplotlib  # noqa: F401
    import matplotlib._docstring
    import matplotlib.artist

    if hasattr(matplotlib._docstring, "Substitution"):
        matplotlib._docstring.Substitution.__call__ = lambda self, function: function
    matplotlib.artist.kwdoc = lambda artist: ""
    if hasattr(matplotlib.artist.Artist, "_update_set_signature_and_docstring"):
        matplotlib.artist.Artist._update_set_signature_and_docstring = classmethod(lambda cls: None)
    ready()
    os.fchdir(here)
    os.close(here)


gc.disable()  # what is imported stays
try:
    if sys.argv[1:] and draws(sys.argv[1:]):
        import_matplotlib()
    from constella.commands import main
except ImportError as e:
    what = sys.argv[1] if len(sys.argv) > 1 else "this command"
    absent = isinstance(e, ModuleNotFoundError) and e.name
    why = f"needs the Python module {e.name}, which {sys.executable} does not have" if absent else f"cannot import what it needs: {str(e).split(chr(10))[0]}"
    if "PYTHONPATH" in os.environ:  # modules of another Python
        why += f" (PYTHONPATH={os.environ['PYTHONPATH']})"
    sys.stderr.write(f"constella: error: {what} {why}; Debian: apt-get install python3-h5py python3-numpy python3-matplotlib\n")
    sys.exit(2)
gc.freeze()
gc.set_threshold(100_000)  # a page makes and drops few things beside its figures
gc.enable()

if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:  # ends as it would without Python, once everything is tidied up
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
