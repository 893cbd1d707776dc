"""The action for GitHub and the workflows: inputs are used and documented, and scripts are sound."""
import json
import os
import re
import subprocess
import unittest

import poet
from support import SOURCE, TestCase

try:
    import yaml
except ImportError:
    yaml = None

INPUT = re.compile(r"\$\{\{ inputs\.([\w-]+) \}\}")


def faults(steps, shell=None, inputs=(), page=""):
    """What is wrong with the scripts of steps, which have this default shell, and with the inputs of an action."""
    passed = set()
    for step in (step for step in steps if "run" in step):
        name, script = step["name"], step["run"]
        if step.get("shell", shell) != "bash":
            yield f"{name}: names no shell"
        if subprocess.run(["bash", "-n"], input=script, text=True, capture_output=True).returncode:
            yield f"{name}: is no script"
        if "${{" in script:  # a value becomes a part of the script
            yield f"{name}: has an expression in its script"
        for variable, value in step.get("env", {}).items():
            passed |= {given for given in INPUT.findall(value) if f"${variable}" in script.replace("{", "")}
    yield from (f"{name}: is not used" for name in inputs if name not in passed)
    yield from (f"{name}: is not documented" for name in inputs if f"\n| `{name}` | " not in page)
    yield from (f"{name}: is no input" for name in sorted(set(INPUT.findall(str(steps))) - set(inputs)))


@unittest.skipIf(yaml is None, "no yaml (Debian: python3-yaml)")
class Actions(TestCase):
    def test_have_no_faults(self):
        page, action = (SOURCE / "docs" / "ci.md").read_text(), yaml.safe_load((SOURCE / "action.yml").read_text())
        self.assertEqual(list(faults(action["runs"]["steps"], inputs=action["inputs"], page=page)), [])
        for path in (".github/workflows/release.yml", "scripts/examples/energy.yml"):
            for job in yaml.safe_load((SOURCE / path).read_text())["jobs"].values():
                self.assertEqual(list(faults(job["steps"], job.get("defaults", {}).get("run", {}).get("shell"))), [])

    def test_faults_are_found(self):
        steps = [{"name": "one", "run": "if true", "env": {"A": "${{ inputs.b }}"}},
                 {"name": "two", "shell": "bash", "run": "echo ${{ inputs.a }}"}]
        self.assertEqual(list(faults(steps, inputs=["a"])), [
            "one: names no shell", "one: is no script", "two: has an expression in its script", "a: is not used",
            "a: is not documented", "b: is no input"])

    def test_the_action_holds_energy_to_its_limits(self):
        action = yaml.safe_load((SOURCE / "action.yml").read_text())
        inputs = {name: entry.get("default") for name, entry in action["inputs"].items()}
        inputs.update({"models": "linear", "platforms": "m4", "ram-budget": "4000", "runtime-budget": "2"})
        grid = [f"--{name}={inputs[name]}" for name in ("models", "platforms", "ram-budget", "runtime-budget")]
        point = json.loads(subprocess.check_output([poet.find_program(), "sweep", "--quiet", *grid]))
        point["energy_joules"] /= 1.02
        (self.folder / "ci").mkdir()
        (self.folder / inputs["baseline"]).write_text(json.dumps(point) + "\n")
        step = action["runs"]["steps"][-1]
        for limits, status in ((inputs["limits"], 0), ("--max-energy-increase 1%", 5), ("", 5)):
            given = {key: {**inputs, "limits": limits}[INPUT.fullmatch(text)[1]] for key, text in step["env"].items()}
            run = subprocess.run(["bash", "-ec", step["run"]], cwd=self.folder, capture_output=True, env={
                **os.environ, **given, "GITHUB_ACTION_PATH": str(SOURCE), "GITHUB_STEP_SUMMARY": "summary.md"})
            self.assertEqual(run.returncode, status, run.stderr)


if __name__ == "__main__":
    unittest.main()
