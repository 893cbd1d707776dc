"""Solves, exports and links the example's training step, runs it on an emulated chip, and reads what it prints."""

import array
import collections
import dataclasses
import hashlib
import json
import math
import os
import pathlib
import re
import shutil
import struct
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
MODEL = HERE / "small_cnn.json"
COMPILER = "arm-none-eabi-gcc"
NEEDED = {  # program: Debian package
    "make": "make",
    COMPILER: "gcc-arm-none-eabi",
    "qemu-system-arm": "qemu-system-arm",
}


class Failure(Exception):
    """Something that was to work did not."""


@dataclasses.dataclass
class Variant:
    """A way to schedule the step: its folder in the build, and the options of poet-solve."""

    name: str
    ram: str
    options: str = ""
    platform: str = "netduinoplus2.json"
    classifies: bool = False  # a forward pass follows the training
    places: bool = False  # tensors are in the banks of the platform


# What fits the chip: with the least energy, or by recomputation alone.
SCHEDULED = Variant("scheduled", "chip")
RECOMPUTED = Variant("recomputed", "chip", "--no-paging")
KEEP_ALL = Variant("keep_all", "100%")
CLASSIFIED = Variant("classified", "chip", classifies=True)
# The same tensors in the two memories of a larger board, and in one.
BANKS = Variant("banks", "100%", platform="mps2-an386.json", places=True)
# A schedule that is there already.
OWN = Variant("own", "chip")
OWN_CLASSIFIED = Variant("own", "chip", classifies=True)

# The board of which the example is about, and one with more RAM than anything here needs, whose timer counts instructions.
SMALL, LARGE = "netduinoplus2", "mps2-an386"
INSTRUCTIONS_PER_TICK = 40  # of LARGE
# A board with a Cortex-M55, and so with vectors.
HELIUM = "mps3-an547"
HELIUM_INSTRUCTIONS_PER_TICK = 31.25
TICKS_PER_SECOND = 25e6


@dataclasses.dataclass
class Step:
    loss: float
    bits: int
    ticks: int


@dataclasses.dataclass
class ChipRun:
    """What a program printed, and how it ended."""

    status: int
    arena_bytes: int = 0
    parameter_bytes: int = 0
    constant_bytes: int = 0
    steps: list = dataclasses.field(default_factory=list)
    gradients: dict = dataclasses.field(default_factory=dict)  # layer: (count, SHA-256)
    output: bytes = b""  # of the forward pass: float32, little-endian
    failure: str = ""  # the line `failed ...`


def missing_programs():
    """What has to be installed first, as words for a message."""
    missing = [f"{name} (Debian: {package})" for name, package in NEEDED.items() if not shutil.which(name)]
    # Without its C library, the compiler gives back the name as it is.
    if shutil.which(COMPILER) and run([COMPILER, "-print-file-name=nano.specs"]).stdout == "nano.specs\n":
        missing.append("newlib (Debian: libnewlib-arm-none-eabi)")
    return missing


def run(command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)


class Example:
    """The example in a build folder, with a poet-solve to use.

    `model` is what is trained. With `schedule`, a file for the platform of SMALL, the variant OWN is linked and run as this schedule says.
    What is not trained follows from `seed` when it is linked. `script`: what the linker takes in the place of the board's.
    """

    def __init__(self, poet_solve, build, model=MODEL, schedule=None, seed=1, script=None):
        self.poet_solve = pathlib.Path(shutil.which(poet_solve) or poet_solve).resolve()
        self.build = pathlib.Path(build).resolve()
        if any(letter.isspace() for letter in str(self.build)):
            raise Failure(f"make cannot write to '{self.build}'; expected a folder without spaces in its path")
        self.model = pathlib.Path(model)
        self.seed = seed
        self.script = script
        if schedule is not None:
            # make takes no path with spaces, and reads no stdin.
            self.folder(OWN).mkdir(parents=True, exist_ok=True)
            self.model = self.take(model, self.folder(OWN) / "model.json")
            self.take(schedule, self.folder(OWN) / "schedule.json")

    @staticmethod
    def take(path, copy):
        try:
            shutil.copyfile(path, copy)
        except OSError as error:
            raise Failure(f"{path}: cannot read: {error.strerror}") from error
        return copy

    def folder(self, variant):
        return self.build / variant.name

    def schedule(self, variant):
        return json.loads((self.folder(variant) / "schedule.json").read_text())

    def link(self, variant, board):
        """Returns the message of the linker if the program does not fit into the board's RAM, else an empty text."""
        # A make that called this script passes its own options on.
        environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
        made = run(["make", f"-j{os.cpu_count()}", "-C", HERE, f"POET_SOLVE={self.poet_solve}", f"BUILD={self.build}", f"BOARD={board}",
                    f"NAME={variant.name}", f"RAM={variant.ram}", f"OPTIONS={variant.options}",
                    f"PLATFORM={variant.platform}", f"MODEL={self.model}", f"SEED={self.seed}",
                    f"CLASSIFY={1 if variant.classifies else ''}", f"PLACE={1 if variant.places else ''}",
                    f"SCHEDULE={self.folder(OWN) / 'schedule.json' if variant.name == OWN.name else ''}",
                    *([] if self.script is None else [f"SCRIPT={self.script}"])],
                   env=environment)
        if made.returncode == 0:
            return ""
        overflow = re.search(r"region `RAM' overflowed by \d+ bytes", made.stderr)
        if not overflow:
            raise Failure(f"make ended with {made.returncode}:\n{made.stdout}{made.stderr}")
        return overflow[0]

    def run_on_host(self, variant, steps, seed):
        """The document of `poet-solve run`."""
        finished = run([self.poet_solve, "run", self.folder(variant) / "schedule.json", "--model", self.model,
                        "--steps", steps, "--seed", seed])
        if finished.returncode != 0:
            raise Failure(f"poet-solve run ended with {finished.returncode}:\n{finished.stderr}")
        document = json.loads(finished.stdout)
        document["losses"] = [math.nan if loss is None else loss for loss in document["losses"]]
        return document

    def classify_on_host(self, variant, steps, seed):
        """The document of the forward pass with what a training on the host has learned."""
        folder = self.folder(variant)
        words = ["--model", self.model, "--seed", seed]
        for command in (["run", folder / "schedule.json", "--steps", steps, "--parameters-output", folder / "trained.npz"],
                        ["run", folder / "forward.json", "--parameters", folder / "trained.npz"]):
            finished = run([self.poet_solve, *command, *words])
            if finished.returncode != 0:
                raise Failure(f"poet-solve run ended with {finished.returncode}:\n{finished.stderr}")
        return json.loads(finished.stdout)

    def run_on_chip(self, variant, board, steps, seed, storage="pages.bin", ticks=""):
        """Files are in the folder of the variant unless their paths are absolute."""
        words = [variant.name, steps, seed, storage, ticks or "-", "gradients.bin"]
        # QEMU has commas doubled.
        arguments = "".join(",arg=" + str(word).replace(",", ",,") for word in words)
        finished = run(["qemu-system-arm", "-machine", board, "-nographic", "-monitor", "none", "-serial", "none",
                        # An instruction takes 1 ns of the board's time: its timer counts them.
                        *(["-icount", "shift=0"] if board == LARGE else []),
                        "-semihosting-config", "enable=on,target=native" + arguments,
                        "-kernel", f"{board}.elf"],
                       cwd=self.folder(variant), stdin=subprocess.DEVNULL)
        return read_output(finished, self.folder(variant) / "gradients.bin")


def read_gradients(path):
    """gradients.h says what the file is: by number of the layer, the bytes of its gradient in the order of its elements."""
    words = array.array("I", path.read_bytes())
    elements = collections.defaultdict(dict)
    for group, index, bits in zip(words[0::3], words[1::3], words[2::3]):
        elements[group][index] = bits
    return {group: b"".join(struct.pack("<I", found[index]) for index in sorted(found)) for group, found in elements.items()}


def read_output(finished, gradients):
    """main.c says what the lines are."""
    result = ChipRun(finished.returncode)
    for line in finished.stdout.splitlines():
        kind, _, rest = line.partition(" ")
        words = rest.split()
        if kind == "memory":
            result.arena_bytes, result.parameter_bytes, result.constant_bytes = map(int, words)
        elif kind == "step":
            bits = int(words[2], 16)
            result.steps.append(Step(struct.unpack("<f", struct.pack("<I", bits))[0], bits, int(words[3])))
        elif kind == "gradient":
            group, count, layer = rest.split(" ", 2)
            found = read_gradients(gradients).get(int(group), b"")
            if len(found) != 4 * int(count):
                raise Failure(f"the gradient of {layer} has {len(found)} bytes on the chip; expected {4 * int(count)}")
            result.gradients[layer] = (int(count), hashlib.sha256(found).hexdigest())
        elif kind == "output":
            result.output = b"".join(struct.pack("<I", int(word, 16)) for word in words[1:])
        elif kind == "failed":
            result.failure = line
        else:
            raise Failure(f"the chip printed: {line}")
    if finished.returncode < 0 or finished.stderr:
        raise Failure(f"QEMU ended with {finished.returncode}:\n{finished.stderr}")
    return result


def instructions_of_a_step(example, variant, seed):
    """On LARGE. TICKS.csv in the folder of the variant has them one by one. Gradients are sent in the last step, which is
    not counted."""
    chip = example.run_on_chip(variant, LARGE, 2, seed, ticks="TICKS.csv")
    return INSTRUCTIONS_PER_TICK * chip.steps[0].ticks


def float_bits(number):
    return struct.unpack("<I", struct.pack("<f", number))[0]


def differences(chip, host):
    """What the chip did otherwise than the host, a line each; nothing if all bits agree."""
    found = []
    if len(chip.steps) != len(host["losses"]):
        found.append(f"{len(chip.steps)} steps on the chip, {len(host['losses'])} on the host")
    for number, (step, loss) in enumerate(zip(chip.steps, host["losses"]), 1):
        if step.bits != float_bits(loss):
            found.append(f"step {number}: the loss is {step.loss} on the chip, {loss} on the host")
    expected = {each["name"]: (each["count"], each["sha256"]) for each in host["gradients"]}
    for layer in sorted(expected.keys() | chip.gradients.keys()):
        if chip.gradients.get(layer) != expected.get(layer):
            found.append(f"the gradient of {layer} is {chip.gradients.get(layer)} on the chip, "
                         f"{expected.get(layer)} on the host")
    return found
