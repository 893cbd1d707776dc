#!/usr/bin/env python3
"""Checks docs/examples/cortex-m4 on emulated chips.

usage: check_target.py CHECK POET_SOLVE BUILD_DIR

CHECK is the name of a function below; `build` makes the programs that the others run. Exit status: 0 it holds; 1 it does not,
with a line for each difference; 77, which CTest takes for skipped, without a compiler or QEMU.
"""
import hashlib
import json
import math
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
SOURCE = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = SOURCE / "docs" / "examples" / "cortex-m4"
sys.path.insert(0, str(EXAMPLE))
import board
import check_counts

SMALL, LARGE = board.SMALL, board.LARGE
SCHEDULED, RECOMPUTED, KEEP_ALL = board.SCHEDULED, board.RECOMPUTED, board.KEEP_ALL
CLASSIFIED, OWN_CLASSIFIED = board.CLASSIFIED, board.OWN_CLASSIFIED
PAGED = board.Variant("paged", "chip", "--no-remat")
SEED = 7
failures = []


class Skipped(Exception):
    """Something that the check needs is missing."""


def expect(condition, text):
    if not condition:
        failures.append(text)


def expect_equal(found, expected, what):
    expect(found == expected, f"{what}: found {found}; expected {expected}")


def build(example):
    for variant in (SCHEDULED, PAGED):
        expect_equal(example.link(variant, SMALL), "", f"{variant.name} on {SMALL}")
    for variant in (RECOMPUTED, KEEP_ALL):
        expect_equal(example.link(variant, LARGE), "", f"{variant.name} on {LARGE}")


def fit(example):
    """The linker holds the program to the 128 KiB of the chip, whatever QEMU has."""
    expect("region `RAM' overflowed by" in example.link(KEEP_ALL, SMALL), "everything was kept, and it links")
    chip = example.run_on_chip(SCHEDULED, SMALL, 1, SEED)
    summary = example.schedule(SCHEDULED)["summary"]
    expect_equal(chip.status, 0, "status")
    expect_equal(chip.arena_bytes, example.run_on_host(SCHEDULED, 1, SEED)["arena_bytes"], "bytes of the arena")
    expect_equal(chip.parameter_bytes, summary["memory"]["parameters_bytes"], "bytes of parameters")
    kept = example.schedule(KEEP_ALL)["summary"]["peak_ram_bytes"]
    expect(kept + chip.parameter_bytes > 128 * 1024, "everything could be kept in 128 KiB")


def expect_bits_of_host(example, variant, machine, steps, gradients=6):
    host = example.run_on_host(variant, steps, SEED)
    chip = example.run_on_chip(variant, machine, steps, SEED)
    where = f"{variant.name} on {machine}"
    expect_equal(chip.status, 0, f"{where}: status")
    expect_equal(len(chip.gradients), gradients, f"{where}: gradients")
    for difference in board.differences(chip, host):
        expect(False, f"{where}: {difference}")
    return chip


def symbols(example, variant, machine):
    """Address and size of what is in the program, by name."""
    lines = board.run(["arm-none-eabi-nm", "-S", example.folder(variant) / f"{machine}.elf"]).stdout.splitlines()
    return {words[-1]: (int(words[0], 16), int(words[1], 16) if len(words) == 4 else 0) for words in map(str.split, lines)}


def frozen(example):
    """Layers that are not trained are in flash, so that the program takes the RAM that was budgeted and no more."""
    folder = example.build / "frozen"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    model = json.loads(board.MODEL.read_text())
    for layer in model["layers"]:
        if layer["name"] in ("conv1", "conv2", "conv3", "conv4"):
            layer["trainable"] = False
    (folder / "model.json").write_text(json.dumps(model))
    here = board.Example(example.poet_solve, folder, folder / "model.json", seed=SEED)
    expect_equal(here.link(SCHEDULED, SMALL), "", "link")
    chip = expect_bits_of_host(here, SCHEDULED, SMALL, 3, 2)
    summary = here.schedule(SCHEDULED)["summary"]
    memory = summary["memory"]
    expect_equal((chip.parameter_bytes, chip.constant_bytes), (15320, 26448), "bytes of parameters and constants")
    expect_equal((memory["parameters_bytes"], memory["flash_bytes"]), (15320, 26448), "the bytes of both in the budget")
    found = symbols(here, SCHEDULED, SMALL)
    address, size = found["poet_constants"]
    expect(0x08000000 <= address < 0x08100000, f"poet_constants is at {address:#x}, outside of flash")
    expect_equal(size, memory["flash_bytes"], "the size of poet_constants")
    taken = found["bss_end"][0] - 0x20000000
    budget = summary["peak_ram_bytes"] + memory["parameters_bytes"] + memory["reserve_bytes"]
    expect(taken <= budget, f"the program takes {taken} bytes of RAM; the budget is {budget}")
    # Another seed is another export.
    here.seed = SEED + 1
    expect_equal(here.link(SCHEDULED, SMALL), "", "link with another seed")
    expect(chip.steps[0].bits != here.run_on_chip(SCHEDULED, SMALL, 1, SEED).steps[0].bits, "another seed has the same constants")


def frozen_bytes(example):
    """Weights of one byte give the bits of their products on the host, in a quarter of the flash."""
    folder = example.build / "bytes"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    model = json.loads(board.MODEL.read_text())
    for layer in model["layers"]:
        if layer["name"] in ("conv2", "conv3", "conv4"):
            layer.update(trainable=False, frozen_weights="int8")
    (folder / "model.json").write_text(json.dumps(model))
    here = board.Example(example.poet_solve, folder, folder / "model.json", seed=SEED)
    expect_equal(here.link(SCHEDULED, SMALL), "", "link")
    chip = expect_bits_of_host(here, SCHEDULED, SMALL, 3, 3)
    memory = here.schedule(SCHEDULED)["summary"]["memory"]
    found = symbols(here, SCHEDULED, SMALL)
    address, size = found["poet_constant_bytes"]
    expect(0x08000000 <= address < 0x08100000, f"poet_constant_bytes is at {address:#x}, outside of flash")
    expect_equal(size + chip.constant_bytes, memory["flash_bytes"], "bytes of weights, scales and biases")
    expect(memory["flash_bytes"] < 1.2 * size, f"{memory['flash_bytes']} bytes of flash for {size} weights")


def copied(example):
    """Parameters that are copied out of flash give the bits of the host, and of parameters that are read there."""
    kept = {}
    for key in ("in_place", "copied"):
        folder = example.build / f"frozen_{key}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        model = json.loads(board.MODEL.read_text())
        for layer in model["layers"]:
            if layer["name"] in ("conv2", "conv4"):
                layer.update(trainable=False, frozen_parameters=key)
        (folder / "model.json").write_text(json.dumps(model))
        here = board.Example(example.poet_solve, folder, folder / "model.json", seed=SEED)
        expect_equal(here.link(SCHEDULED, SMALL), "", f"link {key}")
        kept[key] = expect_bits_of_host(here, SCHEDULED, SMALL, 2, 4)
        names = [node["name"] for node in here.schedule(SCHEDULED)["nodes"]]
        expect_equal([name for name in names if name.startswith("copy(")],
                     ["copy(conv2)", "copy(conv4)"] if key == "copied" else [], f"copies of {key}")
        expect_equal(here.schedule(SCHEDULED)["summary"]["memory"]["flash_bytes"], kept[key].constant_bytes, "bytes of flash")
    expect_equal([step.bits for step in kept["copied"].steps], [step.bits for step in kept["in_place"].steps], "losses")
    expect_equal(kept["copied"].gradients, kept["in_place"].gradients, "gradients")


def copied_tensors(example):
    """Gradients that read copies of tensors have the bits of the host, in less RAM than without copies."""
    peaks = {}
    for mode in ("none", "exact", "int8"):
        folder = example.build / f"copied_{mode}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        layers = [{"name": "conv", "op": "conv2d", "inputs": ["input"], "out_channels": 8, "kernel": 3, "padding": 1},
                  {"name": "norm", "op": "batch_norm2d", "inputs": ["conv"]},
                  {"name": "relu", "op": "relu6", "inputs": ["norm"]},
                  {"name": "deep", "op": "conv2d", "inputs": ["relu"], "out_channels": 8, "kernel": 3, "groups": 8, "stride": 2},
                  {"name": "silu", "op": "silu", "inputs": ["deep"]},
                  {"name": "point", "op": "conv2d", "inputs": ["silu"], "out_channels": 6, "kernel": 1},
                  {"name": "group", "op": "group_norm", "inputs": ["point"], "groups": 2},
                  {"name": "flat", "op": "flatten", "inputs": ["group"]},
                  {"name": "h", "op": "linear_relu", "inputs": ["flat"], "out_features": 32},
                  {"name": "fc", "op": "linear", "inputs": ["h"], "out_features": 3},
                  {"name": "loss", "op": "cross_entropy", "inputs": ["fc"], "classes": 3}]
        (folder / "model.json").write_text(json.dumps({
            "format": "poet-model", "version": 2, "name": mode, "input": {"shape": [2, 3, 12, 12]}, "layers": layers}))
        tensors = ["relu", "h"] if mode == "exact" else ["conv", "relu", "deep", "silu", "point", "group", "h"]
        (folder / "copies.json").write_text(json.dumps({"mode": mode, "tensors": tensors}))
        options = "" if mode == "none" else f"--copies {folder / 'copies.json'}"
        here = board.Example(example.poet_solve, folder, folder / "model.json", seed=SEED)
        variant = board.Variant("all", "100%", options)
        expect_equal(here.link(variant, SMALL), "", f"link {mode}")
        chip = expect_bits_of_host(here, variant, SMALL, 3, 7)
        peaks[mode] = here.schedule(variant)["summary"]["baseline_peak_ram_bytes"]
        errors = [gradient.get("relative_difference") for gradient in here.run_on_host(variant, 3, SEED)["gradients"]]
        if mode == "int8":
            expect(all(0 < error < 0.3 for error in errors), f"gradients differ by {errors}")
            expect(all(math.isfinite(step.loss) for step in chip.steps), "the training diverges")
        else:
            expect(set(errors) == ({None} if mode == "none" else {0}), f"gradients of {mode} differ by {errors}")
    # If everything is kept. Without copies: at the gradient of deep's input, for which the input, two tensors of its size and the gradient of deep are there. The bits
    # are beside them, as deep's weights need the tensor itself. With bytes: at the gradients of deep, with
    # the gradients of its output and its input, the copies of conv and relu, and a channel of the latter as numbers. The norm lies over conv.
    image, plane, deep = 4 * 2 * 3 * 144, 4 * 2 * 8 * 144, 4 * 2 * 8 * 25
    bits, scaled_bytes, channel = plane // 32, plane // 4 + 4 * 2 * 8, plane // 8
    expect_equal(peaks, {"none": image + 3 * plane + deep, "exact": image + 3 * plane + deep + bits,
                         "int8": image + plane + deep + 2 * scaled_bytes + channel}, "bytes of RAM")


def parts(example):
    """Biases alone, or weights alone, train with the bits of the host; the others are in flash."""
    for part, trained, constant in (("bias", 99, 507), ("weight", 507, 99)):
        folder = example.build / f"part_{part}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        cell = [f"{part}_ih", f"{part}_hh"]
        (folder / "model.json").write_text(json.dumps({
            "format": "poet-model", "version": 2, "name": part, "input": {"shape": [2, 3, 8, 8]}, "layers": [
                {"name": "conv", "op": "conv2d", "inputs": ["input"], "out_channels": 4, "kernel": 3, "trainable": [part]},
                {"name": "relu", "op": "relu", "inputs": ["conv"]},
                {"name": "norm", "op": "batch_norm2d", "inputs": ["relu"], "trainable": [part]},
                {"name": "deep", "op": "conv2d", "inputs": ["norm"], "out_channels": 4, "kernel": 3, "groups": 4, "trainable": [part]},
                {"name": "group", "op": "group_norm", "inputs": ["deep"], "groups": 2, "trainable": [part]},
                {"name": "pool", "op": "global_avg_pool", "inputs": ["group"]},
                {"name": "h", "op": "linear_relu", "inputs": ["pool"], "out_features": 5, "trainable": [part]},
                {"name": "last", "op": "layer_norm", "inputs": ["h"], "trainable": [part]},
                {"name": "lstm", "op": "lstm", "inputs": ["pool", "last", "h"], "trainable": cell},
                {"name": "gru", "op": "gru", "inputs": ["pool", "lstm"], "reset_after": True, "trainable": cell},
                {"name": "fc", "op": "linear", "inputs": ["gru"], "out_features": 3, "trainable": [part]},
                {"name": "loss", "op": "cross_entropy", "inputs": ["fc"], "classes": 3}]}))
        here = board.Example(example.poet_solve, folder, folder / "model.json", seed=SEED)
        expect_equal(here.link(SCHEDULED, SMALL), "", f"link {part}")
        chip = expect_bits_of_host(here, SCHEDULED, SMALL, 3, 11)
        memory = here.schedule(SCHEDULED)["summary"]["memory"]
        expect_equal((chip.parameter_bytes, chip.constant_bytes), (4 * trained, 4 * constant), f"bytes with each {part} alone")
        expect_equal((memory["parameters_bytes"], memory["flash_bytes"]), (4 * trained, 4 * constant), "the bytes of both in the budget")


def mobilenet():
    """A network of MobileNetV2's family: width 0.35, 64 px, without the widest stages and the head of 1280. The last block trains."""
    layers = []

    def add(op, trains=False, **keys):
        layers.append({"name": f"{op}{len(layers)}", "op": op, "inputs": [layers[-1]["name"] if layers else "input"], **keys})
        if not trains and op in ("conv2d", "batch_norm2d"):
            layers[-1].update({"frozen": True} if op == "batch_norm2d" else {"trainable": False, "frozen_weights": "int8"})
        return layers[-1]["name"]

    def convolution(channels, kernel, stride, groups, trains, rectifies=True):
        add("conv2d", trains, out_channels=channels, kernel=kernel, stride=stride, padding=kernel // 2, groups=groups, bias=False)
        name = add("batch_norm2d", trains)
        return add("relu6") if rectifies else name

    convolution(16, 3, 2, 1, False)
    width = 16
    stages = [(1, 8, 1, 1), (6, 8, 2, 2), (6, 16, 3, 2), (6, 24, 4, 2), (6, 32, 3, 1)]  # expansion, width, blocks, stride
    for number, (expansion, out, count, stride) in enumerate(stages):
        for block in range(count):
            trains = number + 1 == len(stages) and block + 1 == count
            start = layers[-1]["name"]
            if expansion > 1:
                convolution(expansion * width, 1, 1, 1, trains)
            convolution(expansion * width, 3, stride if block == 0 else 1, expansion * width, trains)
            end = convolution(out, 1, 1, 1, trains, rectifies=False)
            if block > 0:
                add("add")
                layers[-1]["inputs"] = [end, start]
            width = out
    add("global_avg_pool")
    add("linear", True, out_features=10)
    add("cross_entropy", classes=10)
    return {"format": "poet-model", "version": 2, "name": "mobilenet_v2_035_64", "input": {"shape": ["N", 3, 64, 64]}, "layers": layers}


def mobilenet_fits(example):
    """Fine-tuned within 512 KiB of flash, code included, and 320 KiB of RAM, stack included."""
    folder = example.build / "mobilenet"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "model.json").write_text(json.dumps(mobilenet()))
    platform = json.loads((EXAMPLE / "netduinoplus2.json").read_text())
    platform.update(name="chip", ram_bytes=320 * 1024, flash_bytes=512 * 1024)
    (folder / "chip.json").write_text(json.dumps(platform))
    (folder / "chip.ld").write_text("MEMORY {\n  FLASH (rx) : ORIGIN = 0x00000000, LENGTH = 512K\n"
                                    "  RAM (rw) : ORIGIN = 0x20000000, LENGTH = 320K\n}\nINCLUDE sections.ld\n")
    here = board.Example(example.poet_solve, folder, folder / "model.json", seed=SEED, script=folder / "chip.ld")
    variant = board.Variant("scheduled", "chip", "--effort fast --time-limit-s 10", folder / "chip.json")
    expect_equal(here.link(variant, LARGE), "", "link")
    expect_bits_of_host(here, variant, LARGE, 1, 7)
    memory = here.schedule(variant)["summary"]["memory"]
    print(f"{memory['parameters_bytes']} bytes of parameters, {memory['flash_bytes']} of flash, "
          f"{here.schedule(variant)['summary']['peak_ram_bytes']} of tensors")
    # The same network with floats.
    floats = mobilenet()
    for layer in floats["layers"]:
        layer.pop("frozen_weights", None)
    (folder / "floats.json").write_text(json.dumps(floats))
    solved = board.run([example.poet_solve, "--model", folder / "floats.json", "--platform", folder / "chip.json", "--ram-budget", "chip",
                        "--runtime-budget", 2, "--effort", "fast", "--time-limit-s", 10])
    need = json.loads(solved.stdout)["summary"]["memory"]["flash_bytes"]
    print(f"{need} bytes of flash as floats")
    expect(need > 2.5 * memory["flash_bytes"], f"floats need {need} bytes of flash, bytes {memory['flash_bytes']}")


def twenty_steps(example):
    chip = expect_bits_of_host(example, SCHEDULED, SMALL, 20)
    expect(chip.steps[-1].loss < chip.steps[0].loss, f"the loss does not fall: {[step.loss for step in chip.steps]}")


def techniques(example):
    """Both techniques alone, and everything kept, give the same gradients on both boards."""
    summary = example.schedule(RECOMPUTED)["summary"]
    expect(summary["recompute_count"] > 0 and summary["page_in_count"] == 0, "nothing is recomputed, or something paged")
    summary = example.schedule(PAGED)["summary"]
    expect(summary["recompute_count"] == 0 and summary["page_in_count"] > 0, "nothing is paged, or something recomputed")
    runs = [expect_bits_of_host(example, variant, machine, 2)
            for variant, machine in ((PAGED, SMALL), (RECOMPUTED, LARGE), (KEEP_ALL, LARGE))]
    for other in runs[1:]:
        expect_equal(other.gradients, runs[0].gradients, "gradients")


def banks(example):
    """A board with two memories computes the bits of one: the program has an arena in each, and writes both."""
    expect_equal(example.link(board.BANKS, LARGE), "", f"{board.BANKS.name} on {LARGE}")
    summary = example.schedule(board.BANKS)["summary"]
    ssram, psram = summary["banks"]
    expect(ssram["written_bytes"] > 0 and psram["written_bytes"] > 0, f"one bank has no tensor: {summary['banks']}")
    found = symbols(example, board.BANKS, LARGE)
    for bank, name, start, end in ((ssram, "ssram", 0x20000000, 0x20400000), (psram, "psram", 0x21000000, 0x22000000)):
        address, size = found[name]
        expect(start <= address < end, f"{name} is at {address:#x}")
        expect(bank["used_bytes"] <= size <= bank["bytes"], f"{name} has {size} bytes; {bank['used_bytes']} are used")
    kept, = summary["kept"]
    address, size = found["parameters"]
    home = 0x20000000 if kept["bank"] == "ssram" else 0x21000000
    expect(home <= address < home + 0x1000000, f"the parameters are at {address:#x}, and not in {kept['bank']}")
    expect_equal(size, kept["bytes"], "bytes of parameters")
    chip = expect_bits_of_host(example, board.BANKS, LARGE, 2)
    one = example.run_on_chip(KEEP_ALL, LARGE, 2, SEED)
    expect_equal([step.bits for step in chip.steps], [step.bits for step in one.steps], "bits of the losses in one memory")
    expect_equal(chip.gradients, one.gradients, "gradients in one memory")


def vectors(example):
    """A Cortex-M55, whose vectors the kernels use, trains with the bits of the host."""
    variant = board.Variant("helium", "100%")
    expect_equal(example.link(variant, board.HELIUM), "", f"{variant.name} on {board.HELIUM}")
    expect("poet_sum_vectors" in symbols(example, variant, board.HELIUM), "the program has no vectors")
    expect_bits_of_host(example, variant, board.HELIUM, 2)


def random_order(nodes, seed):
    """A legal order of the nodes of a schedule file: edges, reads of parameters before writes, writes in their order."""
    before = [set(node["inputs"]) for node in nodes]
    for k, node in enumerate(nodes):
        for name in node.get("writes_parameters", []):
            before[k] |= {i for i, other in enumerate(nodes)
                          if name in other.get("reads_parameters", []) or i < k and name in other.get("writes_parameters", [])}
        before[k].discard(k)
    draw = random.Random(seed)
    order = []
    while len(order) < len(nodes):
        order.append(draw.choice([k for k in range(len(nodes)) if k not in order and before[k] <= set(order)]))
    return order


def orders(example):
    """A chosen order of the nodes has the bits of the given one, on the chip as on the host."""
    given = example.schedule(KEEP_ALL)["nodes"]
    kept = expect_bits_of_host(example, KEEP_ALL, LARGE, 2)
    for seed in (1, 2, 3):
        order = random_order(given, seed)
        expect(order != sorted(order), "the order is the given one")
        file = example.build / f"order-{seed}.json"
        file.write_text(json.dumps(order))
        variant = board.Variant(f"order-{seed}", "100%", f"--order {file} --effort fast")
        expect_equal(example.link(variant, LARGE), "", f"{variant.name} on {LARGE}")
        expect_equal(example.schedule(variant)["model"].get("order"), order, "the order of the schedule")
        chip = expect_bits_of_host(example, variant, LARGE, 2)
        expect_equal([step.bits for step in chip.steps], [step.bits for step in kept.steps], f"{variant.name}: losses")
        expect_equal(chip.gradients, kept.gradients, f"{variant.name}: gradients")


def check_ticks(example, total):
    """The file for `poet-solve fit` has a line for each instruction of the schedule but those that only free."""
    lines = (example.folder(RECOMPUTED) / "TICKS.csv").read_text().splitlines()
    expect_equal(lines[0], "instruction,ticks", "the first line of TICKS.csv")
    rows = [tuple(map(int, line.split(","))) for line in lines[1:]]
    program = example.schedule(RECOMPUTED)["program"]
    expect_equal([number for number, _ in rows], [i for i, each in enumerate(program) if each["op"] != "free"],
                 "instructions of TICKS.csv")
    expect_equal(board.INSTRUCTIONS_PER_TICK * sum(ticks for _, ticks in rows), total, "the sum of TICKS.csv")


def instructions(example):
    scheduled = [board.instructions_of_a_step(example, RECOMPUTED, SEED) for _ in range(3)]
    kept = [board.instructions_of_a_step(example, KEEP_ALL, SEED) for _ in range(3)]
    expect(kept[0] > 0, "the timer stands still")
    expect_equal(scheduled, scheduled[:1] * 3, "instructions of three runs of the scheduled step")
    expect_equal(kept, kept[:1] * 3, "instructions of three runs that keep everything")
    found = scheduled[0] / kept[0]
    # The platform has one speed for all ops, so this is the ratio of FLOPs.
    predicted = example.schedule(RECOMPUTED)["summary"]["compute_runtime_ratio"]
    print(f"{scheduled[0]} instructions scheduled, {kept[0]} if everything is kept: {found:.4f}; "
          f"FLOPs predict {predicted:.4f}")
    expect(predicted > 1.05, f"the schedule recomputes too little to see it: {predicted}")
    check_ticks(example, scheduled[0])
    expect(abs(found / predicted - 1) <= 0.05, f"instructions grow by {found:.4f}; FLOPs predict {predicted:.4f}")


def failing_page(example):
    """/dev/null takes every page and gives none back; /dev/full takes none."""
    program = example.schedule(PAGED)["program"]
    for storage, op, reason in (("/dev/null", "page_in", "a page could not be read"),
                                ("/dev/full", "page_out", "a page could not be written"),
                                ("-", "page_out", "a page could not be written")):
        chip = example.run_on_chip(PAGED, SMALL, 2, SEED, storage=storage)
        first = next(number for number, instruction in enumerate(program) if instruction["op"] == op)
        expect_equal(chip.status, 1, f"{storage}: status")
        expect_equal(chip.steps, [], f"{storage}: steps that are complete")
        words = chip.failure.split(" ", 4)
        expect_equal(words[:3] + words[4:], ["failed", "1", str(first), reason], f"{storage}: what was reported")


def one_command(example):
    """It prints what its page shows, which `train --write-readme` has written."""
    finished = subprocess.run([EXAMPLE / "train", "--poet-solve", example.poet_solve, "--build", example.build],
                              capture_output=True, text=True)
    expect_equal(finished.returncode, 0, f"status, with {finished.stderr}")
    shown = re.search(r"^```\n(bytes of RAM .*?)^```$", (EXAMPLE / "README.md").read_text(), re.DOTALL | re.MULTILINE)[1]
    expect_equal(but_for_placement(finished.stdout), but_for_placement(shown), "what is printed")
    for text in ("does not link: region `RAM' overflowed by", "the same bits",
                 "6 of 6 gradients of step 20 have the same SHA-256", "predicted from FLOPs"):
        expect(text in finished.stdout, f"'{text}' is not in\n{finished.stdout}")
    expect("DIFFERENT" not in finished.stdout, finished.stdout)


def same_outputs(here, variant, steps):
    """What the chip classifies after a training has the bits of the host."""
    expect_equal(here.link(variant, SMALL), "", f"{variant.name} on {SMALL}")
    chip = expect_bits_of_host(here, variant, SMALL, steps, len(here.run_on_host(variant, 1, SEED)["gradients"]))
    host = here.classify_on_host(variant, steps, SEED)["outputs"]
    expect_equal([hashlib.sha256(chip.output).hexdigest()], [each["sha256"] for each in host], "the outputs of the forward pass")
    return chip


def classified(example):
    """Trained and then classified by one command: in the same RAM, and with norms whose statistics the chip has learned."""
    chip = same_outputs(example, CLASSIFIED, 20)
    expect_equal(chip.arena_bytes, example.schedule(CLASSIFIED)["summary"]["peak_ram_bytes"], "bytes of the arena")
    finished = subprocess.run([EXAMPLE / "train", "--classify", "--poet-solve", example.poet_solve, "--steps", "3",
                               "--build", example.build], capture_output=True, text=True)
    expect_equal(finished.returncode, 0, f"status, with {finished.stderr}")
    expect("classified after step 3: 'fc' is " in finished.stdout and "the same bits on the host" in finished.stdout, finished.stdout)
    folder = example.build / "norms"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "net.json").write_text(json.dumps({
        "format": "poet-model", "version": 2, "name": "norms", "input": {"shape": ["N", 3, 16, 16]}, "layers": [
            {"name": "conv1", "op": "conv2d", "inputs": ["input"], "out_channels": 8, "kernel": 3, "padding": 1},
            {"name": "bn1", "op": "batch_norm2d", "inputs": ["conv1"]},
            {"name": "relu1", "op": "relu", "inputs": ["bn1"]},
            {"name": "drop", "op": "dropout", "inputs": ["relu1"]},
            {"name": "conv2", "op": "conv2d", "inputs": ["drop"], "out_channels": 8, "kernel": 3, "stride": 2},
            {"name": "bn2", "op": "batch_norm2d", "inputs": ["conv2"], "trainable": False},
            {"name": "pool", "op": "global_avg_pool", "inputs": ["bn2"]},
            {"name": "fc", "op": "linear", "inputs": ["pool"], "out_features": 4},
            {"name": "loss", "op": "cross_entropy", "inputs": ["fc"], "classes": 4}]}))
    solved = board.run([example.poet_solve, "--model", folder / "net.json", "--platform", EXAMPLE / "netduinoplus2.json", "--batch-size", 2,
                        "--ram-budget", "chip", "--runtime-budget", 2, "--output", folder / "schedule.json"])
    expect_equal(solved.returncode, 0, f"the status of a solve, with {solved.stderr}")
    same_outputs(board.Example(example.poet_solve, folder, folder / "net.json", folder / "schedule.json", SEED), OWN_CLASSIFIED, 5)


def ecc_states(example):
    """A save in flash with ECC, cut at each word that it writes or erases, leaves the older or the newer state."""
    folder = example.build / "ecc"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "net.json").write_text(json.dumps({
        "format": "poet-model", "version": 2, "name": "net", "input": {"shape": [1, 2, 8, 8]}, "layers": [
            {"name": "conv", "op": "conv2d", "inputs": ["input"], "out_channels": 4, "kernel": 3},
            {"name": "pool", "op": "global_avg_pool", "inputs": ["conv"]},
            {"name": "fc", "op": "linear", "inputs": ["pool"], "out_features": 3},
            {"name": "loss", "op": "cross_entropy", "inputs": ["fc"], "classes": 3}]}))
    step = check_counts.export(example.poet_solve, folder, folder / "net.json")
    _, [[cuts, older, newer, errors, mistakes]] = check_counts.run_program(step, "ecc_states.c")
    print(f"{cuts} cuts, and {errors} reads that failed")
    expect(int(cuts) > 256 and int(errors) >= 16, f"{cuts} cuts, of which the chip saw {errors} as errors of reads")
    expect_equal((older, newer, mistakes), (cuts, "1", "0"), "cuts that leave the older state, the newer one, and mistakes")


def two_networks(example):
    """Two networks in one program train with the bits that the host has for each."""
    steps, expected = [], []
    for name, change in (("kws", {"optimizer": "adam"}), ("vww", {})):
        folder = example.build / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "net.json").write_text(json.dumps({**json.loads(board.MODEL.read_text()), **change}))
        steps.append(check_counts.export(example.poet_solve, folder, folder / "net.json", "--name", name))
        run = check_counts.run([example.poet_solve, "run", folder / "schedule.json", "--model", folder / "net.json", "--steps", 3])
        expected.append([[name, f"{board.float_bits(loss):08x}"] for loss in json.loads(run)["losses"]])
    _, lines = check_counts.run_program(steps[0], "two_networks.c", steps[1])
    expect(expected[0] != expected[1], "both networks have the same losses")
    expect_equal(lines, [line for pair in zip(*expected) for line in pair], "bits of the losses in turns")


def page(example):
    """The programs of docs/export.md compile."""
    expect_equal(example.link(CLASSIFIED, SMALL), "", f"{CLASSIFIED.name} on {SMALL}")
    for section, variant in (("How to call it", SCHEDULED), ("Inference", CLASSIFIED)):
        text = (SOURCE / "docs" / "export.md").read_text().split(f"## {section}\n")[1]
        program = re.search(r"```c\n(.*?)```", text, re.DOTALL)[1]
        finished = subprocess.run(["arm-none-eabi-gcc", "-std=c99", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion",
                                   "-Werror", "-I", example.folder(variant) / "step", "-x", "c", "-"],
                                  input=program, capture_output=True, text=True)
        expect_equal(finished.returncode, 0, f"the compiler's status for '{section}', with {finished.stderr}")


def arduino(example):
    """Arduino compiles a library's files as they are, without flags of ours, and a sketch as C++. Products are not fused there either."""
    folder = example.build / "arduino"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    step = example.folder(SCHEDULED) / "step"
    (folder / "Arduino.h").write_text("#include <stdint.h>\nvoid setup();\nvoid loop();\n"
                                      "struct port { void begin(long); void println(double, int = 2); };\nextern port Serial;\n")
    (folder / "sketch.cpp").write_text("#include <Arduino.h>\n" + (step / "examples" / "train" / "train.ino").read_text())
    chip = ["-Os", "-DARDUINO=10819", "-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16", "-I", folder, "-I", step]
    sources = sorted(step.glob("*.c"))
    expect(len(sources) >= 7, f"the library has the sources {sources}")
    for source in sources:
        finished = board.run(["arm-none-eabi-gcc", "-std=gnu11", *chip, "-c", source, "-o", folder / f"{source.stem}.o"])
        expect_equal((finished.returncode, finished.stderr), (0, ""), f"the compiler's status and remarks for {source.name}")
    finished = board.run(["arm-none-eabi-g++", "-std=gnu++11", *chip, "-c", folder / "sketch.cpp", "-o", folder / "sketch.o"])
    expect_equal((finished.returncode, finished.stderr), (0, ""), "the compiler's status and remarks for the sketch")
    objects = sorted(folder.glob("*.o"))
    code = board.run(["arm-none-eabi-objdump", "-d", *objects]).stdout
    expect(re.search(r"\tvmul\.f32|\tvmla\.f32", code), "there are no products")
    expect_equal(re.findall(r"\tvfm[as]\.f32.*", code), [], "products that are fused")
    linked = board.run(["arm-none-eabi-gcc", "-r", "-nostdlib", *objects, "-o", folder / "all.elf"])
    expect_equal(linked.returncode, 0, f"the linker's status, with {linked.stderr}")


def contraction(example):
    """A compiler that fuses products is found out before the first step, and not by other results."""
    flags = f"-I{example.build}/fused/step -ffp-contract=fast -std=gnu99 -ffunction-sections"
    finished = board.run(["make", "-C", EXAMPLE, f"POET_SOLVE={example.poet_solve}", f"BUILD={example.build}", "NAME=fused",
                          f"BOARD={SMALL}", f"SCHEDULE={example.folder(SCHEDULED) / 'schedule.json'}", f"POET_CFLAGS={flags}"])
    expect_equal(finished.returncode, 0, f"the status of make, with {finished.stderr}")
    chip = example.run_on_chip(board.Variant("fused", "chip"), SMALL, 1, SEED)
    expect_equal((chip.status, chip.steps), (1, []), "status and steps")
    expect("products are fused with sums" in chip.failure, f"the chip reports: {chip.failure}")


def but_for_placement(text):
    """What `train` prints without the bytes of RAM, which differ between schedules that cost the same."""
    return re.sub(r"^(scheduled) +[\d,]+ +([\d,]+) +[\d,]+ ", r"\1 \2 ", text, flags=re.MULTILINE)


def imported(example):
    """The three commands of docs/import.md, as they are printed, take an ONNX file to the steps that the page shows."""
    section = (SOURCE / "docs" / "import.md").read_text().split("## To a chip")[1].split("\n## ")[0]
    commands = re.search(r"```sh\n(.*?)```", section, re.DOTALL)[1].splitlines()
    printed = re.search(r"```\n(.*?)```", section.split("```sh")[1].split("```", 1)[1], re.DOTALL)[1]
    expect_equal(len(commands), 3, "commands")
    folder = example.build / "imported"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(EXAMPLE, folder / "docs" / "examples" / "cortex-m4", ignore=shutil.ignore_patterns("build", "__pycache__"))
    shutil.copyfile(SOURCE / "tests" / "fuzz" / "corpus" / "onnx" / "small_residual.onnx", folder / "net.onnx")
    environment = {**os.environ, "PATH": f"{example.poet_solve.parent}:{os.environ['PATH']}", "POET_SOLVE": ""}
    for command in commands:
        finished = subprocess.run(command, shell=True, cwd=folder, env=environment, capture_output=True, text=True)
        if "built without ONNX" in finished.stderr:
            raise Skipped("this poet-solve reads no ONNX files")
        expect_equal(finished.returncode, 0, f"the status of {command}, with {finished.stderr}")
    expect_equal(but_for_placement(finished.stdout), but_for_placement(printed), "what the last command prints")
    host = json.loads(board.run([example.poet_solve, "run", folder / "schedule.json", "--model", folder / "net.json", "--steps", 2]).stdout)
    expect(host["equal"], "the schedule does not compute what the unscheduled step does")
    expect_equal(re.findall(r"^ +\d+ +([\d.]+) +[\d.]+  the same bits$", finished.stdout, re.MULTILINE),
                 [f"{loss:.6f}" for loss in host["losses"]], "the losses of the chip")


def measured(example):
    """A platform fitted to the ticks of the program that keeps everything predicts the time of one that does not."""
    kept = example.folder(KEEP_ALL)
    folder = example.build / "fitted"
    shutil.rmtree(folder, ignore_errors=True)
    example.run_on_chip(KEEP_ALL, LARGE, 2, SEED, ticks="to_fit.csv")
    finished = board.run([example.poet_solve, "fit", kept / "to_fit.csv", kept / "schedule.json", "--model", board.MODEL,
                          "--ticks-per-second", board.TICKS_PER_SECOND, "--output", folder])
    expect_equal(finished.returncode, 0, f"the status of fit, with {finished.stderr}")
    budget = example.schedule(RECOMPUTED)["summary"]["ram_budget_bytes"]
    variant = board.Variant("measured", str(budget), "--no-paging", folder / "platform.json")
    expect_equal(example.link(variant, LARGE), "", "link")
    predicted = example.schedule(variant)["summary"]
    expect(predicted["recompute_count"] > 0, "nothing is recomputed")
    found = example.run_on_chip(variant, LARGE, 2, SEED).steps[0].ticks / board.TICKS_PER_SECOND
    print(f"a step takes {1000 * found:.2f} ms; predicted: {1000 * predicted['compute_seconds']:.2f} ms")
    expect(abs(found / predicted["compute_seconds"] - 1) <= 0.05,
           f"a step takes {found} s; predicted: {predicted['compute_seconds']} s")


CHECKS = {each.__name__: each for each in (
    build, fit, vectors, frozen, frozen_bytes, copied, copied_tensors, parts, mobilenet_fits, twenty_steps, techniques, banks, orders, instructions, failing_page,
    ecc_states, two_networks, one_command, classified, page, imported, measured,
    arduino, contraction)}


def main():
    check, poet_solve, folder = sys.argv[1:]
    missing = board.missing_programs()
    if missing:
        print("skipped, nothing is run on an emulated chip: there is no " + ", ".join(missing))
        return 77
    os.environ["OPTIMISE"] = "-O2 -Werror"  # for the Makefile
    try:
        CHECKS[check](board.Example(poet_solve, folder))
    except Skipped as reason:
        print(f"skipped: {reason}")
        return 77
    except board.Failure as failure:
        failures.append(str(failure))
    for failure in failures:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
