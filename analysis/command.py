#!/usr/bin/python3
"""command.py: runs `constella report`, `plot`, `export` and `list figures`: command.py COMMAND NAME=VALUE ...
(constella/commands.py)."""
# SPDX-License-Identifier: BSD-2-Clause
import sys

sys.dont_write_bytecode = True

try:
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
