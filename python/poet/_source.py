"""What a model and a platform are made from."""
from __future__ import annotations

import json
import os
from typing import Any, Dict, Mapping, Optional, Union

from ._options import PathLike
from ._program import Files


class Source:
    """The name or the path of something that the program reads, or its document."""

    _kind = ""

    def __init__(self, source: Union[PathLike, Mapping[str, Any]]) -> None:
        self._document: Optional[Dict[str, Any]] = dict(source) if isinstance(source, Mapping) else None
        self._source: Optional[str] = None if isinstance(source, Mapping) else os.fspath(source)

    @property
    def name(self) -> str:
        """The name in the document, or what it was called by."""
        return str(self._source if self._document is None else self._document.get("name", self._kind))

    def argument(self, files: Files) -> str:
        """The value of the program's option; a document becomes one of the files."""
        return str(self._source) if self._document is None else files.add(f"{self._kind}.json", self._text())

    def _text(self) -> str:
        # The same text at all times, since a schedule names its model by the digest of these bytes.
        return json.dumps(self._document, indent=1, allow_nan=False) + "\n"

    def __repr__(self) -> str:
        return f"<poet.{type(self).__name__} {self.name}>"
