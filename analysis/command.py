#!/usr/bin/python3
"""command.py: runs `constella report`, `plot`, `export`, `compare` and `list figures`: command.py COMMAND NAME=VALUE ...
(constella/commands.py)."""
# SPDX-License-Identifier: BSD-2-Clause
import os
import sys

sys.dont_write_bytecode = True


def import_matplotlib():
    """matplotlib reads a matplotlibrc of the current folder, which may be anybody's, before all others: import it in
    the folder of this script. A third of its import are docstrings with tables of properties, which nobody reads
    here: they are left out."""
    here = os.open(".", os.O_RDONLY)
    os.chdir(os.path.dirname(os.path.abspath(__file__)))
    import matplotlib  # noqa: F401
    import matplotlib.artist

    matplotlib.artist.kwdoc = lambda artist: ""
    if hasattr(matplotlib.artist.Artist, "_update_set_signature_and_docstring"):
        matplotlib.artist.Artist._update_set_signature_and_docstring = classmethod(lambda cls: None)
    os.fchdir(here)
    os.close(here)


try:
    if sys.argv[1:2] not in (["export"], ["compare"], ["certify"]):
        import_matplotlib()
    from constella.commands import main
except ImportError as e:
    what = sys.argv[1] if len(sys.argv) > 1 else "this command"
    sys.stderr.write(
        f"constella: error: {what} needs the Python module {e.name}, which {sys.executable} does not have; "
        "Debian: apt-get install python3-h5py python3-numpy python3-matplotlib\n"
    )
    sys.exit(2)

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
