"""What is trained: a built-in model, a model file, layers written in Python, or a network of ONNX or PyTorch."""
from __future__ import annotations

import importlib
import json
import os
import warnings
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from ._notebook import figure, html_table, table
from ._options import PathLike, options
from ._platform import Platform
from ._program import Files, run_or_raise
from ._source import Source
from .errors import InputError

#: What compares an import with its network: "onnx" and "torch". The package enters them, as they solve models.
comparisons: Dict[str, Callable[..., None]] = {}

#: What this package accepts as a model: a `Model`, or what its constructor takes.
ModelLike = Union["Model", PathLike, Mapping[str, Any]]
#: Extents of a tensor; the first may be "N", the batch.
Shape = Sequence[Union[int, str]]


class Model(Source):
    """A model to train.

    Args:
        source: the name of a built-in model (`poet.models()` lists them), the path of a model file or of another file
            that `--model` reads, or the document of a model file as a dict (docs/model-format.md).

    The program checks a model when it is used, and raises `InputError` with every mistake and its place.
    """

    _kind = "model"

    @classmethod
    def layers(cls, layers: Sequence[Mapping[str, Any]], input: Optional[Shape] = None, *, name: str = "model",
               version: int = 2, inputs: Optional[Mapping[str, Mapping[str, Any]]] = None, **keys: Any) -> Model:
        """A model from a list of layers.

        Args:
            layers: a dict for each: `name`, `op`, `inputs` (names of earlier layers, or "input"), and the attributes of
                the op, as in docs/model-format.md.
            input: shape of the tensor "input", such as ("N", 3, 32, 32).
            name: of the model.
            version: of the file format: 2 has the training step as it is computed, 1 has POET's chain of gradients.
            inputs: further inputs, {name: {"shape": [...]}}.
            **keys: other keys of the file: backward, dtype, update, optimizer.
        """
        document: Dict[str, Any] = {"format": "poet-model", "version": version, "name": name, **keys}
        if input is not None:
            document["input"] = {"shape": list(input)}
        if inputs is not None:
            document["inputs"] = {key: dict(value) for key, value in inputs.items()}
        document["layers"] = [dict(layer) for layer in layers]
        return cls(document)

    @classmethod
    def from_onnx(cls, path: PathLike, *, loss: Optional[str] = None, trainable: Optional[str] = None,
                  shape: Optional[Sequence[int]] = None, custom: Optional[Mapping[str, int]] = None,
                  numbers: Optional[Mapping[str, float]] = None, frozen_weights: Optional[str] = None,
                  frozen_parameters: Optional[str] = None, check: bool = True) -> Model:
        """The network of an ONNX file, by `poet-solve import`. What the program warns of is a warning of Python.

        The import is compared with the file by `poet.check`, if that takes less than 20 GFLOP; stderr has what was not.

        Args:
            path: of the file.
            loss: "cross_entropy" or "mse"; the program's default without it.
            trainable: "all", "last:3" or a pattern of names: which layers train.
            shape: of the first input, where the file leaves it open.
            custom: FLOPs for an element of the output of ops that become `custom` layers, by op.
            numbers: of inputs that are constants, such as flags, by name.
            frozen_weights: "int8": the weights of convolutions and dense layers that do not train are bytes.
            frozen_parameters: "copied": parameters of layers that do not train and that gradients pass are copied into
                RAM before they are used.
            check: whether it is compared. The comparison does not change the model.

        Raises:
            InputError: the file cannot be imported; or this build of poet-solve reads no ONNX files.
            Differs: it computes something else than the file.
        """
        with Files() as files:
            output = files.path("model.json")
            wishes = options({"--loss": loss, "--trainable": trainable, "--frozen-weights": frozen_weights,
                              "--frozen-parameters": frozen_parameters,
                              "--shape": None if shape is None else ",".join(map(str, shape)), "--output": output})
            for op, flops in (custom or {}).items():
                wishes += ["--custom", f"{op}={flops}"]
            for name, number in (numbers or {}).items():
                wishes += ["--set", f"{name}={number}"]
            try:
                finished = run_or_raise(["import", os.fspath(path), *wishes], files)
            except InputError as error:
                if "found 'import'" in str(error):
                    raise InputError("this poet-solve has no command 'import', which reads ONNX files") from error
                raise
            for note in finished.warnings():
                warnings.warn(note, stacklevel=2)
            with open(output, encoding="utf-8") as file:
                document = json.load(file)
        if check:
            comparisons["onnx"](path, loss=loss, shape=shape, numbers=numbers)
        return cls(document)

    @classmethod
    def from_torch(cls, net: Any, *inputs: Any, check: bool = True, **settings: Any) -> Model:
        """A module of PyTorch, traced by `poet.torch.trace(net, *inputs, **settings)`.

        The import is compared with the module by `poet.check`, if a step takes less than 20 GFLOP; stderr has what
        was not.

        Args:
            net: a `torch.nn.Module`.
            *inputs: example inputs, tensors of the shapes that the module is trained with.
            check: whether it is compared. The comparison does not change the model.
            **settings: the settings of `poet.torch.trace`.

        Raises:
            ImportError: PyTorch is not installed.
            poet.torch.Refused: no layers stand for some of its nodes.
            Differs: it computes something else than the module.
        """
        traced = importlib.import_module("poet.torch._document").trace(net, *inputs, **settings)
        if check:
            comparisons["torch"](net, inputs, traced, settings)
        return cls(traced)

    @property
    def document(self) -> Optional[Dict[str, Any]]:
        """The model file as a dict, if the model was made in Python; None for a name or a path."""
        return self._document

    def save(self, path: PathLike) -> None:
        """Writes the model file of a model that was made in Python.

        Raises:
            ValueError: the model is a name or a path, so there is nothing to write.
        """
        if self._document is None:
            raise ValueError(f"'{self._source}' was not made in Python; only the document of a Model can be saved")
        with open(path, "w", encoding="utf-8") as file:
            file.write(self._text())

    def info(self, platform: Union[Platform, PathLike, None] = None, *, batch_size: int = 1,
             backward: Optional[str] = None, alignment: Optional[int] = None,
             copies: Optional[PathLike] = None) -> ModelInfo:
        """What the model comes to, without a solve: sizes, parameters, FLOPs, RAM, and costs if there is a platform.

        Args:
            copies: with copies for gradients of all tensors that may have one ("exact" or "int8"), or of those of a
                file, such as a schedule.

        Raises:
            InputError: the model or the platform has mistakes.
        """
        with Files() as files:
            words = ["info", self.argument(files), "--json",
                     *options({"--batch-size": batch_size, "--backward": backward, "--alignment": alignment,
                               "--copies": copies})]
            if platform is not None:
                words += ["--platform", Platform.of(platform).argument(files)]
            return ModelInfo(json.loads(run_or_raise(words, files).out))

    @classmethod
    def of(cls, model: ModelLike) -> Model:
        """A model from anything that this package accepts as one."""
        return model if isinstance(model, Model) else cls(model)


@dataclass(frozen=True, repr=False)
class ModelInfo:
    """What `Model.info()` finds. `document` has all of it, with the keys of docs/command-line.md.

    Sizes are bytes, energies joules, times seconds; what needs a platform is None without one.
    """

    document: Dict[str, Any]

    def _rows(self) -> Dict[str, str]:
        model, platform = self.document["model"], self.document["platform"]
        return {"model": f"{model['name']}, batch size {model['batch_size']}",
                "platform": "none" if platform is None else platform["name"],
                "nodes": f"{model['node_count']}, of which {model['forward_node_count']} forward",
                "parameters": figure(self.parameter_count, ""),
                "operations": figure(self.flop, "FLOP"),
                "RAM if everything is kept": figure(self.baseline_peak_ram_bytes, "bytes"),
                "least RAM of any schedule": figure(self.working_set_bytes, "bytes"),
                "energy of every node once": figure(self.baseline_energy_joules, "J"),
                "time of every node once": figure(self.baseline_runtime_seconds, "s")}

    def __repr__(self) -> str:
        return table(self._rows())

    def _repr_html_(self) -> str:
        return html_table(self._rows())

    @property
    def parameter_count(self) -> int:
        """Learned numbers."""
        return int(self.document["parameter_count"])

    @property
    def flop(self) -> int:
        """Of one training step, every node once."""
        return int(self.document["flop"])

    @property
    def baseline_peak_ram_bytes(self) -> int:
        """RAM with which nothing has to be recomputed or paged."""
        return int(self.document["baseline_peak_ram_bytes"])

    @property
    def working_set_bytes(self) -> int:
        """No schedule gets by with less RAM."""
        return int(self.document["working_set_bytes"])

    @property
    def baseline_energy_joules(self) -> Optional[float]:
        """Of computing every node once."""
        return _float_or_none(self.document["baseline_energy_joules"])

    @property
    def baseline_runtime_seconds(self) -> Optional[float]:
        """Of computing every node once."""
        return _float_or_none(self.document["baseline_runtime_seconds"])

    @property
    def nodes(self) -> List[Dict[str, Any]]:
        """The nodes in order: name, op, shape, bytes, flop, ..."""
        return list(self.document["nodes"])

    @property
    def shapes(self) -> Dict[str, Tuple[int, ...]]:
        """The shape of every node's output by the node's name."""
        return {node["name"]: tuple(node["shape"]) for node in self.document["nodes"]}


def _float_or_none(value: Optional[float]) -> Optional[float]:
    return None if value is None else float(value)


def models() -> List[str]:
    """The names of the built-in models."""
    document = json.loads(run_or_raise(["--list-models", "--json"]).out)
    return [str(model["name"]) for model in document["models"]]
