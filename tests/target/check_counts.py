#!/usr/bin/env python3
"""Holds kernels and steps on an emulated Cortex-M4F to the instructions and the stack that were recorded.

usage: check_counts.py CHECK POET_SOLVE BUILD_DIR

CHECK is `kernels`, `elements`, `steps`, `vectors`, `updates` or `stack`; or `record`, which measures all of it and writes counts.json anew. Everything is compiled with
the POET_CFLAGS of an export. Instructions are exact and the same in every run with one compiler; another one than what was recorded with
may take a tenth more. Exit status: 0 it holds; 1 it does not, with a line for each difference; 77 without a compiler or QEMU.
"""
import functools
import json
import pathlib
import re
import sys

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parents[1]
EXAMPLE = SOURCE / "docs" / "examples" / "cortex-m4"
sys.path.insert(0, str(EXAMPLE))
import board

RECORD = HERE / "counts.json"
CHIP = ["-std=c99", "-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"]
HELIUM_CHIP = ["-std=c99", "-mcpu=cortex-m55", "-mthumb", "-mfloat-abi=hard"]
# A number takes 5 instructions to unpack, which 16 filters with one tap share: 0.3 for each multiply-accumulate of 2.9.
MOST_WITH_COPY = {"pointwise_48_16_16x16": 1.12}
MODELS = {"small_cnn": board.MODEL, "ds_cnn": "ds_cnn", "resnet18_cifar": "resnet18_cifar"}


def run(command, **options):
    finished = board.run(command, **options)
    if finished.returncode != 0:
        raise board.Failure(f"{' '.join(map(str, command))} ended with {finished.returncode}:\n{finished.stderr}")
    return finished.stdout


def export(poet_solve, folder, model, *options):
    """A step that keeps everything, as C."""
    folder.mkdir(parents=True, exist_ok=True)
    schedule, step = folder / "schedule.json", folder / "step"
    run([poet_solve, "--model", model, "--backward", "exact", "--platform", "m4", "--ram-budget", "100%", "--runtime-budget", "2",
         "--effort", "fast", "--replace", "--output", schedule])
    run([poet_solve, "export", schedule, "--model", model, *options, "--force", "--output", step])
    return step


def flags_of(step):
    snippet, = step.glob("*.mk")
    return run(["make", "-s", "-f", snippet, "--eval", f"flags:; @echo $({snippet.stem.upper()}_CFLAGS)", "flags"]).split()


def run_program(step, program, *others, machine=board.LARGE, chip=CHIP):
    """What it prints, as lines of words. `others`: more exports that it links, without a clock, whose name is of one of them."""
    binary = step.parent / f"{pathlib.Path(program).stem}.elf"
    files = [EXAMPLE / name for name in ("startup.c", "semihosting.c", *([] if others else [f"{machine}.c"]))]
    files += [source for folder in (step, *others) for source in sorted(folder.glob("*.c"))]
    run([board.COMPILER, *chip, *flags_of(step), "-I", EXAMPLE, *(f"-I{folder}" for folder in others), HERE / program, *files,
         "-nostartfiles", "--specs=nano.specs", "-L", EXAMPLE, "-T", EXAMPLE / f"{machine}.ld", "-Wl,--gc-sections", "-o", binary])
    printed = run(["qemu-system-arm", "-machine", machine, "-nographic", "-monitor", "none", "-serial", "none", "-icount", "shift=0",
                   "-semihosting-config", "enable=on,target=native", "-kernel", binary])
    return binary, [line.split() for line in printed.splitlines()]


def count_program(poet_solve, folder, program):
    """Instructions per unit, by kernel and pass, as a program prints them."""
    _, lines = run_program(export(poet_solve, folder / "small_cnn", MODELS["small_cnn"]), program)
    counts = {}
    for kernel, direction, ticks, units in lines:
        counts.setdefault(kernel, {})[direction] = round(board.INSTRUCTIONS_PER_TICK * int(ticks) / int(units), 2)
    return counts


def count_steps(poet_solve, folder):
    """Millions of instructions, and bytes of text, tables and stack, by model."""
    counts = {}
    for name, model in MODELS.items():
        binary, [[ticks, stack, _]] = run_program(export(poet_solve, folder / name, model), "step_counts.c")
        sizes = {"FUNC": 0, "OBJECT": 0}  # in flash
        for line in run(["arm-none-eabi-readelf", "--wide", "--syms", binary]).splitlines():
            words = line.split()
            if len(words) == 8 and words[3] in sizes and int(words[1], 16) < 0x20000000:
                sizes[words[3]] += int(words[2], 0)
        counts[name] = {"instructions": round(board.INSTRUCTIONS_PER_TICK * int(ticks) / 1e6, 2), "text": sizes["FUNC"],
                        "tables": sizes["OBJECT"], "stack": int(stack)}
    return counts


def count_updates(poet_solve, folder):
    """Instructions of an update for each parameter. Square roots have the bits of the integer ones, and need no function of libm."""
    binary, [[ticks, parameters, different]] = run_program(export(poet_solve, folder / "small_cnn", MODELS["small_cnn"]), "update_counts.c")
    names = {line.split()[-1] for line in run(["arm-none-eabi-nm", binary]).splitlines()}
    if different != "0" or names & {"sqrtf", "__errno", "__ieee754_sqrtf"}:
        raise board.Failure(f"{different} square roots or updates differ; libm: {sorted(name for name in names if 'sqrt' in name)}")
    return {"adam": round(board.INSTRUCTIONS_PER_TICK * int(ticks) / int(parameters), 1)}


def compiler():
    return run([board.COMPILER, "-dumpversion"]).strip()


def above(found, recorded, what):
    slack = 1.0 if compiler() == json.loads(RECORD.read_text())["compiler"] else 1.1
    return [] if found <= slack * recorded else [f"{what}: {found}; recorded: {recorded}"]


def same_names(found, recorded):
    return [] if found.keys() == recorded.keys() else [f"found {sorted(found)}; recorded: {sorted(recorded)}"]


def page_lacks(rows):
    page = (SOURCE / "docs" / "export.md").read_text()
    return [f"docs/export.md lacks the row {row}" for row in rows if row not in page]


def compared(poet_solve, folder, name, program):
    """The record of `name`, and what of a program's counts is above it."""
    recorded = json.loads(RECORD.read_text())[name]
    found = count_program(poet_solve, folder, program)
    failures = same_names(found, recorded)
    for kernel, counts in found.items():
        for direction, count in counts.items():
            failures += above(count, recorded[kernel][direction], f"instructions for each unit of {kernel} {direction}")
    return recorded, failures


def with_copies(kernel, counts):
    """A gradient that reads a copy of a byte: at most a tenth more than of numbers for most weights, and at most twice for all others."""
    if "weight" not in counts:
        numbers, read, most = counts["numbers"], counts["bytes"], 2.0
    else:
        numbers, read = counts["weight"], counts["weight_copy"]
        most = 2.0 if kernel.startswith("depthwise") else MOST_WITH_COPY.get(kernel, 1.1)
    return [] if read <= most * numbers else [f"{kernel}: {read} instructions with a copy; {numbers} without"]


def kernels(poet_solve, folder):
    recorded, failures = compared(poet_solve, folder, "kernels", "kernel_counts.c")
    rows = []
    for kernel, each in recorded.items():
        rows.append(f"| `{kernel}` | " + "".join(f"{count:.2f} | " for count in each.values()).rstrip())
        failures += with_copies(kernel, each)
    return failures + page_lacks(rows)


def elements(poet_solve, folder):
    recorded, failures = compared(poet_solve, folder, "elements", "element_counts.c")
    return failures + page_lacks([f"| `{kernel}` | " + ", ".join(f"{direction} {count:.2f}" for direction, count in each.items()) + " |"
                                  for kernel, each in recorded.items()])


def steps(poet_solve, folder):
    """The platform of exported C predicts 1.29 to 1.44 cycles for an instruction, as a taken branch has 2 to 4."""
    recorded = json.loads(RECORD.read_text())["steps"]
    found = count_steps(poet_solve, folder)
    failures = same_names(found, recorded)
    for name, model in MODELS.items():
        told = run([poet_solve, "info", model, "--backward", "exact", "--platform", "stm32f405_poet", "--json"])
        cycles = 168 * json.loads(told)["baseline_runtime_seconds"] / found[name]["instructions"]
        failures += [] if 1.29 <= cycles <= 1.44 else [f"stm32f405_poet predicts {cycles:.2f} cycles for an instruction of {name}"]
    for name, each in found.items():
        for what, count in each.items():
            failures += above(count, recorded[name][what], f"{what} of {name}")
    rows = [f"| `{name}` | {each['instructions']:.2f} million | {each['text']:,} | {each['tables']:,} | {each['stack']:,} |"
            for name, each in recorded.items()]
    return failures + page_lacks(rows)


def count_vectors(poet_solve, folder):
    """Instructions of kernels that vectors compute, for each multiply-accumulate, on a Cortex-M55."""
    step = export(poet_solve, folder / "small_cnn", MODELS["small_cnn"])
    _, lines = run_program(step, "kernel_counts.c", machine=board.HELIUM, chip=HELIUM_CHIP)
    counts = {}
    for kernel, direction, ticks, units in lines:
        if kernel.startswith(("3x3", "pointwise", "dense")) and direction in ("forward", "input", "weight"):
            counts.setdefault(kernel, {})[direction] = round(board.HELIUM_INSTRUCTIONS_PER_TICK * int(ticks) / int(units), 2)
    return counts


def vectors(poet_solve, folder):
    """They have the bits of numbers, but for subnormal ones; with POET_LANES=1 there are none, and all bits."""
    recorded, found = json.loads(RECORD.read_text())["vectors"], count_vectors(poet_solve, folder)
    failures = same_names(found, recorded)
    for kernel, counts in found.items():
        for direction, count in counts.items():
            failures += above(count, recorded[kernel][direction], f"instructions of vectors for each unit of {kernel} {direction}")
    page = (SOURCE / "docs" / "runtime.md").read_text()
    rows = [f"| `{kernel}` | " + " | ".join(f"{count:.2f}" for count in counts.values()) + " |" for kernel, counts in recorded.items()]
    failures += [f"docs/runtime.md lacks the row {row}" for row in rows if row not in page]
    step = folder / "small_cnn" / "step"
    _, [numbers] = run_program(step, "helium.c")
    _, [by_vectors] = run_program(step, "helium.c", machine=board.HELIUM, chip=HELIUM_CHIP)
    binary, [alone] = run_program(step, "helium.c", machine=board.HELIUM, chip=[*HELIUM_CHIP, "-DPOET_LANES=1"])
    failures += [] if alone == numbers else [f"POET_LANES=1 gives {alone}; a Cortex-M4 {numbers}"]
    failures += [] if by_vectors[0] == numbers[0] else [f"vectors give {by_vectors[0]} of ordinary numbers; a Cortex-M4 {numbers[0]}"]
    failures += [] if by_vectors[1] != numbers[1] else ["vectors have the bits of subnormal numbers, which the page denies"]
    code = run(["arm-none-eabi-objdump", "-d", binary])
    failures += ["POET_LANES=1 has vectors"] if re.search(r"v(add|sub|mul|fma)\.f32\s+q", code) else []
    return failures


def updates(poet_solve, folder):
    recorded = json.loads(RECORD.read_text())["updates"]
    found = count_updates(poet_solve, folder)
    failures = same_names(found, recorded)
    for name, count in found.items():
        failures += above(count, recorded[name], f"instructions for each parameter of {name}")
    return failures + page_lacks([f"{recorded['adam']} instructions for each parameter"])


def stack_frames(step):
    """The frame of each function, and what it calls, as GCC sees them. What is called by a pointer has no name there."""
    frames, calls = {}, {}
    for source in step.glob("poet_*.c"):
        run([board.COMPILER, *CHIP, *flags_of(step), "-fcallgraph-info=su", "-c", source, "-o", step.parent / f"{source.stem}.o"])
        text = (step.parent / f"{source.stem}.ci").read_text()
        for title, size in re.findall(r'node: \{ title: "([^"]+)" label: "[^"]*?(\d+) bytes \(static\)', text):
            frames[title.split(":")[-1]] = int(size)
        for caller, called in re.findall(r'edge: \{ sourcename: "([^"]+)" targetname: "([^"]+)"', text):
            calls.setdefault(caller.split(":")[-1], set()).add(called.split(":")[-1])
    return frames, calls


def stack(poet_solve, folder):
    """No kernel, called from a step, takes more than POET_STACK_BYTES: by the frames of all that are there, and by a painted stack."""
    step = export(poet_solve, folder / "small_cnn", MODELS["small_cnn"])
    limit = int(re.search(r"#define POET_STACK_BYTES (\d+)", (step / "poet_plan.h").read_text())[1])
    frames, calls = stack_frames(step)

    @functools.lru_cache(None)
    def depth(name):
        return frames.get(name, 0) + max([depth(each) for each in calls.get(name, ()) if each != name], default=0)

    # libc's memcpy and memset, which the compiler does not see, have a few registers to save.
    libc, shim = 32, max(size for name, size in frames.items() if name.startswith("call_"))
    deepest = max((depth(name), name) for name in frames if name.startswith("poet_") and name not in ("poet_step", "poet_infer"))
    bound = max(depth("poet_step"), depth("poet_infer")) + shim + deepest[0] + libc
    print(f"{bound} bytes at most, of which {deepest[1]} takes {deepest[0]}; POET_STACK_BYTES is {limit}")
    failures = [] if deepest[0] > 400 else [f"only {deepest[0]} bytes for the deepest kernel: the frames were not found"]
    failures += [] if bound <= limit else [f"frames come to {bound} bytes; POET_STACK_BYTES is {limit}"]
    for name in ("small_cnn", "ds_cnn"):
        step = export(poet_solve, folder / name, MODELS[name])
        binary, [[_, taken, _]] = run_program(step, "step_counts.c")
        arrays = [line.split() for line in run(["arm-none-eabi-nm", "-S", "--radix=d", binary]).splitlines()]
        sizes = {words[3]: int(words[1]) for words in arrays if len(words) == 4 and words[2] == "b"}
        header = (step / "poet_plan.h").read_text()
        total, running = (int(re.search(rf"#define POET_{what}_BYTES (\d+)", header)[1]) for what in ("TOTAL_RAM", "RUNNING"))
        linked = sum(sizes[array] for array in ("arena", "parameters", "input", "target"))  # the program keeps no statistics
        failures += [] if linked + running + limit == total else [f"{name}: POET_TOTAL_RAM_BYTES is {total}; the linker has {linked}"]
        print(f"{name} takes {taken} bytes of the stack")
        failures += [] if 400 < int(taken) <= limit else [f"{name} takes {taken} bytes of the stack; POET_STACK_BYTES is {limit}"]
    return failures


def record(poet_solve, folder):
    RECORD.write_text(json.dumps({"compiler": compiler(), "kernels": count_program(poet_solve, folder, "kernel_counts.c"),
                                  "elements": count_program(poet_solve, folder, "element_counts.c"),
                                  "steps": count_steps(poet_solve, folder),
                                  "vectors": count_vectors(poet_solve, folder),
                                  "updates": count_updates(poet_solve, folder)}, indent=1) + "\n")
    return []


def main():
    check, poet_solve, folder = sys.argv[1:]
    missing = board.missing_programs()
    if missing:
        print("skipped, nothing is counted on an emulated chip: there is no " + ", ".join(missing))
        return 77
    try:
        failures = {each.__name__: each for each in (kernels, elements, steps, vectors, updates, stack, record)}[check](poet_solve, pathlib.Path(folder))
    except board.Failure as failure:
        failures = [str(failure)]
    for failure in failures:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
