"""Writes the bundle's manifest: the files in it, and when each was packed."""

import argparse
from pathlib import Path

FILES = ["cart.js", "style.css", "app.js"]


def main() -> None:
    """Pack the files in the order asked for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--order", choices=["stable", "found"], default="found")
    parser.add_argument("--epoch", default="now")
    options = parser.parse_args()
    files = sorted(FILES) if options.order == "stable" else FILES
    Path("build").mkdir(exist_ok=True)
    Path("build/manifest.txt").write_text("".join(f"{name} {options.epoch}\n" for name in files))
    print(f"packed {len(files)} files")


if __name__ == "__main__":
    main()
