"""The public instances: what is stated about them holds, and a submission is taken if it is better and right."""
import json
import os
import shutil
import subprocess
import sys

from support import SOURCE, TestCase

FOLDER = SOURCE / "instances"
SMALL = "exact-ds_cnn-stm32f746-150620"
OTHER = "poet-resnet18_cifar-m4-737719-1_5x"


def packed_bytes():
    return sum(path.stat().st_size for path in FOLDER.rglob("*") if path.is_file())


class Stated(TestCase):
    """What the page promises of all of them, without a replay."""

    def setUp(self):
        super().setUp()
        self.best = json.loads((FOLDER / "best.json").read_text(encoding="utf-8"))
        self.problems = json.loads((FOLDER / "problems.json").read_text(encoding="utf-8"))

    def test_sixty_problems_each_with_a_schedule_and_a_certificate(self):
        names = [problem["name"] for problem in self.problems]
        self.assertEqual(len(set(names)), 60)
        self.assertEqual(set(self.best), set(names))
        for name in names:
            for kind in ("schedule.json", "proof"):
                self.assertTrue((FOLDER / "best" / f"{name}.{kind}.xz").exists(), f"{name} has no {kind}")

    def test_many_are_large_and_all_are_small_to_download(self):
        nodes = [best["nodes"] for best in self.best.values()]
        self.assertGreaterEqual(sum(count > 250 for count in nodes), 20)
        self.assertGreaterEqual(sum(count > 1000 for count in nodes), 10)
        self.assertLess(packed_bytes(), 5 << 20)

    def test_no_bound_is_above_its_energy(self):
        for name, best in self.best.items():
            self.assertLessEqual(best["bound_joules"], best["energy_joules"] * (1 + 1e-9), name)
            self.assertGreaterEqual(best["energy_joules"], best["baseline_joules"] * (1 - 1e-9), name)


class Submitted(TestCase):
    """Submissions to a copy of the folder."""

    def setUp(self):
        super().setUp()
        shutil.copytree(FOLDER, self.folder / "instances")
        (self.folder / "python").mkdir()
        shutil.copy(SOURCE / "python" / "poet_check.py", self.folder / "python")
        self.run_tool("unpack", self.folder / "open")

    def run_tool(self, *words):
        run = subprocess.run(
            [sys.executable, "-B", str(self.folder / "instances" / "instances.py"), "--program",
             os.environ["POET_SOLVE"], *map(str, words)], capture_output=True, text=True, check=False)
        return run.returncode, run.stdout + run.stderr

    def opened(self, name, kind):
        return self.folder / "open" / f"{name}.{kind}"

    def best(self, name=SMALL):
        return json.loads((self.folder / "instances" / "best.json").read_text(encoding="utf-8"))[name]

    def worsen(self, name=SMALL):
        """Forgets the best of an instance: all nodes as before, half of the bound, twice the energy."""
        path = self.folder / "instances" / "best.json"
        best = json.loads(path.read_text(encoding="utf-8"))
        best[name] |= {"energy_joules": 2 * best[name]["energy_joules"], "bound_joules": best[name]["bound_joules"] / 2}
        path.write_text(json.dumps(best), encoding="utf-8")

    def test_what_is_kept_holds(self):
        status, text = self.run_tool("check", SMALL, OTHER)
        self.assertEqual(status, 0, text)
        self.assertIn("2 of 2 hold", text)

    def test_a_changed_table_is_found(self):
        self.worsen()
        status, text = self.run_tool("check", SMALL)
        self.assertEqual(status, 1)
        self.assertIn(f"{SMALL}: REFUSED: its energy is", text)

    def test_what_is_better_is_taken(self):
        kept = self.best()
        self.worsen()
        status, text = self.run_tool("submit", SMALL, "--schedule", self.opened(SMALL, "schedule.json"),
                                     "--certificate", self.opened(SMALL, "proof"), "--by", "a test")
        self.assertEqual(status, 0, text)
        self.assertEqual(self.best() | {"energy_by": "", "bound_by": ""}, kept | {"energy_by": "", "bound_by": ""})
        self.assertEqual(self.best()["energy_by"], "a test")

    def test_what_is_no_better_changes_nothing(self):
        status, text = self.run_tool("submit", SMALL, "--schedule", self.opened(SMALL, "schedule.json"))
        self.assertEqual(status, 0, text)
        self.assertIn("nothing is better", text)

    def refused(self, reason, *words):
        before = (self.folder / "instances" / "best.json").read_text(encoding="utf-8")
        status, text = self.run_tool("submit", SMALL, *words)
        self.assertEqual(status, 2, text)
        self.assertIn(reason, text)
        self.assertEqual((self.folder / "instances" / "best.json").read_text(encoding="utf-8"), before)

    def test_a_schedule_of_another_problem_is_refused(self):
        self.refused("verify refuses", "--schedule", self.opened(OTHER, "schedule.json"))

    def test_a_schedule_with_looser_limits_is_refused(self):
        path = self.opened(SMALL, "schedule.json")
        document = json.loads(path.read_text(encoding="utf-8"))
        document["request"]["ram_budget_bytes"] += 4096
        document["summary"]["ram_budget_bytes"] += 4096
        path.write_text(json.dumps(document), encoding="utf-8")
        self.refused("the schedule is about ram_budget_bytes", "--schedule", path)

    def test_a_schedule_that_states_less_energy_is_refused(self):
        path = self.opened(SMALL, "schedule.json")
        document = json.loads(path.read_text(encoding="utf-8"))
        document["summary"]["energy_joules"] *= 0.9
        path.write_text(json.dumps(document), encoding="utf-8")
        self.refused("verify refuses", "--schedule", path)

    def test_a_certificate_of_another_problem_is_refused(self):
        self.refused("poet-check refuses", "--certificate", self.opened(OTHER, "proof"))

    def test_a_certificate_of_a_higher_bound_is_refused(self):
        path = self.opened(SMALL, "proof")
        lines = path.read_text(encoding="utf-8").splitlines()
        lines[1] = f"claim {float(lines[1].split()[1]) * 1.01!r}"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        self.refused("poet-check refuses", "--certificate", path)

    def test_a_file_that_is_too_large_is_not_read(self):
        path = self.folder / "large.json"
        with path.open("wb") as file:
            file.truncate((64 << 20) + 1)
        self.refused("at most 67108864 are read", "--schedule", path)

    def test_an_unknown_instance_is_named(self):
        status, text = self.run_tool("submit", "no-such", "--schedule", self.opened(SMALL, "schedule.json"))
        self.assertEqual(status, 2)
        self.assertIn("there is no instance 'no-such'", text)
