"""The schemas of the evidence tools, in the form in which model APIs take functions. The same for every span."""

from typing import Any

READ = "read_evidence"
SEARCH = "search_evidence"


def tool_schemas() -> list[dict[str, Any]]:
    """Return both tools; they name no record, so that they can stand in a prefix that all spans share."""
    return [
        _function(
            READ,
            "Return the text of one evidence record, or characters start to end of it. A long record comes in pages; "
            "the answer's first line says where the next one starts.",
            {
                "name": {"type": "string", "description": "The record's name, for example: task, prior-index, step 4."},
                "start": {"type": "integer", "minimum": 0, "description": "First character, 0 if left out."},
                "end": {"type": "integer", "minimum": 1, "description": "Character to stop before, if any."},
            },
            ["name"],
        ),
        _function(
            SEARCH,
            "Find a literal text in the evidence, upper and lower case alike. Returns places with short excerpts. "
            "An excerpt does not count as read.",
            {
                "query": {"type": "string", "description": "The text to find. No patterns."},
                "within": {"type": "string", "description": "Name of the one record to search; all if left out."},
            },
            ["query"],
        ),
    ]


def _function(name: str, description: str, properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}
