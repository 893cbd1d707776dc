"""The matrices of schedules satisfy POET's own constraints, rebuilt in poet_constraints.py."""
import os
import random
import unittest

import poet
from support import TestCase, needs_numpy, numpy, quiet, random_nodes

SCHEDULES = int(os.environ.get("POET_CASES", 40))
BUILT_IN = [("linear", platform) for platform in ("m0", "m4", "a72", "a72nocache", "jetsontx2")]
LARGE = [("transformer", "m4"), ("vgg16_cifar", "m4"), ("resnet18_cifar", "a72")]

if numpy is not None:
    import poet_constraints


def budgets(model, draw):
    """A RAM budget between the working set and the peak of keeping everything, and a runtime budget."""
    info = poet.Model.of(model).info("m4")
    ram = draw.randint(info.working_set_bytes, info.baseline_peak_ram_bytes)
    return ram, draw.uniform(1.05, 2.5), draw.choice([(True, True), (True, True), (True, False), (False, True)])


@needs_numpy
class PoetConstraints(TestCase):
    def check(self, schedule, matrices):
        request = schedule.request
        self.assertEqual(
            poet_constraints.broken_constraints(schedule.nodes, matrices, request["ram_budget_bytes"],
                                                request["runtime_budget_seconds"], request["paging"],
                                                request["remat"]), [])
        energy = poet_constraints.energy_joules(schedule.nodes, matrices)
        self.assertAlmostEqual(energy / schedule.energy, 1, delta=1e-9)
        self.assertEqual(poet_constraints.ram_after(schedule.nodes, matrices.R, matrices.SRam).max(),
                         schedule.peak_ram)

    def test_random_graphs(self):
        checked = paged = recomputed = seed = 0
        while checked < SCHEDULES:
            draw = random.Random(seed)
            model = poet.Model(random_nodes(seed))
            ram, runtime, (paging, remat) = budgets(model, draw)
            seed += 1
            try:
                schedule = poet.optimize(model, ram=ram, runtime=runtime, paging=paging, remat=remat)
            except poet.Infeasible:
                continue
            with self.subTest(seed=seed - 1):
                self.check(schedule, schedule.matrices())
            checked += 1
            paged += schedule.summary["page_in_count"] > 0
            recomputed += schedule.summary["recompute_count"] > 0
        self.assertGreater(paged, SCHEDULES // 10)
        self.assertGreater(recomputed, SCHEDULES // 10)

    def test_built_in_models_by_solve(self):
        draw = random.Random(1)
        checked = []
        for model, platform in BUILT_IN + LARGE:
            ram, runtime, (paging, remat) = budgets(model, draw)
            # Any schedule will do.
            result = quiet(poet.solve, model, platform, ram, runtime, paging=paging, remat=remat, time_limit_s=1)
            if not result.feasible:
                continue
            checked.append((model, platform))
            with self.subTest(model=model, platform=platform):
                solution = result.solution
                self.check(result.schedule, solution)
                nodes = result.schedule.nodes
                ours = poet_constraints.freed(nodes, solution.R, solution.SRam)
                edges = [(i, k) for k, node in enumerate(nodes) for i in node.inputs]
                self.assertEqual(solution.FreeE.shape, (len(nodes), len(edges)))
                for e, (i, k) in enumerate(edges):
                    for t in range(len(nodes)):
                        self.assertEqual(solution.FreeE[t, e], ours[t, i, k])
                numpy.testing.assert_array_equal(
                    solution.U, poet_constraints.ram_after(nodes, solution.R, solution.SRam))
        self.assertGreaterEqual(len(set(checked) & set(BUILT_IN)), 3)
        self.assertTrue(set(checked) & set(LARGE))

    def test_the_check_finds_what_is_wrong(self):
        schedule = poet.optimize("linear", "m4", ram=3500, runtime=1.5, paging_time="free")
        matrices = schedule.matrices()

        def broken(ram=schedule.peak_ram, runtime=schedule.runtime, paging=True, remat=True):
            return poet_constraints.broken_constraints(schedule.nodes, matrices, ram, runtime, paging, remat)

        self.assertEqual(broken(), [])
        self.assertEqual(broken(ram=schedule.peak_ram - 1), ["RAM"])
        self.assertEqual(broken(runtime=schedule.runtime * 0.999), ["runtime"])
        self.assertEqual(broken(remat=schedule.summary["recompute_count"] == 0), ["no rematerialisation"])
        matrices.SRam[-1, :] = 0
        self.assertTrue(any(name.startswith("input ") for name in broken()), broken())


if __name__ == "__main__":
    unittest.main()
