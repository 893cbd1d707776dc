"""The benchmark's sets: the same problems as ever, and every value equally often."""
import collections
import json
import subprocess
import tempfile

import best_known
import problem_sets
import run_problems
from bench_support import PROGRAM, SYNTHETIC, TestCase


class Sets(TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.graphs = problem_sets.Graphs(PROGRAM, SYNTHETIC, folder.name)
        cls.sets = {name: make(cls.graphs, False) for name, make in problem_sets.SETS.items()}
        cls.quick = {name: make(cls.graphs, True) for name, make in problem_sets.SETS.items()}
        cls.known = best_known.read(best_known.FILE)

    def names(self, which):
        return {problem.name for problem in self.sets[which]}

    def counts(self, which, member):
        return collections.Counter(getattr(problem, member) for problem in self.sets[which])

    def assert_even(self, counts, values, lowest, highest=None):
        self.assertEqual(len(counts), values)
        self.assertGreaterEqual(min(counts.values()), lowest)
        self.assertLessEqual(max(counts.values()), highest or lowest)

    def test_they_are_the_problems_of_the_best_known(self):
        followed = ("named", "sample", "sample2", "layered", "exact", "inference")
        self.assertEqual([len(self.sets[name]) for name in followed], [19, 80, 80, 40, 40, 40])
        self.assertEqual(set.union(*map(self.names, followed)), set(self.known))

    def test_their_graphs_are_the_graphs_of_the_best_known(self):
        problems = [problem for name in ("named", "sample", "sample2", "layered", "exact", "inference")
                    for problem in self.sets[name][::9]]
        for problem in problems:
            with self.subTest(problem.name):
                command = run_problems.pose(self.graphs, problem)
                run = subprocess.run([*command, "--collect", self.folder], stdout=subprocess.PIPE,
                                     stderr=subprocess.DEVNULL)
                row = json.loads(run.stdout)
                self.assertEqual(row["graph_sha256"], self.known[problem.name]["graph_sha256"])
                self.assertEqual(row["techniques"], "remat" if problem.kind == "layered" else "both")
                self.assertEqual(row.get("paging_time"), "blocking" if problem.kind == "exact" else None)

    def test_grid_has_every_combination_once(self):
        self.assertEqual(len(self.names("grid")), 880)
        self.assertEqual(len(self.sets["grid"]), 880)

    def test_every_value_comes_up_equally_often(self):
        for which, member, values, lowest, highest in (
                ("sample", "model", 8, 10, 10), ("sample", "platform", 5, 16, 16), ("sample", "ratio", 2, 40, 40),
                ("sample2", "model", 8, 10, 10), ("sample2", "platform", 5, 16, 16), ("exact", "model", 10, 4, 4),
                ("exact", "platform", 10, 4, 4), ("exact", "ratio", 2, 19, 21), ("inference", "model", 4, 10, 10),
                ("inference", "platform", 10, 4, 4), ("inference", "ratio", 2, 20, 20)):
            with self.subTest(f"{which} {member}"):
                self.assert_even(self.counts(which, member), values, lowest, highest)

    def test_sample_is_a_part_of_the_grid_with_every_budget(self):
        grid = [problem.name for problem in self.sets["grid"]]
        budgets = collections.Counter(grid.index(problem.name) // 2 % 11 for problem in self.sets["sample"])
        self.assert_even(budgets, 11, 6, 9)

    def test_second_sample_shares_no_point_with_the_grid(self):
        self.assertFalse(self.names("sample2") & self.names("grid"))
        self.assertEqual(set(self.counts("sample2", "seed")), {2})
        self.assertEqual(set(self.counts("sample", "seed")), {1})

    def test_layered_ones_have_every_size_share_and_seed_equally_often(self):
        words = [problem.name.split() for problem in self.sets["layered"]]
        for place, values, often in ((1, 4, 10), (3, 5, 8), (4, 4, 10)):
            self.assert_even(collections.Counter(word[place] for word in words), values, often)
        self.assert_even(collections.Counter((word[1], word[4]) for word in words), 16, 2, 3)
        for problem in self.sets["layered"]:
            peak = self.graphs.sizes("layered", problem.model, None)[1]
            self.assertEqual(problem.ram_bytes, peak * int(problem.name.split()[4]) // 100)

    def test_exact_ones_have_the_budgets_that_are_followed(self):
        quick = {problem.name for problem in self.quick["exact"]}
        self.assertLessEqual({f"exact resnet18_cifar/m4 {ram} 3x" for ram in (264396, 467763, 738918)}, quick)

    def test_inference_has_something_to_gain(self):
        for problem in self.sets["inference"]:
            least, peak = self.graphs.sizes("inference", problem.model, problem.platform)
            self.assertLessEqual(least, problem.ram_bytes)
            self.assertLess(problem.ram_bytes, peak)

    def test_scale_ones_grow_at_two_shares(self):
        for quick, sizes in ((False, {"500", "1000", "2000"}), (True, {"125", "250", "500"})):
            problems = (self.quick if quick else self.sets)["scale"]
            self.assertEqual({problem.name.split()[2] for problem in problems}, sizes)
            self.assertEqual(len({problem.name for problem in problems}), 12)
            for problem in problems:
                least, peak = self.graphs.sizes("scale", problem.model, None)
                share = int(problem.name.split()[3]) / 100
                self.assertAlmostEqual((problem.ram_bytes - least) / (peak - least), share, places=4)

    def test_quick_ones_are_among_the_others(self):
        self.assertEqual(len({problem.name for problem in self.quick["named"]} & self.names("named")), 3)
        for name in ("layered", "exact", "inference"):
            quick = {problem.name for problem in self.quick[name]}
            self.assertTrue(quick and quick < self.names(name))

    def test_shards_share_a_set_without_overlap(self):
        parts = [problem_sets.shard(self.sets["named"], f"{part}/3") for part in (1, 2, 3)]
        self.assertEqual(sorted(map(len, parts)), [6, 6, 7])
        self.assertCountEqual([problem.name for part in parts for problem in part], self.names("named"))
        for wrong in ("0/2", "3/2", "1", "a/b", "1/2/3x", ""):
            with self.assertRaisesRegex(ValueError, "expected a part and a number of parts"):
                problem_sets.shard(self.sets["named"], wrong)
