"""Reads the rubric's text files, which are part of the package."""

from dataclasses import dataclass
from importlib.resources import files

from pytest_memuse.judging.rubric.versions import VERSION
from pytest_memuse.model.digests import text_digest


@dataclass(frozen=True, slots=True)
class Rubric:
    """The rubric as it goes to a judge. ``version`` names its rules, ``digest`` its wording."""

    version: str
    text: str

    @property
    def digest(self) -> str:
        """The hash of the text; line ends as the platform's checkout made them do not matter."""
        return text_digest(self.text)


def rubric_files() -> dict[str, str]:
    """Return the parts of the rubric by file name, in the order in which they are put together."""
    folder = files(__package__).joinpath("text")
    parts = sorted((part for part in folder.iterdir() if part.name.endswith(".md")), key=lambda part: part.name)
    return {part.name: part.read_text(encoding="utf-8").replace("\r\n", "\n").strip() for part in parts}


def read_rubric() -> Rubric:
    """Return the rubric as it stands."""
    return Rubric(VERSION, "\n\n".join(rubric_files().values()) + "\n")
