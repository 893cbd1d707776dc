#!/usr/bin/env python3
"""Holds the JSON Schemas of docs/schemas against the program: what it reads and writes, and what it refuses.

usage: check_schemas.py POET_SOLVE SOURCE_DIR

Exit status: 0 they agree; 1 they do not, with a line for each difference; 77, which CTest takes for skipped, without
jsonschema.
"""
import json
import pathlib
import re
import sys
import tempfile

sys.dont_write_bytecode = True
try:
    from schema_checks import (SCHEMA_OF, SCHEMAS, SOURCE, accept, altered, check_every_place, distinct, expect, fail,
                               failures, poet_solve, refuse, schema_of, written, written_lines)
except ImportError as error:
    if error.name != "jsonschema" and "Draft202012Validator" not in str(error):
        raise
    print("skipped: no jsonschema that knows draft 2020-12 (Debian: python3-jsonschema)")
    sys.exit(77)

# Files of tests/data/models/bad with mistakes that a schema does not see: names, order, shapes, sums.
BEYOND_A_SCHEMA = {"absurd_channels", "absurd_flop", "absurd_input", "absurd_tensor", "attention_mismatch",
                   "channels_do_not_divide", "conv_on_a_matrix", "cycle", "duplicate_name", "duplicate_node",
                   "forward_input", "kernel_too_large", "linear_on_an_image", "name_of_the_input", "own_input",
                   "unequal_shapes", "unknown_input", "wrong_classes"}

COSTS = {"bytes": 20, "runtime_seconds": 1, "energy_joules": 1, "page_in_energy_joules": 1, "page_out_energy_joules": 1}
NODES = {"format": "poet-model", "version": 2, "name": "measured", "parameters": {"w": 8}, "state": {"m": 8},
         "nodes": [
    {"name": "a", **COSTS, "inputs": [], "workspace_bytes": 4},
    {"name": "b", **COSTS, "inputs": ["a"], "in_place": "a", "reads_parameters": ["w"], "page": False,
     "page_in_seconds": 0.5, "page_out_seconds": 0.5, "storage_bytes": 24},
    {"name": "c", **COSTS, "inputs": [1], "recompute": False, "writes_parameters": ["w", "m"], "backward": True}]}

LAYERS = {"format": "poet-model", "version": 2, "name": "layers", "update": "buffered", "optimizer": "adam",
          "dtype": {"activations": "fp16"}, "input": {"shape": ["N", 3, 8, 8]},
          "inputs": {"target": {"shape": ["N", 4, 4, 4], "dtype": "fp32", "repeatable": True}}, "layers": [
    {"name": "conv", "op": "conv2d", "inputs": ["input"], "out_channels": 4, "kernel": [3, 3], "stride": 2,
     "padding": "same", "trainable": False, "frozen_weights": "int8"},
    {"name": "relu", "op": "relu", "inputs": ["conv"], "in_place": "conv", "recompute": False, "page": False},
    {"name": "norm", "op": "batch_norm2d", "inputs": ["relu"], "epsilon": 0.1, "momentum": 0.2, "trainable": False,
     "frozen_parameters": "copied"},
    {"name": "leaky", "op": "leaky_relu", "inputs": ["norm"], "slope": 0.3, "differs": "its slope is -0.3"},
    {"name": "drop", "op": "dropout", "inputs": ["leaky"], "rate": 0.4},
    {"name": "any", "op": "custom", "inputs": ["drop"], "shape": ["N", 4, 4, 4], "flops": 10, "parameters": 3,
     "saves": ["inputs"], "workspace_bytes": 16},
    {"name": "last", "op": "conv2d", "inputs": ["any"], "out_channels": 4, "kernel": 1, "trainable": ["bias"]},
    {"name": "loss", "op": "mse", "inputs": ["last"], "target": "target"}]}


def check_files():
    """What the program reads, the schemas accept."""
    for folder in ("models", "platforms"):
        for path in sorted((SOURCE / folder).glob("*.json")):
            accept(json.loads(path.read_text()), path)
    examples = SOURCE / "docs" / "examples"
    for path in sorted([*examples.glob("*.json"), *examples.glob("*/*.json")]):
        accept(json.loads(path.read_text()), path)
    for name in ("exact", "frozen", "sequence", "attention", "layers", "nodes_2"):
        path = SOURCE / "tests" / "fuzz" / "corpus" / "model" / f"{name}.json"
        accept(json.loads(path.read_text()), path)
    for name in ("banked", "error_partly", "infeasible", "infeasible_about", "moved", "ordered", "paged", "placed", "recomputed"):
        path = SOURCE / "tests" / "fuzz" / "corpus" / "schedule" / f"{name}.json"
        accept(json.loads(path.read_text()), path)


def check_pages():
    """The examples of the pages are complete documents, or schedules to be completed by `verify`."""
    found = 0
    for path in [SOURCE / "README.md", *sorted((SOURCE / "docs").glob("*.md"))]:
        for text in re.findall(r"```json\n(.*?)```", path.read_text(), re.DOTALL):
            document = json.loads(text)
            if document.get("format") not in SCHEMA_OF or "stages" in document and "code" not in document:
                continue
            accept(document, f"{path}, example {found}")
            found += 1
    expect(found >= 5, f"found {found} examples in the pages, expected at least 5")


def check_bad_models():
    """Bad files are refused, but for mistakes that are beyond a schema."""
    accepted = set()
    for path in (SOURCE / "tests" / "data" / "models" / "bad").glob("*.json"):
        try:
            document = json.loads(path.read_text(), object_pairs_hook=distinct)
        except ValueError:
            continue
        if SCHEMAS["poet-model"].is_valid(document):
            accepted.add(path.stem)
    for name in sorted(accepted ^ BEYOND_A_SCHEMA):
        fail(f"{name}.json: " + ("expected to be refused" if name in accepted else "expected to be accepted"))


def check_ops():
    """The ops of the schema, their inputs and attributes are those of the program, in either version."""
    ops = json.loads(poet_solve("--list-ops", "--json"))["ops"]
    extents = {"integer": 1, "window": 1, "padding": 1, "flag": True, "list": [1], "shape": [1], "choices": [], "number": 0.5}
    for version in (1, 2):
        layer = SCHEMAS["poet-model"].schema["$defs"][f"layer_of_version_{version}"]
        known = [op["name"] for op in ops if op["version"] <= version]
        expect(layer["properties"]["op"]["enum"] == known, f"version {version}: other ops than those of --list-ops")
        for op in ops:
            if op["version"] > version:
                continue
            document = {"format": "poet-model", "version": version, "name": "m", "input": {"shape": [1]}, "layers": [
                {"name": "y", "op": op["name"], "inputs": ["input"] * op["input_count"]}]}
            one = document["layers"][0]
            attributes = [rule for rule in op["attributes"] if rule.get("version", 1) <= version]
            for rule in attributes:
                one[rule["name"]] = rule["words"][0] if rule["kind"] == "choice" else extents[rule["kind"]]
            accept(document, f"version {version}, {op['name']} with all attributes")
            # Each attribute has its range, and whether it may be missing.
            for rule in attributes:
                what = f"version {version}, {op['name']}: {rule['name']}"
                stride_of_pool = version == 1 and rule["name"] == "stride" and op["name"].endswith("pool2d")
                missing = altered(document, lambda d: d["layers"][0].pop(rule["name"]))
                optional = "default" in rule and not stride_of_pool
                expect(schema_of(missing).is_valid(missing) == optional, f"{what} should be "
                       + ("optional" if optional else "required"))
                if "least" in rule and rule["kind"] != "shape":
                    # One less than a large number is that number.
                    limits = [(rule["least"], True), (rule["least"] - 1 - abs(rule["least"]), False)]
                    limits += [(rule["most"], True), (rule["most"] + 1 + rule["most"], False)] if "most" in rule else []
                    limits += [(rule["below"], False)] if "below" in rule else []
                    for value, fits in limits:
                        entry = [value] if rule["kind"] == "list" else value
                        other = altered(document, lambda d: d["layers"][0].update({rule["name"]: entry}))
                        expect(schema_of(other).is_valid(other) == fits, f"{what}: found {entry}, which should be "
                               + ("accepted" if fits else "refused"))
            most = op.get("most_inputs", op["input_count"])
            more = altered(document, lambda d: d["layers"][0].update({"inputs": ["input"] * (most + 1)}))
            expect(not schema_of(more).is_valid(more), f"{op['name']} accepts {most + 1} inputs")
            other = altered(document, lambda d: d["layers"][0].update({"nonsense": 1}))
            expect(not schema_of(other).is_valid(other), f"{op['name']} accepts an unknown key")


def check_every_input(folder):
    check_every_place(LAYERS, folder, ["info", "FILE"], [("input",), ("inputs",)])
    check_every_place(NODES, folder, ["info", "FILE"], [("parameters",), ("state",)])
    board = json.loads((SOURCE / "platforms" / "stm32f746.json").read_text())
    board.update({"ops": {"conv2d": {"flops_per_second": 1e6, "flops_per_joule": 1e9}}, "memory_bytes_per_second": 1e9,
                  "description": "a board", "cpu_power_watts": 0.5, "flash_bytes": 1048576, "parameters_in": "flash"})
    accept(board, "a platform with all keys")
    check_every_place(board, folder, ["info", "linear", "--platform", "FILE"], [("ops",)])


def check_wrong_inputs():
    model = {"format": "poet-model", "version": 1, "name": "m", "input": {"shape": ["N", 3, 8, 8]}, "layers": [
        {"name": "pool", "op": "max_pool2d", "inputs": ["input"], "kernel": 2, "stride": 2}]}
    accept(model, "a model of version 1")

    def wrong(what, change, document=model):
        refuse(document, ["info"], f"model: {what}", change)

    wrong("unknown key", lambda d: d.update(layerz=[]))
    wrong("unknown version", lambda d: d.update(version=3))
    wrong("key of version 2", lambda d: d.update(optimizer="sgd"))
    wrong("key of version 2 in a layer", lambda d: d["layers"][0].update(trainable=True))
    wrong("attribute of version 2", lambda d: d["layers"][0].update(ceil_mode=True))
    wrong("window as a stride in version 1", lambda d: d["layers"][0].update(stride=[2, 2]))
    wrong("op of version 2", lambda d: d["layers"][0].update(op="identity"))
    wrong("backward pass of version 2", lambda d: d.update(backward="exact"))
    wrong("no input", lambda d: d.pop("input"))
    wrong("control character in a name", lambda d: d.update(name="a\n"))
    wrong("no stride", lambda d: d["layers"][0].pop("stride"))
    wrong("target of a layer that is no loss", lambda d: d["layers"][1].update(target="target"), LAYERS)
    wrong("no input at all", lambda d: (d.pop("input"), d.update(inputs={})), LAYERS)
    wrong("unknown element type", lambda d: d.update(dtype="fp64"), LAYERS)
    wrong("indices as activations", lambda d: d["layers"][0].update(dtype="int32"), LAYERS)
    wrong("number in place of a flag", lambda d: d["layers"][0].update(trainable=1), LAYERS)
    wrong("no parameter that trains", lambda d: d["layers"][6].update(trainable=[]), LAYERS)
    wrong("a parameter twice", lambda d: d["layers"][6].update(trainable=["weight", "weight"]), LAYERS)
    wrong("unknown parameter", lambda d: d["layers"][6].update(trainable=["gamma"]), LAYERS)
    wrong("copies of what is trained", lambda d: d["layers"][2].pop("trainable"), LAYERS)
    wrong("copies of bytes", lambda d: d["layers"][0].update(frozen_parameters="copied"), LAYERS)
    wrong("copies of nothing", lambda d: d["layers"][1].update(frozen_parameters="copied"), LAYERS)
    wrong("layers and nodes", lambda d: d.update(layers=[]), NODES)
    wrong("update that may be computed again", lambda d: d["nodes"][2].pop("recompute"), NODES)
    wrong("key of version 2 in a node", lambda d: (d.update(version=1), d.pop("parameters"), d.pop("state")), NODES)

    board = json.loads((SOURCE / "platforms" / "stm32f746.json").read_text())

    def wrong_board(what, change):
        bad = altered(board, change)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "board.json"
            path.write_text(json.dumps(bad))
            expect(not schema_of(board).is_valid(bad), f"platform: {what}: the schema should refuse it")
            poet_solve("info", "linear", "--platform", path, status=2)

    wrong_board("unknown key", lambda d: d.update(ram=1))
    wrong_board("no speed", lambda d: d.pop("flops_per_second"))
    wrong_board("speed of 0", lambda d: d.update(flops_per_second=0))
    wrong_board("text in place of a number", lambda d: d.update(ram_bytes="256K"))
    wrong_board("unknown memory", lambda d: d.update(parameters_in="rom"))
    wrong_board("no rates of an op", lambda d: d.update(ops={"conv2d": {}}))
    wrong_board("key of a transfer", lambda d: d["page_in"].update(watts=1))


def check_solves(folder):
    """Documents of single solves, with a schedule and without. Returns one of each kind."""
    linear = ("--model", "linear", "--platform", "m4")
    plain = written(*linear, "--ram-budget", "60%", "--runtime-budget", "1.5")
    expect(plain["version"] == 2 and "offset" in plain["program"][0], "a new schedule should have offsets")
    expect("page_in_seconds" not in plain["nodes"][0], "the nodes of POET's chain should be those of version 1")
    paged = written("--model", "linear", "--platform", "a72", "--ram-budget", "3300", "--runtime-budget", "1.5")
    expect("storage_bytes" in paged["summary"] and any("slot" in one for one in paged["program"]),
           "a schedule that pages should have slots")
    exact = written("--model", "linear", "--platform", "stm32f746", "--backward", "exact", "--ram-budget", "70%",
                    "--runtime-budget", "2", "--paging-time", "overlapped", "--storage-budget", "1M",
                    "--page-out-budget", "1M")
    expect(exact["version"] == 2 and "storage_bytes" in exact["nodes"][0] and "paging_time" in exact["request"]
           and any("over" in one for one in exact["program"]), "an exact schedule should have keys of version 2")
    for objective in ("runtime", "ram"):
        found = written(*linear, "--objective", objective, "--runtime-budget", "1.5",
                        *(("--ram-budget", "60%") if objective == "runtime" else ()))
        expect(found["request"]["objective"] == objective, f"no objective {objective} in the request")
    certified = written(*linear, "--ram-budget", "60%", "--runtime-budget", "1.5", "--certify", folder / "proof")
    expect(certified["version"] == 2 and certified["summary"]["certified"]
           and certified["summary"]["certified_bound_joules"] > 0, "expected a bound that is certified")
    for key in ("certified", "certified_bound_joules"):
        refuse(certified, ["verify"], f"text in place of {key}", lambda d, key=key: d["summary"].update({key: "1"}))
        refuse(certified, ["verify"], f"null in place of {key}", lambda d, key=key: d["summary"].update({key: None}))
    poet_solve("certify", "-", text=json.dumps(certified))
    measured = folder / "measured.json"
    measured.write_text(json.dumps(accept(NODES, "NODES")))
    found = written("--model", measured, "--ram-budget", "100%", "--runtime-budget", "2")
    expect(found["platform"] is None, "a model with its own costs should need no platform")
    layers = folder / "layers.json"
    layers.write_text(json.dumps(accept(LAYERS, "LAYERS")))
    small = written("--model", layers, "--platform", "stm32f746", "--ram-budget", "chip", "--runtime-budget", "2",
                    "--paging-time", "overlapped", "--storage-budget", "1M", "--page-out-budget", "1M")
    expect("memory" in small["summary"], "expected the parameters beside a budget of the whole chip")

    infeasible = written(*linear, "--ram-budget", "1000", "--runtime-budget", "1.5", status=3)
    expect("smallest_ram_bytes" in infeasible, "no smallest RAM budget in an infeasible document")
    written("--model", "linear", "--backward", "exact", "--platform", "m4", "--ram-budget", "1000", "--runtime-budget",
            "1.5", status=3)
    written(*linear, "--ram-budget", "60%", "--runtime-budget", "1us", status=3)
    written("--model", "linear", "--platform", "nix", "--ram-budget", "60%", "--runtime-budget", "1.5", status=2)
    written("--model", "nix", status=2)
    return plain, exact, small, infeasible


def check_sweeps(folder):
    """Lines of each kind. Returns one of each."""
    grid = ("sweep", "--models", "linear", "--platforms", "m4", "--runtime-budget", "1.5")
    lines = written_lines(*grid, "--ram-budget", "20%,60%,100%", "--schedules", folder / "runs")
    expect({line["status"] for line in lines} == {"infeasible", "optimal"}, "expected an infeasible point and others")
    for path in sorted((folder / "runs").glob("*.json")):
        accept(json.loads(path.read_text()), path)
    written_lines("sweep", "--models", "linear", "--platforms", "stm32f746", "--backward", "exact", "--runtime-budget",
                  "2", "--ram-budget", "70%,100%", "--paging-time", "blocking", "--storage-budget", "1M")
    smallest = written_lines(*grid, "--min-ram")
    expect([line["status"] for line in smallest] == ["exact"], "expected an exact answer to --min-ram")
    none = written_lines("sweep", "--models", "linear", "--platforms", "m4", "--runtime-budget", "1us", "--min-ram")
    expect([line["status"] for line in none] == ["infeasible"], "expected that no RAM budget helps")
    (folder / "none").mkdir()
    failed = written_lines(*grid, "--ram-budget", "60%", "--collect", folder / "none", status=1)
    expect([line["status"] for line in failed] == ["failed"], "expected a point without a file to have failed")
    measured = folder / "measured.json"
    written_lines("sweep", "--models", measured, "--runtime-budget", "2", "--ram-budget", "50%,100%")
    return lines[0], lines[1], smallest[0]


def check_baselines(folder):
    """Lines of every status that a run can be made to have. Returns one with a schedule."""
    lines = written_lines("baselines", "--model", "linear", "--platform", "m4", "--ram-budget", "20%,80%",
                          "--runtime-budget", "2", "--schedules", folder / "methods")
    lines += written_lines("baselines", "--model", "resnet18_cifar", "--platform", "stm32f746", "--backward", "exact",
                           "--ram-budget", "60%", "--runtime-budget", "3", "--methods", "keep-all,page-all", "--no-paging")
    statuses = {line["status"] for line in lines}
    expect(statuses == {"feasible", "infeasible", "not-applicable"}, f"found the statuses {sorted(statuses)}")
    return next(line for line in lines if line["status"] == "feasible")


def check_step_logs(folder):
    """The log of docs/measured-steps.md, which `import --trace` reads, and each of its values changed until it is wrong."""
    page = (SOURCE / "docs" / "measured-steps.md").read_text()
    log = [json.loads(line) for line in re.findall(r"^\{.*\}$", page, re.MULTILINE)]
    expect({line.get("event") for line in log} == {None, "memory", "op", "release"}, "the log of the page lacks an event")
    path = folder / "step.jsonl"

    def imported(lines, status):
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        poet_solve("import", path, "--trace", status=status)

    imported(log, 0)
    for number, line in enumerate(log):
        accept(line, f"line {number + 1} of the log")
        wrong = [("an unknown key", lambda d: d.update(extra=1))]
        for key, value in line.items():
            wrong.append((f"{key} of another type", lambda d, key=key: d.update({key: {}})))
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                wrong.append((f"{key} below 0", lambda d, key=key: d.update({key: -1})))
            if key in ("id", "bytes", "kind", "op", "seconds", "event", "format", "version"):
                wrong.append((f"no {key}", lambda d, key=key: d.pop(key)))
        for what, change in wrong:
            bad = altered(line, change)
            expect(not SCHEMAS["poet-step-log"].is_valid(bad), f"log, line {number + 1}: {what}: the schema should refuse it")
            imported([*log[:number], bad, *log[number + 1:]], 2)


def as_version_1(document):
    """A schedule of POET's chain as files were before they had offsets."""
    old = altered(document, lambda d: d.update(version=1))
    old["summary"] = {key: value for key, value in old["summary"].items()
                      if key not in ("peak_storage_bytes", "arena_bytes", "storage_bytes")}
    old["program"] = [{"op": one["op"], "node": one["node"]} for one in old["program"]]
    return old


def check_wrong_schedules(plain, exact, infeasible):
    def wrong(what, change, document=plain):
        refuse(document, ["verify"], f"schedule: {what}", change)

    old = accept(as_version_1(plain), "a schedule of version 1")
    poet_solve("verify", "-", text=json.dumps(old))

    wrong("unknown key", lambda d: d.update(extra=1))
    wrong("unknown key of a stage", lambda d: d["stages"][0].update(extra=1))
    # To `verify` it is a draft, as a single file.
    refuse(plain, ["place"], "schedule: no summary", lambda d: d.pop("summary"))
    wrong("unknown version", lambda d: d.update(version=3))
    wrong("text in place of a number", lambda d: d["summary"].update(gap="0"))
    wrong("unknown instruction", lambda d: d["program"][0].update(op="load"))
    wrong("key of version 2 in the request", lambda d: d["request"].update(paging_time="free"), old)
    wrong("key of version 2 in the summary", lambda d: d["summary"].update(compute_seconds=1), old)
    wrong("key of version 2 in a node", lambda d: d["nodes"][0].update(page=True), old)
    wrong("certificate in version 1", lambda d: d["summary"].update(certified=True), old)
    wrong("offset in version 1", lambda d: d["program"][0].update(offset=0), old)
    wrong("slot in version 1", lambda d: d["program"][0].update(slot=0), old)
    wrong("version 1 with offsets", lambda d: d.update(version=1))
    wrong("version 1 with keys of version 2", lambda d: d.update(version=1), exact)
    wrong("null in place of a missing key", lambda d: d["request"].update(storage_budget_bytes=None), exact)

    ordered = json.loads((SOURCE / "tests" / "fuzz" / "corpus" / "schedule" / "ordered.json").read_text())
    for key in ("order", "graph_sha256", "order_sha256"):
        wrong(f"an order without {key}", lambda d, key=key: d["model"].pop(key), ordered)
    wrong("a node twice in an order", lambda d: d["model"]["order"].__setitem__(0, 1), ordered)
    wrong("an order of no nodes", lambda d: d["model"].update(order=[]), ordered)
    wrong("a digest in capitals", lambda d: d["model"].update(order_sha256="A" * 64), ordered)
    wrong("an order in version 1", lambda d: d.update(version=1), ordered)

    def wrong_reason(what, change):
        bad = altered(infeasible, change)
        expect(not schema_of(bad).is_valid(bad), f"document without a schedule: {what}: the schema should refuse it")

    wrong_reason("unknown key", lambda d: d.update(extra=1))
    wrong_reason("part of a problem", lambda d: d.pop("request"))
    wrong_reason("stages", lambda d: d.update(stages=[]))
    wrong_reason("unknown status", lambda d: d.update(status="optimal"))


def check_wrong_lines(folder, infeasible, solved, smallest):
    def wrong(what, document, change):
        path = folder / "wrong.jsonl"
        path.write_text(json.dumps(altered(document, change)) + "\n")
        refuse(document, None, f"line: {what}", change)
        poet_solve("plot", path, status=2)

    wrong("unknown key", solved, lambda d: d.update(extra=1))
    wrong("no status", solved, lambda d: d.pop("status"))
    wrong("unknown version", solved, lambda d: d.update(version=2))
    wrong("no energy of a schedule", solved, lambda d: d.update(energy_joules=None))
    wrong("wrong type", solved, lambda d: d.update(point="0"))
    wrong("energy without a schedule", infeasible, lambda d: d.update(
        {key: solved[key] for key in solved if infeasible[key] is None and key not in ("reason", "schedule_file")}))
    for change in (lambda d: d.update(extra=1), lambda d: d.pop("task"), lambda d: d.update(smallest_ram_bytes=None)):
        refuse(smallest, None, "line of --min-ram", change)


check_files()
check_pages()
check_bad_models()
check_ops()
check_wrong_inputs()
with tempfile.TemporaryDirectory() as name:
    scratch = pathlib.Path(name)
    check_every_input(scratch)
    plain, exact, small, infeasible = check_solves(scratch)
    check_wrong_schedules(plain, exact, infeasible)
    check_every_place(small, scratch, ["verify", "FILE", "FILE"])
    check_every_place(infeasible, scratch, ["compare", "FILE", "FILE"])
    unsolved, solved, smallest = check_sweeps(scratch)
    check_wrong_lines(scratch, unsolved, solved, smallest)
    check_every_place(solved, scratch, ["plot", "FILE"])
    check_every_place(smallest, scratch)
    check_every_place(check_baselines(scratch), scratch)
    check_step_logs(scratch)
sys.exit(1 if failures else 0)
