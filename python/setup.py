"""What pyproject.toml cannot say: a package that carries the program is for one platform, and installs its command."""
from pathlib import Path

from setuptools import Distribution, setup

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # older than 70.1
    from wheel.bdist_wheel import bdist_wheel

CARRIES_PROGRAM = (Path(__file__).parent / "poet" / "bin" / "poet-solve").exists()


class Package(Distribution):
    """For one platform, as packages with extension modules are."""

    def has_ext_modules(self):
        return CARRIES_PROGRAM


class Wheel(bdist_wheel):
    """For any Python 3."""

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


COMMANDS = ["poet-check = poet_check:main"] + (["poet-solve = poet.__main__:main"] if CARRIES_PROGRAM else [])
setup(distclass=Package, cmdclass={"bdist_wheel": Wheel}, entry_points={"console_scripts": COMMANDS})
