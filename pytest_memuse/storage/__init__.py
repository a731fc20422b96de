"""Files on disk: names that stay in their folder, bounded reading of plain files, writing whole or line by line."""

from pytest_memuse.storage.names import inside, safe_name
from pytest_memuse.storage.reading import open_plain, plain_lines, read_plain
from pytest_memuse.storage.writing import write_whole

__all__ = ["inside", "open_plain", "plain_lines", "read_plain", "safe_name", "write_whole"]
