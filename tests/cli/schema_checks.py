"""What check_schemas.py needs: the schemas, the program, and documents that are changed until they are wrong."""
import concurrent.futures
import copy
import json
import os
import pathlib
import subprocess
import sys

from jsonschema import Draft202012Validator

POET_SOLVE = str(pathlib.Path(sys.argv[1]).resolve())
SOURCE = pathlib.Path(sys.argv[2]).resolve()

# The schema of a format. The lines of `sweep --min-ram` share one with those of other sweeps.
SCHEMA_OF = {"poet-model": "poet-model", "poet-platform": "poet-platform", "poet-schedule": "poet-schedule",
             "poet-sweep": "poet-sweep", "poet-min-ram": "poet-sweep", "poet-baselines": "poet-baselines",
             "poet-step-log": "poet-step-log"}

failures = []


def fail(message):
    print(message)
    failures.append(message)


def expect(condition, what):
    if not condition:
        fail(what)


def read_schemas():
    schemas = {}
    for path in sorted((SOURCE / "docs" / "schemas").glob("*.schema.json")):
        schema = json.loads(path.read_text())
        Draft202012Validator.check_schema(schema)
        schemas[path.name.removesuffix(".schema.json")] = Draft202012Validator(schema)
    if set(schemas) != set(SCHEMA_OF.values()):
        fail(f"found the schemas {sorted(schemas)}, expected {sorted(set(SCHEMA_OF.values()))}")
    return schemas


SCHEMAS = read_schemas()


def schema_of(document):
    """Only the first line of a step log has a format."""
    return SCHEMAS[SCHEMA_OF[document.get("format", "poet-step-log")]]


def accept(document, what):
    """The schema of its format has to accept a document."""
    for error in list(schema_of(document).iter_errors(document))[:3]:
        fail(f"{what}: {error.json_path}: {error.message[:300]}")
    return document


def poet_solve(*arguments, status=0, text=None):
    """Runs the program and returns its stdout."""
    run = subprocess.run([POET_SOLVE, *map(str, arguments)], input=text, capture_output=True, text=True)
    if run.returncode != status:
        sys.exit(f"{arguments}: found exit status {run.returncode}, expected {status}: {run.stderr}")
    return run.stdout


def written(*arguments, status=0):
    """The document that the program writes, which its schema has to accept."""
    what = "poet-solve " + " ".join(map(str, arguments))
    return accept(json.loads(poet_solve(*arguments, status=status)), what)


def written_lines(*arguments, status=0):
    what = "poet-solve " + " ".join(map(str, arguments))
    lines = poet_solve(*arguments, status=status).splitlines()
    return [accept(json.loads(line), what) for line in lines]


def altered(document, change):
    result = copy.deepcopy(document)
    change(result)
    return result


def distinct(pairs):
    """An object whose keys differ; ValueError if they do not."""
    if len(dict(pairs)) != len(pairs):
        raise ValueError("a key is there twice")
    return dict(pairs)


def refuse(document, reader, what, change):
    """Neither the schema nor the reader of a document accepts it once it is changed."""
    bad = altered(document, change)
    expect(not schema_of(document).is_valid(bad), f"{what}: the schema should refuse it")
    if reader:
        run = subprocess.run([POET_SOLVE, *reader, "-"], input=json.dumps(bad), capture_output=True, text=True)
        expect(run.returncode == 2, f"{what}: found exit status {run.returncode} of {' '.join(reader)}, expected 2")


def at(document, path):
    for key in path:
        document = document[key]
    return document


def places(document):
    """The paths of all values, of alike ones in a list the first."""
    found = {}

    def visit(value, path):
        found.setdefault(tuple("*" if isinstance(key, int) else key for key in path), path)
        if isinstance(value, dict):
            children = value.items()
        else:
            children = enumerate(value if isinstance(value, list) else [])
        for key, child in children:
            visit(child, path + (key,))

    visit(document, ())
    return found


def check_every_place(document, folder, reader=None, by_name=()):
    """A wrong type or an unknown key is refused anywhere. A key may be missing if the reader says so.

    `reader` has arguments of the program, FILE for the document among them; without it every key is required.
    `by_name` has the paths of objects whose keys are names, and of what these names refer to.
    """
    validator = schema_of(document)
    runs = []
    for kind, path in places(document).items():
        what = f"{document['format']}: /{'/'.join(kind)}"
        value = at(document, path)
        if isinstance(value, dict) and kind not in by_name:
            bad = altered(document, lambda d: at(d, path).update({"no such": "key"}))
            expect(not validator.is_valid(bad), f"{what}: accepts an unknown key")
        if not path:
            continue
        other = 0 if isinstance(value, dict) else {"x": 0}
        bad = altered(document, lambda d: at(d, path[:-1]).__setitem__(path[-1], other))
        expect(not validator.is_valid(bad), f"{what}: accepts a wrong type")
        if isinstance(path[-1], int) or kind in by_name or kind[:-1] in by_name:
            continue
        less = altered(document, lambda d: at(d, path[:-1]).pop(path[-1]))
        optional = validator.is_valid(less)
        if not reader:
            expect(not optional, f"{what}: may be missing")
            continue
        file = folder / f"less{len(runs)}"
        file.write_text(json.dumps(less))
        runs.append((what, optional, [POET_SOLVE, *(str(file) if word == "FILE" else word for word in reader)]))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        statuses = pool.map(lambda run: subprocess.run(run[2], capture_output=True).returncode, runs)
    for (what, optional, _), status in zip(runs, statuses):
        expect((status != 2) == optional, f"{what}: the schema says that it {'may' if optional else 'must not'} be "
               f"missing; the program ends with {status} without it")
