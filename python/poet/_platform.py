"""What the model is trained on: a built-in board, a platform file, or one of these with changes."""
from __future__ import annotations

import json
import os
from typing import Any, Dict, List, Mapping, Optional, Union

from ._options import PathLike
from ._program import Files, run_or_raise
from .errors import InputError

#: What this package accepts as a platform.
PlatformLike = Union["Platform", PathLike, Mapping[str, Any]]


class Platform:
    """A board with its speeds and powers.

    Args:
        source: the name of a built-in platform (`poet.platforms()` lists them), the path of a platform file, or its
            document as a dict (docs/platform-format.md).
        **changes: keys of the file with other values, such as `ram_bytes=192 * 1024`; None leaves a key out.

    A platform that is changed keeps its name, unless `name` is changed too. The program checks a platform when it is
    used, and raises `InputError` with the place of a mistake.
    """

    def __init__(self, source: Union[PathLike, Mapping[str, Any]], **changes: Any) -> None:
        self._source: Optional[str] = None
        self._document: Optional[Dict[str, Any]] = None
        if isinstance(source, Mapping):
            self._document = dict(source)
        else:
            self._source = os.fspath(source)
            if changes:
                self._document = _read(self._source)
        if self._document is not None:
            self._document.update(changes)
            self._document = {key: value for key, value in self._document.items() if value is not None}

    @property
    def document(self) -> Dict[str, Any]:
        """The platform file as a dict."""
        return dict(self._document) if self._document is not None else _read(str(self._source))

    @property
    def name(self) -> str:
        """The name in the document, or what the platform was called by."""
        return str(self._document.get("name", "platform")) if self._document is not None else str(self._source)

    @classmethod
    def of(cls, platform: PlatformLike) -> Platform:
        """A platform from anything that this package accepts as one."""
        return platform if isinstance(platform, Platform) else cls(platform)

    def argument(self, files: Files) -> str:
        """The value of `--platform`; a document becomes one of the files."""
        if self._document is None:
            return str(self._source)
        return files.add("platform.json", json.dumps(self._document, indent=1, allow_nan=False) + "\n")

    def __repr__(self) -> str:
        return f"<poet.Platform {self.name}>"


def _read(source: str) -> Dict[str, Any]:
    """The document of a built-in platform, or of a file."""
    built_in = {str(platform["name"]): platform for platform in _built_in()}
    if source in built_in:
        return built_in[source]
    try:
        with open(source, encoding="utf-8") as file:
            document = json.load(file)
    except (OSError, ValueError) as error:
        raise InputError(f"found the platform '{source}', expected a platform file or one of "
                         f"{', '.join(built_in)}: {error}") from error
    if not isinstance(document, dict):
        raise InputError(f"{source}: found {type(document).__name__}, expected the object of a platform file")
    return document


def _built_in() -> List[Dict[str, Any]]:
    document = json.loads(run_or_raise(["--list-platforms", "--json"]).out)
    return [dict(platform) for platform in document["platforms"]]


def platforms() -> List[str]:
    """The names of the built-in platforms."""
    return [str(platform["name"]) for platform in _built_in()]
