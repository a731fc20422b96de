"""`memuse schema`: the JSON Schemas of what is written and read, for validators and editors."""

import argparse
import json

_WHAT = ("report", "log", "arcs")


def add_schema(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    schema = commands.add_parser(
        "schema",
        help="print the JSON Schema of reports, event logs or files of arcs",
        description="Print a JSON Schema (draft 2020-12): of the report that `pytest --memuse-json=FILE` writes, of a "
        "line of an event log, or of a file of arcs.",
    )
    schema.add_argument("what", choices=_WHAT, help="report, log (one line of an event log), or arcs")
    schema.set_defaults(run=_schema)


def _schema(options: argparse.Namespace) -> list[str]:
    if options.what == "report":
        from pytest_memuse.reports.json_report import report_schema

        return report_schema().splitlines()
    if options.what == "log":
        from pytest_memuse.model.log import log_schema as described
    else:
        from pytest_memuse.arcs.files import schema as described
    return json.dumps(described(), indent=2, sort_keys=True).splitlines()
