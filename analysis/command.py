#!/usr/bin/python3
"""command.py: runs `constella report`, `plot`, `export`, `compare` and `list figures`: command.py COMMAND NAME=VALUE ...
(constella/commands.py)."""
# SPDX-License-Identifier: BSD-2-Clause
import gc
import importlib
import os
import sys
import types

sys.dont_write_bytecode = True


DRAWING = ("report", "plot", "figures")
# Imported by matplotlib and numpy, and needed by no figure: dates, sliders, random numbers.
LATER = ("dateutil.parser", "matplotlib.widgets", "numpy.ctypeslib", "numpy.polynomial", "numpy.random")


class Later(types.ModuleType):
    """Stands for a module until somebody asks for what is in it."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.loaded(), name)

    def loaded(self):
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return importlib.import_module(self.__name__)


def put_off():
    """Put stands in the place of modules that are imported later, or never."""
    import dateutil

    stands = {name: Later(name) for name in LATER}
    dates = dateutil.parser = stands["dateutil.parser"]
    dates.parse = lambda *given, **named: dates.loaded().parse(*given, **named)  # matplotlib.dates wraps it
    sys.modules.update(stands)


def draws(words):
    """Whether a command brings matplotlib, which takes longer to import than all others together."""
    page = any(word.startswith("output=") and word.endswith(".html") for word in words[1:])
    return words[0] in DRAWING or words[0] == "choose" and page


def import_matplotlib():
    """matplotlib reads a matplotlibrc of the current folder, which may be anybody's, before all others: import it in
    the folder of this script. A third of its import are docstrings with tables of properties, which nobody reads
    here: they are left out."""
    put_off()
    here = os.open(".", os.O_RDONLY)
    os.chdir(os.path.dirname(os.path.abspath(__file__)))
    import matplotlib  # noqa: F401
    import matplotlib.artist

    matplotlib.artist.kwdoc = lambda artist: ""
    if hasattr(matplotlib.artist.Artist, "_update_set_signature_and_docstring"):
        matplotlib.artist.Artist._update_set_signature_and_docstring = classmethod(lambda cls: None)
    os.fchdir(here)
    os.close(here)


gc.disable()  # what is imported stays
try:
    if sys.argv[1:] and draws(sys.argv[1:]):
        import_matplotlib()
    from constella.commands import main
except ImportError as e:
    what = sys.argv[1] if len(sys.argv) > 1 else "this command"
    sys.stderr.write(
        f"constella: error: {what} needs the Python module {e.name}, which {sys.executable} does not have; "
        "Debian: apt-get install python3-h5py python3-numpy python3-matplotlib\n"
    )
    sys.exit(2)
gc.freeze()
gc.set_threshold(100_000)  # a page makes and drops few things beside its figures
gc.enable()

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
