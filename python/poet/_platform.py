"""What the model is trained on: a built-in board, a platform file, or one of these with changes."""
from __future__ import annotations

import json
from typing import Any, Dict, List, Mapping, Union

from ._options import PathLike
from ._program import run_or_raise
from ._source import Source
from .errors import InputError

#: What this package accepts as a platform.
PlatformLike = Union["Platform", PathLike, Mapping[str, Any]]


class Platform(Source):
    """A board with its speeds and powers.

    Args:
        source: the name of a built-in platform (`poet.platforms()` lists them), the path of a platform file, or its
            document as a dict (docs/platform-format.md).
        **changes: keys of the file with other values, such as `ram_bytes=192 * 1024`; None leaves a key out.

    A platform that is changed keeps its name, unless `name` is changed too. The program checks a platform when it is
    used, and raises `InputError` with the place of a mistake.
    """

    _kind = "platform"

    def __init__(self, source: Union[PathLike, Mapping[str, Any]], **changes: Any) -> None:
        super().__init__(source)
        if changes or self._document is not None:
            self._document = {key: value for key, value in {**self.document, **changes}.items() if value is not None}

    @property
    def document(self) -> Dict[str, Any]:
        """The platform file as a dict."""
        return dict(self._document) if self._document is not None else _read(str(self._source))

    @classmethod
    def of(cls, platform: PlatformLike) -> Platform:
        """A platform from anything that this package accepts as one."""
        return platform if isinstance(platform, Platform) else cls(platform)


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
