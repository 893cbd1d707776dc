"""A program of a user who checks types: mypy --strict reads it, nobody runs it."""
from pathlib import Path
from typing import Dict, List, Optional

import poet
from poet import POETResult, Schedule, solve


def board() -> poet.Platform:
    return poet.Platform("m4", ram_bytes=192 * 1024)


def best(models: List[str]) -> Dict[str, float]:
    energies: Dict[str, float] = {}
    for name in models:
        try:
            schedule: Schedule = poet.optimize(name, board(), ram="chip", runtime=1.5, gap=1e-3)
        except poet.Infeasible as error:
            smallest: Optional[int] = error.smallest_ram
            print(error.reason, smallest)
            continue
        energies[name] = schedule.energy
        offsets: List[Optional[int]] = [step.offset for step in schedule.program]
        print(offsets, [stage.resident for stage in schedule.stages], schedule.verify(), schedule.run().losses)
        files: List[Path] = schedule.place(alignment=16).export("step")
        print(files)
    return energies


def curve() -> List[Optional[float]]:
    return [point.energy for point in poet.sweep("linear", ["m0", "m4"], ram="min..100%:8", runtime=[1.5, 2.0])]


def as_poet() -> float:
    result: POETResult = solve("linear", "m4", ram_budget=4000, runtime_budget=1.5)
    return result.total_power_cost_cpu or 0.0


def watch(progress: poet.Progress) -> None:
    print(progress.phase, progress.gap)


poet.optimize(poet.Model.layers([{"name": "a", "op": "relu", "inputs": ["input"]}], input=("N", 4)), progress=watch)
