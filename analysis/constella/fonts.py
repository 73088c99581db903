"""fonts.py: files of fonts in memory. matplotlib reads each letter from its file through Python's files, in many small
pieces, which takes ten times as long as to make the letter.

`hold` is called by commands; a program that imports the package keeps the fonts that it has."""
# SPDX-License-Identifier: BSD-2-Clause
import functools
import io
import os
import types

from matplotlib import font_manager, ft2font


@functools.lru_cache(maxsize=None)
def data(path):
    with open(path, "rb") as f:
        return f.read()


def font(path, *given, **named):
    """As FT2Font."""
    held = io.BytesIO(data(path)) if isinstance(path, (str, os.PathLike)) else path
    return ft2font.FT2Font(held, *given, **named)


def hold(forms):
    """Keep the fonts of pictures of these forms in memory. A PDF names its fonts by their paths, which fonts from
    memory do not have: nothing is changed where one is among them."""
    if "pdf" not in forms and isinstance(font_manager.ft2font, types.ModuleType):
        stand = types.SimpleNamespace(**vars(ft2font))
        stand.FT2Font = font
        font_manager.ft2font = stand
