"""What the scripted model can do: how it goes about each kind of request, a call at a time.

A skill reads a user's turn. Where the turn is of its kind it gives a plan, which yields calls and is sent their results
and ends with what to say. What a request leaves open, a plan asks ``known`` for; that raises `Unknown`.
"""

import json
import re
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import Any

Known = Callable[[str], str]
"""Gives the value of a subject; raises `Unknown`."""


class Unknown(Exception):
    """A value that is nowhere to be found; its text is the subject."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A tool call that a plan wants to make. ``look`` marks one that only makes sure of how things stand."""

    tool: str
    arguments: Mapping[str, str]
    look: bool = False


Plan = Generator[Asked, str, str]
Skill = Callable[[str, Known], Plan | None]

_DONE = "That is done."


def plan_for(turn: str, known: Known) -> Plan | None:
    """Return the plan of the first skill that the turn asks for, None where none does."""
    return next((plan for skill in SKILLS if (plan := skill(turn, known)) is not None), None)


def _settled_order(turn: str, known: Known) -> Plan | None:
    order = re.search(r"\border (R-\d{4})\b", turn)
    subjects = {
        tool: subject
        for tool, subject in (("refund", "agreed refund"), ("update_address", "new delivery address"))
        if subject in turn
    }
    if order is None or not subjects:
        return None

    def plan() -> Plan:
        values = {tool: known(f"{subject} for order {order[1]}") for tool, subject in subjects.items()}
        yield Asked("get_order", {"order_id": order[1]}, look=True)
        for tool, value in values.items():
            yield Asked(tool, {"order_id": order[1], _WRITTEN[tool]: value})
        return _DONE

    return plan()


def _full_refund(turn: str, known: Known) -> Plan | None:
    return _matched(r"refund the full total of order (?P<order>R-\d{4})", turn, _refunded)


def _refunded(order: str) -> Plan:
    found = _first((yield Asked("get_order", {"order_id": order})))
    yield Asked("refund", {"order_id": order, "amount": found.get("total", "")})
    return _DONE


def _same_address(turn: str, known: Known) -> Plan | None:
    return _matched(r"order (?P<order>R-\d{4}) sent to the address that order (?P<other>R-\d{4})", turn, _addressed)


def _addressed(order: str, other: str) -> Plan:
    found = _first((yield Asked("get_order", {"order_id": other})))
    yield Asked("update_address", {"order_id": order, "address": found.get("address", "")})
    return _DONE


def _policy(turn: str, known: Known) -> Plan | None:
    return _matched(r"send (?P<customer>[\w ]{1,60}?) a message with our policy on (?P<topic>\w+)", turn, _told_policy)


def _told_policy(customer: str, topic: str) -> Plan:
    found = _first((yield Asked("get_policy", {"topic": topic})))
    yield Asked("send_message", {"customer": customer, "text": found.get("text", "")})
    return _DONE


def _settled_service(turn: str, known: Known) -> Plan | None:
    fix = re.search(r"diagnosed value of (\w+) for ([\w-]+)", turn)
    rollback = re.search(r"safe rollback version of ([\w-]+)", turn)
    if fix is None and rollback is None:
        return None

    def plan() -> Plan:
        value, version = (None if found is None else known(found[0]) for found in (fix, rollback))
        if fix is not None and value is not None:
            setting = {"service": fix[2], "key": fix[1]}
            yield Asked("get_config", setting, look=True)
            yield Asked("set_config", {**setting, "value": value})
        if rollback is not None and version is not None:
            yield Asked("get_deploy_history", {"service": rollback[1]}, look=True)
            yield Asked("deploy", {"service": rollback[1], "version": version})
        return _DONE

    return plan()


def _same_setting(turn: str, known: Known) -> Plan | None:
    return _matched(r"set (?P<key>\w+) of (?P<service>[\w-]+) to the value that (?P<other>[\w-]+) has", turn, _set_same)


def _set_same(key: str, service: str, other: str) -> Plan:
    found = _first((yield Asked("get_config", {"service": other, "key": key})))
    yield Asked("set_config", {"service": service, "key": key, "value": found.get("value", "")})
    return _DONE


def _ticket(turn: str, known: Known) -> Plan | None:
    return _matched(r"close ticket (?P<ticket>T-\d{4}) .{0,60}logs of (?P<service>[\w-]+)", turn, _closed)


def _closed(ticket: str, service: str) -> Plan:
    lines = yield Asked("search_logs", {"service": service, "text": "ERROR"})
    code = re.search(r"\bcode (E-\d{4})\b", lines)
    note = f"The logs show {code[1]}" if code else ""
    yield Asked("update_ticket", {"ticket_id": ticket, "status": "closed", "note": note})
    return _DONE


def _previous(turn: str, known: Known) -> Plan | None:
    return _matched(r"deploy the previous version of (?P<service>[\w-]+)", turn, _rolled_back)


def _rolled_back(service: str) -> Plan:
    history = _rows((yield Asked("get_deploy_history", {"service": service})))
    before = next((row for row in history if row.get("status") == "previous"), {})
    yield Asked("deploy", {"service": service, "version": before.get("version", "")})
    return _DONE


def _dinner(turn: str, known: Known) -> Plan | None:
    said = re.search(r"put the (dinner with \w+)(?: on (\d{4}-\d\d-\d\d) at (\d\d:\d\d))? into my calendar", turn)
    if said is None:
        return None

    def plan() -> Plan:
        title = said[1]
        place = known(f"place of the {title}")
        day = said[2] or known(f"day of the {title}")
        time = said[3] or known(f"time of the {title}")
        yield Asked("get_calendar", {"day": day}, look=True)
        yield Asked("create_event", {"title": title, "day": day, "time": time, "place": place})
        return _DONE

    return plan()


def _standing_room(turn: str, known: Known) -> Plan | None:
    said = re.search(r"store the (standing room for the [\w ]{1,60}) as the preference '([^']{1,80})'", turn)
    if said is None:
        return None

    def plan() -> Plan:
        room = known(said[1])
        yield Asked("get_preference", {"name": said[2]}, look=True)
        yield Asked("set_preference", {"name": said[2], "value": room})
        return _DONE

    return plan()


def _time_of_event(turn: str, known: Known) -> Plan | None:
    pattern = r"write (?P<person>\w+) an email .{0,40}time the (?P<title>[\w ]{1,60}) on (?P<day>\d{4}-\d\d-\d\d) is"
    return _matched(pattern, turn, _mailed)


def _mailed(person: str, title: str, day: str) -> Plan:
    events = _rows((yield Asked("get_calendar", {"day": day})))
    time = next((event.get("time", "") for event in events if event.get("title") == title), "")
    yield Asked("send_email", {"to": person, "text": f"The {title} on {day} is at {time}."})
    return _DONE


def _same_preference(turn: str, known: Known) -> Plan | None:
    return _matched(
        r"the preference '(?P<name>[^']{1,80})' to what the preference '(?P<other>[^']{1,80})'", turn, _alike
    )


def _alike(name: str, other: str) -> Plan:
    found = _first((yield Asked("get_preference", {"name": other})))
    yield Asked("set_preference", {"name": name, "value": found.get("value", "")})
    return _DONE


def _named_tool(turn: str, known: Known) -> Plan | None:
    """Read a request that names its tools: ``Use TOOL with ARGUMENT = VALUE, ARGUMENT = the SUBJECT.``"""
    uses = re.findall(r"\b[Uu]se `?(\w+)`? with (.{1,1000}?)(?:[.;](?=\s|$)|$)", turn, re.MULTILINE)
    if not uses:
        return None

    def plan() -> Plan:
        calls = []
        for tool, listed in uses:
            pairs = (part.partition("=") for part in re.split(r",\s+(?:and\s+)?|\s+and\s+(?=\w+ =)", listed))
            given = {name.strip(): value.strip() for name, equals, value in pairs if equals}
            calls.append((tool, {name: _meant(value, known) for name, value in given.items()}))
        for tool, given in calls:
            yield Asked(tool, given)
        return _DONE

    return plan()


def _meant(value: str, known: Known) -> str:
    return known(value.removeprefix("the ")) if value.startswith("the ") else value


def _matched(pattern: str, turn: str, plan: Callable[..., Plan]) -> Plan | None:
    said = re.search(pattern, turn)
    return None if said is None else plan(**said.groupdict())


def _rows(result: str) -> list[dict[str, Any]]:
    """Return the rows of a reading tool's result, none where it is an error."""
    try:
        found = json.loads(result)
    except (ValueError, RecursionError):
        return []
    lists = (value for value in found.values() if isinstance(value, list)) if isinstance(found, dict) else iter(())
    return [row for row in next(lists, []) if isinstance(row, dict)]


def _first(result: str) -> Mapping[str, Any]:
    return next(iter(_rows(result)), {})


_WRITTEN = {"refund": "amount", "update_address": "address"}

SKILLS: tuple[Skill, ...] = (
    _settled_order,
    _full_refund,
    _same_address,
    _policy,
    _settled_service,
    _same_setting,
    _ticket,
    _previous,
    _dinner,
    _standing_room,
    _time_of_event,
    _same_preference,
    _named_tool,
)
"""Every skill, in the order in which they are tried."""
