"""The rubric: what a judge is told, in files of their own, with a version and a hash (MemUse A.2.2, A.2.3)."""

from pytest_memuse.judging.rubric.reading import Rubric, read_rubric, rubric_files
from pytest_memuse.judging.rubric.versions import RECORDED, VERSION

__all__ = ["RECORDED", "VERSION", "Rubric", "read_rubric", "rubric_files"]
