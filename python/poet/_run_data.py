"""Arrays of a user as the files that `poet-solve run` reads."""
from __future__ import annotations

import importlib.util
import os
from typing import Any, Dict, List, Mapping, Union

from ._matrices import require_numpy
from ._options import PathLike
from ._program import Files


def array_words(files: Files, parameters: Union[PathLike, Mapping[str, Any], None], inputs: Any,
                targets: Any) -> List[str]:
    """The options `--parameters`, `--input` and `--target`, with files for what is given as arrays."""
    words: List[str] = []
    if isinstance(parameters, Mapping):
        path = files.path("parameters.npz")
        require_numpy().savez(path, **{name: _plain(value) for name, value in parameters.items()})
        words += ["--parameters", path]
    elif parameters is not None:
        words += ["--parameters", os.fspath(parameters)]
    for option, given in (("--input", inputs), ("--target", targets)):
        if given is None:
            continue
        if isinstance(given, Mapping):
            for name, value in given.items():
                words += [option, f"{name}={_file(files, value)}"]
        else:
            words += [option, _file(files, given)]
    return words


class ArrayFiles:
    """Files that a run writes its numbers to, if numpy is there to read them."""

    _OPTIONS = {"parameters": "--parameters-output", "gradients": "--gradients-output", "outputs": "--outputs-output"}

    def __init__(self, files: Files, wanted: bool, trains: bool) -> None:
        kinds = [kind for kind in self._OPTIONS if wanted and (trains or kind != "gradients")]
        self._paths = {kind: files.path(f"{kind}.npz") for kind in kinds}

    def words(self) -> List[str]:
        """The options of `run`."""
        return [word for kind, path in self._paths.items() for word in (self._OPTIONS[kind], path)]

    def read(self) -> Dict[str, Dict[str, Any]]:
        """The arrays by kind and name; none of a run that differs, which writes no files."""
        found: Dict[str, Dict[str, Any]] = {}
        for kind, path in self._paths.items():
            if os.path.exists(path):
                with require_numpy().load(path) as arrays:
                    found[kind] = {name: arrays[name] for name in arrays.files}
        return found


def has_numpy() -> bool:
    """Whether numpy is installed."""
    return importlib.util.find_spec("numpy") is not None


def _file(files: Files, value: Any) -> str:
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    path = files.path("array.npy")
    require_numpy().save(path, _plain(value))
    return path


def _plain(value: Any) -> Any:
    """An array of numpy; tensors of PyTorch leave their graph and device."""
    if hasattr(value, "detach"):
        value = value.detach().cpu()
    return require_numpy().ascontiguousarray(value)
