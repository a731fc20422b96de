"""A personal assistant: standing preferences of rooms, and dinner commitments (MERIT 3.3, D3)."""

from pytest_memuse.arcs.domains.drawing import Draw
from pytest_memuse.arcs.domains.types import Domain, Scene, Task, revised, row
from pytest_memuse.arcs.types import Action, Check, Format, Parameter, RowCheck, Tier, Tool

_NAME = Parameter("name", "name", "The preference's name.", key=True)

TOOLS = (
    Tool(
        "get_calendar",
        "List the events of a day.",
        Action.READ,
        "events",
        (Parameter("day", "day", "The day as YYYY-MM-DD.", Format.DAY, key=True),),
    ),
    Tool(
        "create_event",
        "Put an event into the calendar; one of the same title is changed.",
        Action.PUT,
        "events",
        (
            Parameter("title", "title", "The event's title.", key=True),
            Parameter("day", "day", "The day as YYYY-MM-DD.", Format.DAY),
            Parameter("time", "time", "The time as HH:MM.", Format.TIME),
            Parameter("place", "place", "Where it is.", required=False),
        ),
    ),
    Tool(
        "send_email",
        "Send an email.",
        Action.INSERT,
        "emails",
        (
            Parameter("to", "to_person", "Whom it goes to.", key=True),
            Parameter("text", "text", "What it says."),
        ),
    ),
    Tool("get_preference", "Look up a stored preference.", Action.READ, "preferences", (_NAME,)),
    Tool(
        "set_preference",
        "Store a preference.",
        Action.PUT,
        "preferences",
        (_NAME, Parameter("value", "value", "What is preferred.")),
    ),
)

_PEOPLE = (
    "Amira", "Bruno", "Celine", "Dmitri", "Elena", "Farid", "Gwen", "Henrik", "Ilse", "Javier", "Katya", "Lorenzo",
    "Marta", "Noor", "Oscar", "Priya",
)  # fmt: skip
_MEETINGS = (
    "budget review", "design critique", "sales forecast", "hiring panel", "security briefing", "press call",
    "board update", "product demo", "vendor audit", "team retrospective", "research seminar", "legal consult",
)  # fmt: skip
_ROOMS = (
    "Heron Room", "Lynx Studio", "Otter Suite", "Falcon Loft", "Badger Hall", "Marten Annex", "Osprey Deck",
    "Puffin Lounge", "Stoat Cabin", "Wren Gallery", "Ibex Terrace", "Curlew Attic", "Plover Atrium", "Tern Vault",
)  # fmt: skip
_RESTAURANTS = (
    "Casa Brisa", "Osteria Volta", "Zur Linde", "Le Petit Quai", "Taverna Ilios", "Saffron Yard", "Bistro Merle",
    "Kanpai Corner", "The Copper Ladle", "Villa Rosmarin", "Nordlys", "Tapas Alameda", "Golden Wok", "Pho Lantern",
)  # fmt: skip

_STORED = {
    "tea": "green", "seat": "aisle", "paper": "recycled", "light": "dimmed", "music": "quiet", "lunch": "vegetarian",
}  # fmt: skip


def _scene(draw: Draw) -> Scene:
    people, meetings = draw.some(_PEOPLE, 8), draw.some(_MEETINGS, 12)
    events = [
        {"title": meeting, "day": draw.day(), "time": draw.time(), "place": "online", "with_person": people[0]}
        for meeting in meetings[:6]
    ]
    preferences = [{"name": name, "value": value} for name, value in _STORED.items()]
    names = {"person": people[1:], "event": meetings[:6], "meeting": meetings[6:], "preference": list(_STORED)}
    return Scene({"events": events, "preferences": preferences, "emails": []}, names, people[0])


def _dependent(draw: Draw, scene: Scene, tier: Tier) -> Task:
    if tier is not Tier.MEDIUM and draw.random.random() < 0.5:
        meeting = scene.take("meeting")
        room = revised(tier, f"standing room for the {meeting}", lambda: draw.of(_ROOMS))
        name = f"{meeting} room"
        ask = f"Please store the standing room for the {meeting} as the preference '{name}'."
        return Task(ask, Check((row("preferences", {"name": name}, value=room.value),)), (room,))
    person = scene.take("person")
    dinner = f"dinner with {person}"
    place = revised(tier, f"place of the {dinner}", lambda: draw.of(_RESTAURANTS))
    day, time = revised(tier, f"day of the {dinner}", draw.day), revised(tier, f"time of the {dinner}", draw.time)
    agreed = row("events", {"title": dinner}, place=place.value, day=day.value, time=time.value)
    if tier is Tier.EASY:
        ask = f"Please put the {dinner} on {day.value} at {time.value} into my calendar, at the place that we settled."
        return Task(ask, Check((agreed,)), (place,))
    ask = f"Please put the {dinner} into my calendar, with the place, the day and the time that we settled."
    return Task(ask, Check((agreed,)), (place, day, time))


def _independent(draw: Draw, scene: Scene) -> Task:
    if draw.random.random() < 0.5:
        event = next(e for e in scene.tables["events"] if e["title"] == scene.names["event"][-1])
        title, person = scene.take("event"), scene.take("person")
        ask = f"Please write {person} an email that says at what time the {title} on {event['day']} is."
        told = RowCheck("emails", {"to_person": person}, contains={"text": event["time"]})
        return Task(ask, Check((told,)))
    name, other = f"{scene.take('meeting')} default", scene.take("preference")
    value = next(p["value"] for p in scene.tables["preferences"] if p["name"] == other)
    ask = f"Please set the preference '{name}' to what the preference '{other}' says."
    return Task(ask, Check((row("preferences", {"name": name}, value=value),)))


DOMAIN = Domain("assistant", TOOLS, _scene, _dependent, _independent)
"""A personal assistant."""
