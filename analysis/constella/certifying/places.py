"""places.py: a text in YAML with the places of its values, for messages FILE:LINE:COLUMN."""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

from typing import Any

from ..reading import ConstellaError, ResultError


class Places:
    """told: the values of the text. Raises ConstellaError where it is no YAML, or no map."""

    def __init__(self, path: str, text: bytes) -> None:
        import yaml  # type: ignore[import]

        self.path, self.text = path, text.decode(errors="replace")
        try:
            self.root: Any = yaml.compose(self.text, Loader=yaml.SafeLoader)
            self.told: Any = yaml.safe_load(self.text)
        except yaml.YAMLError as e:
            raise ConstellaError(f"{path}: {' '.join(str(e).split())}") from None
        if not isinstance(self.told, dict):
            raise ConstellaError(f"{path}: a map of keys is needed")

    def node(self, *keys: Any) -> Any:
        """The value at the end of the path of keys and indices; the last one that is there."""
        node = self.root
        for key in keys:
            pairs = node.value if node.id == "mapping" else []
            found = [v for k, v in pairs if k.value == key]
            if node.id == "sequence" and isinstance(key, int) and key < len(node.value):
                found = [node.value[key]]
            if not found:
                return node
            node = found[0]
        return node

    def source(self, *keys: Any) -> str:
        """A value as it is written."""
        node = self.node(*keys)
        return self.text[node.start_mark.index : node.end_mark.index].strip()

    def error(self, message: str, *keys: Any) -> ConstellaError:
        mark = self.node(*keys).start_mark
        e = ResultError(message)
        e.path = f"{self.path}:{mark.line + 1}:{mark.column + 1}"  # type: ignore[assignment]
        return e
