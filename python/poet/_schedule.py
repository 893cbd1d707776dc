"""A schedule: what a solve returns."""
from __future__ import annotations

import json
import os
import warnings
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Tuple, Union

from ._matrices import Matrices, matrices_of
from ._model import Model, ModelLike
from ._notebook import image
from ._options import PathLike, Size, options, size_word
from ._program import EXIT_REQUIREMENT, Files, error_of, run, run_or_raise
from ._records import Instruction, Node, Run, Stage, record
from ._run_data import ArrayFiles, array_words, has_numpy
from .errors import InputError, InvalidSchedule

#: Numbers for `Schedule.run()`: a file, or a numpy array.
Numbers = Union[PathLike, Any]


class Schedule:
    """A schedule of one training step, with its graph and what it costs.

    `poet.optimize()` returns one; `Schedule.load()` reads one from a file. In a notebook it shows its picture.

    Attributes:
        document: the schedule file as a dict (docs/schedule-format.md).
        text: the file, byte for byte.
        model: what it was solved for, as `run()` and `export()` need it; None if it was loaded without one.
        notes: what the program said about the problem, such as that the budget exceeds the RAM of the board.
    """

    def __init__(self, text: str, model: Optional[ModelLike] = None, notes: Tuple[str, ...] = ()) -> None:
        document = json.loads(text)
        if not isinstance(document, dict) or "stages" not in document:
            reason = document.get("error", "found no stages") if isinstance(document, dict) else "found no object"
            raise InputError(f"not a schedule: {reason}")
        self.text = text
        self.document: Dict[str, Any] = document
        self.model = None if model is None else Model.of(model)
        self.notes = notes

    @classmethod
    def load(cls, path: PathLike, model: Optional[ModelLike] = None) -> Schedule:
        """Reads a schedule file.

        Args:
            path: of the file.
            model: what it was solved for, if it is to be run or exported.

        Raises:
            OSError: the file cannot be read.
            InputError: it is no schedule, or says that there is none.
        """
        with open(path, encoding="utf-8") as file:
            text = file.read()
        try:
            return cls(text, model)
        except (ValueError, KeyError) as error:
            raise InputError(f"{os.fspath(path)}: {error}") from error

    def save(self, path: PathLike) -> None:
        """Writes the schedule file."""
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.write(self.text)

    @property
    def status(self) -> str:
        """"optimal": proven to be within the gap asked for. "feasible": valid, and the proof is not complete."""
        return str(self.document["status"])

    @property
    def energy(self) -> float:
        """Joules of one training step: all computations and transfers."""
        return float(self.summary["energy_joules"])

    @property
    def bound(self) -> float:
        """Joules; proven: no schedule within the budgets needs less."""
        return float(self.summary["lower_bound_joules"])

    @property
    def gap(self) -> float:
        """(energy - bound) / energy: the schedule is at most this far from the optimum."""
        return float(self.summary["gap"])

    @property
    def gap_extra(self) -> float:
        """(energy - bound) / (energy - baseline's energy): how much of the extra energy is not proven necessary."""
        return float(self.summary["gap_extra"])

    @property
    def runtime(self) -> float:
        """Seconds of one training step, as `request["paging_time"]` counts them."""
        return float(self.summary["runtime_seconds"])

    @property
    def peak_ram(self) -> int:
        """The most bytes in RAM at any time."""
        return int(self.summary["peak_ram_bytes"])

    @property
    def summary(self) -> Dict[str, Any]:
        """All figures, by the keys of the file."""
        summary: Dict[str, Any] = self.document["summary"]
        return summary

    @property
    def request(self) -> Dict[str, Any]:
        """What was asked for: budgets, techniques, settings."""
        request: Dict[str, Any] = self.document["request"]
        return request

    @property
    def order(self) -> Optional[List[int]]:
        """For each of `nodes`, its index in the model's list; None if they are in the order of that list."""
        order: Optional[List[int]] = self.document["model"].get("order")
        return order

    @property
    def nodes(self) -> List[Node]:
        """The graph, in topological order, the one of the schedule; `inputs` are indices."""
        return [record(Node, node) for node in self.document["nodes"]]

    @property
    def stages(self) -> List[Stage]:
        """The schedule by stages, one for each node."""
        return [record(Stage, stage) for stage in self.document["stages"]]

    @property
    def program(self) -> List[Instruction]:
        """The same schedule as a flat list for a device."""
        return [record(Instruction, instruction) for instruction in self.document["program"]]

    def matrices(self) -> Matrices:
        """The schedule as the T x T matrices of POET's MILP, made on each call.

        Raises:
            ImportError: numpy is not installed.
        """
        return matrices_of(self.stages)

    def plot(self, path: Optional[PathLike] = None) -> str:
        """The picture of docs/pictures.md as SVG: RAM over time, and the life of every tensor.

        Args:
            path: also written there.

        Returns:
            the text of the SVG.
        """
        with Files() as files:
            picture = run_or_raise(["plot", self._argument(files)], files).out
        if path is not None:
            Path(path).write_text(picture, encoding="utf-8")
        return picture

    def verify(self) -> bool:
        """Replays the schedule against the rules, by code that shares nothing with the solver.

        Returns:
            True.

        Raises:
            InvalidSchedule: a rule is broken, or a figure of the file is wrong; `findings` has a line for each.
            InputError: the file is not a schedule file at all.
        """
        with Files() as files:
            finished = run(["verify", self._argument(files)], files)
        if finished.status == EXIT_REQUIREMENT:
            raise InvalidSchedule(*finished.errors())
        if finished.status != 0:
            raise error_of(finished)
        return True

    def place(self, *, capacity: Optional[Size] = None, alignment: Optional[int] = None, moves: bool = True,
              time_limit_s: Optional[float] = None) -> Schedule:
        """The schedule with other offsets in RAM.

        Args:
            capacity: bytes that the offsets have to fit; the RAM budget without it.
            alignment: 4, 8, 16 or 32: what offsets are multiples of.
            moves: whether tensors may be moved while in use, if no offsets are found otherwise. If not, the problem is
                solved again in less RAM until offsets fit.
            time_limit_s: seconds of the search.

        Raises:
            InvalidSchedule: nothing was found that fits.
            InputError: the schedule is not valid, or an argument is wrong.
        """
        with Files() as files:
            words = options({"--capacity": None if capacity is None else size_word(capacity), "--alignment": alignment,
                             "--no-moves": not moves, "--time-limit-s": time_limit_s})
            finished = run(["place", self._argument(files), *words], files)
        if finished.status == EXIT_REQUIREMENT:
            raise InvalidSchedule(*finished.errors())
        if finished.status != 0:
            raise error_of(finished)
        return Schedule(finished.out, self.model, self.notes)

    def export(self, directory: PathLike, *, format: str = "c", force: bool = False,
               parameters: Union[PathLike, Mapping[str, Any], None] = None, inference: Optional[Schedule] = None,
               name: Optional[str] = None, model: Optional[ModelLike] = None) -> List[Path]:
        """Writes the training step, or the forward pass, for a device (docs/export.md), all files or none.

        Args:
            directory: where to; it is made if need be.
            format: "c": C99 with kernels and a runtime. "tflm": a memory plan for TensorFlow Lite for Microcontrollers.
                "csv": a table of instructions.
            force: write even if the directory holds other files.
            parameters: for "c": the parameters to begin with, as for `run()`, such as `Run.parameters`.
            inference: for "c": a schedule of the same model with `backward="none"`, as a second plan that shares the
                parameters of the training step.
            name: for "c": what all words begin with in the place of "poet", for several exports in one program.
            model: what the schedule was solved for, if it was loaded without one.

        Returns:
            the paths of the files in the directory.

        Raises:
            InputError: the graph is not a training step or forward pass in float32 (POET's chain is neither), or the
                directory is not free.
            InvalidSchedule: the schedule is not valid, or no offsets fit.
        """
        with Files() as files:
            forward = [] if inference is None else ["--inference", files.add("inference.json", inference.text)]
            finished = run(["export", self._argument(files), "--model", self._model(model).argument(files),
                            *options({"--output": os.fspath(directory), "--format": format, "--force": force,
                                      "--name": name}),
                            *forward, *array_words(files, parameters, None, None)], files)
        if finished.status == EXIT_REQUIREMENT:
            raise InvalidSchedule(*finished.errors())
        if finished.status != 0:
            raise error_of(finished)
        return sorted(path for path in Path(directory).iterdir() if path.is_file())

    def run(self, *, steps: int = 1, seed: int = 1, parameters: Union[PathLike, Mapping[str, Any], None] = None,
            inputs: Union[Numbers, Mapping[str, Numbers], None] = None,
            targets: Union[Numbers, Mapping[str, Numbers], None] = None, check: bool = False, arrays: bool = True,
            model: Optional[ModelLike] = None) -> Run:
        """Computes the training step on real tensors, in exactly its RAM, and compares every gradient, loss and
        parameter, bit for bit, with the same step unscheduled (docs/run-format.md). Of a forward pass
        (`backward="none"`) it compares the outputs, computed as in PyTorch's evaluation mode.

        Args:
            steps: training steps, all with the same data.
            seed: of parameters and data that are not given.
            parameters: all parameters: an `.npz` file, or {name: array} with the names of PyTorch's state_dict().
            inputs: a `.npy` file or an array for the only input; {name: file or array} for several.
            targets: likewise for what losses compare with, if it is no input.
            check: fill memory that is not in use with signalling NaNs.
            arrays: whether the run has parameters, gradients and outputs as arrays, if numpy is installed.
            model: what the schedule was solved for, if it was loaded without one.

        Returns:
            the run, whether it is equal or not.

        Raises:
            InputError: the graph is not a training step or forward pass in float32, or an array does not fit.
            InvalidSchedule: the schedule is not valid; nothing was computed.
            ImportError: arrays are given, and numpy is not installed.
        """
        with Files() as files:
            written = ArrayFiles(files, arrays and has_numpy(), self.document["model"]["backward"] != "none")
            words = ["run", self._argument(files), "--model", self._model(model).argument(files),
                     *options({"--steps": steps, "--seed": seed, "--check": check}),
                     *array_words(files, parameters, inputs, targets), *written.words()]
            finished = run(words, files)
            numbers = written.read()
        if finished.status not in (0, EXIT_REQUIREMENT):
            raise error_of(finished)
        if not finished.out:
            raise InvalidSchedule(*finished.errors())
        document = json.loads(finished.out)
        if "equal" not in document:
            raise InvalidSchedule(*finished.errors())
        return record(Run, {**document, "document": document, "arrays": numbers})

    def warn(self, stacklevel: int) -> None:
        """Repeats the program's warnings as warnings of Python."""
        for note in self.notes:
            warnings.warn(note, stacklevel=stacklevel + 1)

    def _argument(self, files: Files) -> str:
        return files.add("schedule.json", self.text)

    def _model(self, model: Optional[ModelLike]) -> Model:
        if model is not None:
            return Model.of(model)
        if self.model is None:
            raise ValueError("the schedule was loaded without its model; expected model=")
        return self.model

    def _repr_html_(self) -> str:
        return image(self.plot())

    def _repr_svg_(self) -> str:
        return self.plot()

    def __repr__(self) -> str:
        platform = self.document["platform"]
        on = f" on {platform['name']}" if platform else ""
        return (f"<poet.Schedule of {self.document['model']['name']}{on}: {self.status}, {self.energy:.4g} J "
                f"({100 * self.summary['energy_overhead']:+.3f} %), {self.peak_ram} bytes>")
