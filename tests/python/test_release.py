"""scripts/release, with stand-ins for the scripts that build: what it makes, and what it refuses."""
import shutil
import subprocess
import tarfile
import unittest

from support import SOURCE, TestCase

PREPARATION = """set -e
mkdir scripts; cp "$0/scripts/release" "$0/scripts/prepare.sh" scripts
echo 'project(poet VERSION 1.2.0 LANGUAGES C)' >CMakeLists.txt; echo build >.gitignore
printf '## [Unreleased]\\n\\n## [1.2.0] - today\\n\\n- [New](docs/new.md)\\n\\n## [1.1.0]\\n- Old\\n' >CHANGELOG.md
echo 'cd build; mkdir package; cd package; touch poet-solve_1.2.0_$(dpkg --print-architecture).deb \
  python3-poet-solve_1.2.0_all.deb' >scripts/package
echo 'touch $2/poet_solve-1.2.0-py3.whl; echo $2/poet_solve-1.2.0-py3.whl' >scripts/wheel
chmod +x scripts/*; git init -q; git add .; git config user.name A; git config user.email a@b
git commit -qm One; git tag v1.2.0
"""


@unittest.skipIf(shutil.which("dpkg") is None or shutil.which("git") is None, "no dpkg or no git")
class Release(TestCase):
    def test_it_is_whole_or_refused(self):
        def run(*command):
            return subprocess.run(command, cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(run("bash", "-c", PREPARATION, str(SOURCE)).stderr, "")
        made = run("env", "REPOSITORY_URL=https://a.b", "scripts/release", "v1.2.0")
        self.assertEqual(made.stdout, f"{self.folder}/build/poet-solve-1.2.0\n", made.stderr)
        notes = (self.folder / "build/poet-solve-1.2.0/release-notes.md").read_text()
        self.assertTrue(notes.startswith("- [New](https://a.b/blob/v1.2.0/docs/new.md)\n\n### Files\n"), notes)
        self.assertNotIn("Old", notes)
        self.assertEqual(run("bash", "-c", "cd build/*1.2.0; sha256sum --check SHA256SUMS").stdout.count(": OK"), 5)
        with tarfile.open(self.folder / "build/poet-solve-1.2.0/poet-solve-1.2.0.tar.gz") as archive:
            self.assertIn("poet-solve-1.2.0/scripts/wheel", archive.getnames())
        for change, tag, words in (
                ("git tag v1.2.1", "v1.2.1", "expected v1.2.0"), ("touch new", "v1.2.0", "not committed"),
                ("git add new; git commit -qm Two", "v1.2.0", "names another commit"),
                ("sed -i '2i- More' CHANGELOG.md; git commit -qam Three; git tag -f v1.2.0", "v1.2.0", "[Unreleased]")):
            self.assertEqual(run("bash", "-c", change).stderr, "")
            refused = run("scripts/release", tag)
            self.assertEqual((refused.returncode, refused.stdout), (2, ""), refused.stderr)
            self.assertIn(words, refused.stderr)


if __name__ == "__main__":
    unittest.main()
