"""The benchmark's sets of problems. Each is made by a fixed rule in which every value comes up about equally often.

The name of a problem says all that poses it, and best_known.jsonl goes by it: results stay comparable from version to
version.
"""
import dataclasses
import functools
import json
import pathlib
import re
import subprocess

MODELS = pathlib.Path(__file__).resolve().parents[2] / "models"

# Of the way from the working set, below which nothing is possible, to the baseline's peak, from which on nothing has
# to be done.
PERCENTAGES = (0, 2, 5, 10, 15, 20, 30, 40, 50, 70, 90)
RATIOS = (1.05, 3)
# For a sample that shares no point with the grid.
PERCENTAGES_BETWEEN = (1, 3, 7, 12, 17, 25, 35, 45, 60, 80, 95)
RATIOS_BETWEEN = (1.2, 2)
SMALL_MODELS = ("linear", "transformer", "vgg16_cifar")
POET_PLATFORMS = ("a72", "a72nocache", "jetsontx2", "m0", "m4")
PLATFORMS = ("a72", "a72nocache", "esp32s3", "jetsontx2", "m0", "m4", "rp2040", "rpi5", "stm32f746", "stm32h743")


@dataclasses.dataclass(frozen=True)
class Problem:
    """One problem to solve: what its graph is, and the limits."""
    name: str
    kind: str  # chain, exact, inference, layered or scale
    model: str  # a built-in model, or FAMILY NODES SEED of a synthetic graph
    platform: str | None
    ram_bytes: int
    ratio: float
    seed: int = 1  # of the solver


class Graphs:
    """The models of problems as arguments of poet-solve, and their sizes. Files go into `folder`."""

    def __init__(self, program, synthetic, folder):
        self.program = program
        self.synthetic = synthetic
        self.folder = pathlib.Path(folder)

    @functools.cache
    def arguments(self, kind, model, platform):
        if kind in ("layered", "scale"):
            return ("--model", self._synthetic_file(model))
        if kind == "inference":
            return ("--model", self._without_backward(model), "--platform", platform)
        exact = ("--backward", "exact") if kind == "exact" else ()
        return ("--model", model, "--platform", platform, *exact)

    @functools.cache
    def sizes(self, kind, model, platform):
        """The working set and the baseline's peak, in bytes."""
        _, given, *others = self.arguments(kind, model, platform)
        run = subprocess.run([self.program, "info", "--quiet", "--json", given, *others], stdout=subprocess.PIPE,
                             check=True)
        figures = json.loads(run.stdout)
        return figures["working_set_bytes"], figures["baseline_peak_ram_bytes"]

    def point(self, kind, model, platform, percentage, ratio, seed=1):
        """A RAM budget this far on the way from the working set to the peak."""
        least, peak = self.sizes(kind, model, platform)
        return named(kind, model, platform, least + (peak - least) // 100 * percentage, ratio, seed)

    def _synthetic_file(self, model):
        path = self.folder / f"{model.replace(' ', '-')}.json"
        with path.open("wb") as file:
            subprocess.run([self.synthetic, *model.split()], stdout=file, check=True)
        return str(path)

    def _without_backward(self, model):
        text = json.loads((MODELS / f"{model}.json").read_text(encoding="utf-8"))
        path = self.folder / f"{model}.json"
        path.write_text(json.dumps({**text, "backward": "none"}), encoding="utf-8")
        return str(path)


def named(kind, model, platform, ram_bytes, ratio, seed=1):
    prefix = "" if kind == "chain" else f"{kind} "
    return Problem(f"{prefix}{model}/{platform} {ram_bytes} {ratio:g}x", kind, model, platform, ram_bytes, ratio, seed)


def chains(*points):
    return [named("chain", *point) for point in points]


def named_set(graphs, quick):
    """Picked by hand, of every size; the quick ones are settled in seconds."""
    if quick:
        return chains(("vgg16_cifar", "m4", 1200000, 3), ("resnet18_cifar", "a72", 737719, 3),
                      ("resnet18_cifar", "a72", 3000000, 7.6), ("bert", "m4", 200000000, 3))
    small = [("resnet18_cifar", "m4", 737719, ratio) for ratio in (1.5, 1.05, 1.02, 1.01)]
    small += [("resnet18_cifar", "m4", ram, 3) for ram in (590886, 500000, 481305, 350000)]
    return chains(*small, ("resnet18_cifar", "a72", 737719, 3), ("resnet18_cifar", "a72", 350000, 3),
                  ("resnet18_cifar", "a72nocache", 481305, 3), ("vgg16_cifar", "m4", 1200000, 3),
                  ("bert", "m4", 200000000, 3), ("bert", "m4", 137153740, 3), ("bert", "m4", 31457280, 3),
                  ("bert", "a72", 100000000, 3), ("resnet18", "m4", 12000000, 3), ("resnet50", "m4", 60000000, 3),
                  ("resnet50", "m4", 47001011, 3))


def poet_models():
    """The models that POET published."""
    return [path.stem for path in sorted(MODELS.glob("*.json"))
            if json.loads(path.read_text(encoding="utf-8")).get("backward") == "poet-chain"]


def grid_set(graphs, quick):
    """Every model of POET on its platforms, with all RAM budgets and two runtime budgets."""
    models, platforms, percentages = poet_models(), POET_PLATFORMS, PERCENTAGES
    if quick:
        models, platforms, percentages = SMALL_MODELS, ("m4", "a72"), (0, 20, 50)
    return [graphs.point("chain", model, platform, percentage, ratio)
            for model in models for platform in platforms for percentage in percentages for ratio in RATIOS]


def sample_of(graphs, quick, percentages, ratios, seed):
    """One point for every model, platform and runtime budget. The strides have no common factor with the eleven RAM
    budgets: a model meets ten of them, each once."""
    return [graphs.point("chain", model, platform, percentages[(3 * m + p + 5 * r) % len(percentages)], ratio, seed)
            for m, model in enumerate(SMALL_MODELS if quick else poet_models())
            for p, platform in enumerate(POET_PLATFORMS) for r, ratio in enumerate(ratios)]


def sample_set(graphs, quick):
    return sample_of(graphs, quick, PERCENTAGES, RATIOS, seed=1)


def sample2_set(graphs, quick):
    return sample_of(graphs, quick, PERCENTAGES_BETWEEN, RATIOS_BETWEEN, seed=2)


def layered_set(graphs, quick):
    """Random graphs in layers, at a share of their peak, with recomputation only. A graph comes up twice, at two
    shares."""
    sizes, shares, points = (100, 250, 500, 1000), (90, 80, 60, 40), []
    for i in range(40):
        size = i % 4
        if quick and size > 0:
            continue
        share, graph = shares[(i // 4 + size + i // 20) % 4], 1 + i % 5
        model = f"far-reaching {sizes[size]} {graph}"
        _, peak = graphs.sizes("layered", model, None)
        points.append(Problem(f"layered {sizes[size]} graph {graph} {share} %", "layered", model, None,
                              peak * share // 100, 1000))
    return points


def scale_set(graphs, quick):
    """Chains with skips and layered graphs with a backward pass, from small to large, with paging."""
    points = []
    for family in ("skips", "layered"):
        for share in (30, 60):
            for nodes in (125, 250, 500) if quick else (500, 1000, 2000):
                model = f"{family} {nodes} 1"
                least, peak = graphs.sizes("scale", model, None)
                points.append(Problem(f"scale {family} {nodes} {share} %", "scale", model, None,
                                      least + int(share / 100 * (peak - least)), 3))
    return points


def exact_set(graphs, quick):
    """Exact training steps. resnet18_cifar on m4 keeps budgets that were 5, 20 and 40 % for an earlier backward
    pass."""
    points = [named("exact", "resnet18_cifar", "m4", ram, 3) for ram in (264396, 467763, 738918)]
    points.append(graphs.point("exact", "resnet18_cifar", "m4", 70, 1.05))
    if quick:
        return points
    models = ("bert", "gpt2_tiny", "mcunet_vww", "mobilenet_v2_035_96", "resnet18", "resnet50", "unet_small",
              "vgg16_cifar",
              "vit_tiny")
    others = [platform for platform in PLATFORMS if platform != "m4"]
    return points + [graphs.point("exact", model, others[(m + 2 * s) % 9], percentage, RATIOS[(m + s) % 2])
                     for m, model in enumerate(models) for s, percentage in enumerate((5, 20, 40, 70))]


def inference_set(graphs, quick):
    """Forward passes that need more RAM at their peak than one computation does, and cannot read their input again for
    nothing. Runtimes change after each round of RAM budgets, so that they meet all of them."""
    return [graphs.point("inference", model, platform, (0, 25, 50, 75)[(10 * m + p) % 4], RATIOS[(p // 4 + m) % 2])
            for m, model in enumerate(("bert", "gpt2_tiny", "unet_small", "vit_tiny"))
            for p, platform in enumerate(PLATFORMS) if not quick or model == "unet_small"]


SETS = {"named": named_set, "grid": grid_set, "sample": sample_set, "sample2": sample2_set, "layered": layered_set,
        "exact": exact_set, "inference": inference_set, "scale": scale_set}


def shard(problems, text):
    """`1/2`: every second problem, so that each part gets some of every kind."""
    words = re.fullmatch(r"(\d+)/(\d+)", text)
    part, count = map(int, words.groups()) if words else (0, 0)
    if not 1 <= part <= count:
        raise ValueError(f"--shard: '{text}'; expected a part and a number of parts, as in 1/2 and 2/2")
    return problems[part - 1::count]
