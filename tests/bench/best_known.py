"""The best that any run has found out about a problem: best_known.jsonl, a line for each. An energy in it never rises,
a bound never falls, and a proof that there is no schedule stays.

Bounds and proofs are about one order of the nodes. What was found in another order than the given one has a line of
its own with order_sha256, so that a bound stands beside energies in its order alone."""
import json
import os
import pathlib

FILE = pathlib.Path(__file__).with_name("best_known.jsonl")
TOLERANCE = 1e-9  # sums of the same costs in another order
KEYS = ("problem", "graph_sha256", "baseline_energy_joules", "energy_joules", "energy_from", "lower_bound_joules",
        "bound_from",
        "infeasible")
ORDER = "order_sha256"  # absent: the given order


def key_of(line):
    """The name of a problem, and the order if it is not the given one."""
    return f"{line['problem']} in order {line[ORDER]}" if line.get(ORDER) else line["problem"]


def read(path):
    """By the name of the problem, and its order if it has another; nothing if there is no file yet."""
    path = pathlib.Path(path)
    known = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines() if path.exists() else [], 1):
        try:
            stated = json.loads(line)
            best = {key: stated[key] for key in KEYS} | {key: stated[key] for key in (ORDER,) if stated.get(key)}
        except (ValueError, KeyError) as error:
            raise ValueError(f"{path}:{number}: expected a line as --update-best writes it: {error}") from error
        fault = "comes twice" if key_of(best) in known else conflict(best, best)
        if fault:
            raise ValueError(f"{path}:{number}: {key_of(best)}: {fault}")
        known[key_of(best)] = best
    return known


def text_of(known):
    return "".join(json.dumps(known[name], separators=(",", ":")) + "\n" for name in sorted(known))


def found_by(row):
    """What a row of a run says: figures, and where they come from."""
    source = f"version {row['version']}, {row['time_limit_seconds']:g} s"
    infeasible = row["status"] == "infeasible"
    energy, bound = row["energy_joules"], None if infeasible else row["lower_bound_joules"]
    return {"problem": row["problem"], "graph_sha256": row["graph_sha256"],
            "baseline_energy_joules": row["baseline_energy_joules"],
            "energy_joules": energy, "energy_from": "" if energy is None else source,
            "lower_bound_joules": bound, "bound_from": source if infeasible or bound is not None else "",
            "infeasible": infeasible} | ({ORDER: row[ORDER]} if row.get(ORDER) else {})


def conflict(known, found):
    """Why two findings about one problem cannot both be true, or nothing."""
    if known["graph_sha256"] != found["graph_sha256"]:
        return "measured on another graph than the best known; remove its line if that is meant"
    for proof, schedule in ((found, known), (known, found), (found, found)):
        energy, bound = schedule["energy_joules"], proof["lower_bound_joules"]
        if energy is None:
            continue
        known_from = f"{energy} J ({schedule['energy_from']})"
        if proof["infeasible"]:
            return f"proven to have no schedule ({proof['bound_from']}), but one of {known_from} is known"
        if bound is not None and bound > energy * (1 + TOLERANCE):
            return f"the bound of {bound} J ({proof['bound_from']}) is above the energy of {known_from}"
    return ""


def better_of(known, found):
    """The better figures of both, and whether the energy and the bound are new."""
    best = dict(known)
    energy = found["energy_joules"] is not None and (
        known["energy_joules"] is None or found["energy_joules"] < known["energy_joules"])
    if energy:
        best |= {key: found[key] for key in ("energy_joules", "energy_from")}
    higher = found["lower_bound_joules"] is not None and (
        known["lower_bound_joules"] is None or found["lower_bound_joules"] > known["lower_bound_joules"])
    bound = not known["infeasible"] and (found["infeasible"] or higher)
    if bound:
        best |= {key: found[key] for key in ("lower_bound_joules", "bound_from", "infeasible")}
    return best, energy, bound


def improve(known, rows):
    """What is known after these rows, how much is new, and what contradicts what: with a fault, nothing at all
    changes. An answer that is wrong is one; solves that crashed do not count."""
    better, counts, faults = dict(known), {"new problems": 0, "better energies": 0, "better bounds": 0}, []
    for row in rows:
        if row["crashed"]:
            continue
        if row["failure"]:
            faults.append(f"{row['problem']}: {row['failure']}")
            continue
        found = found_by(row)
        key = key_of(found)
        old = better.get(key, found)
        fault = conflict(old, found)
        if fault:
            faults.append(f"{key}: {fault}")
        elif key not in better:
            better[key] = found
            counts["new problems"] += 1
        else:
            better[key], energy, bound = better_of(old, found)
            counts["better energies"] += energy
            counts["better bounds"] += bound
    return (known if faults else better), counts, faults


def check(path):
    """Raises an error if the file could not be updated."""
    read(path)
    if not os.access(pathlib.Path(path).absolute().parent, os.W_OK):
        raise OSError(f"{path}: cannot be written")


def update(path, rows):
    """Puts what is better into a file, whole or not at all."""
    known, counts, faults = improve(read(path), rows)
    if not faults:
        beside = pathlib.Path(f"{path}.new")
        beside.write_text(text_of(known), encoding="utf-8")
        os.replace(beside, path)
    return counts, faults
