"""IT operations: diagnosed configuration fixes and safe rollback versions (MERIT 3.3, D2)."""

from pytest_memuse.arcs.domains.drawing import Draw
from pytest_memuse.arcs.domains.types import Domain, Scene, Task, revised, row
from pytest_memuse.arcs.types import Action, Check, Parameter, RowCheck, Tier, Tool

_SERVICE = Parameter("service", "service", "The service's name.", key=True)
_KEY = Parameter("key", "key", "The setting's name.", key=True)

TOOLS = (
    Tool(
        "search_logs",
        "Search the recent log lines of a service for a text; an empty text gives all of them.",
        Action.READ,
        "logs",
        (_SERVICE, Parameter("text", "line", "The text to search for.", key=True, within=True)),
    ),
    Tool("get_deploy_history", "List the deployments of a service, oldest first.", Action.READ, "deploys", (_SERVICE,)),
    Tool("get_config", "Look up a setting of a service.", Action.READ, "config", (_SERVICE, _KEY)),
    Tool(
        "set_config",
        "Set a setting of a service.",
        Action.PUT,
        "config",
        (_SERVICE, _KEY, Parameter("value", "value", "The new value.")),
    ),
    Tool(
        "deploy",
        "Deploy a version of a service. The registry keeps every version that was ever built.",
        Action.UPDATE,
        "services",
        (_SERVICE, Parameter("version", "version", "The version, such as 3.14.2.")),
        fixed={"status": "live"},
        also={"deploys": Action.INSERT},
    ),
    Tool(
        "update_ticket",
        "Change the status and the note of a ticket.",
        Action.UPDATE,
        "tickets",
        (
            Parameter("ticket_id", "ticket_id", "The ticket's number, such as T-1234.", key=True),
            Parameter("status", "status", "open or closed.", required=False),
            Parameter("note", "note", "What was found and done.", required=False),
        ),
    ),
)

_SERVICES = (
    "billing-api", "search-index", "mail-relay", "stock-sync", "login-gate", "image-store", "price-feed", "order-queue",
    "audit-trail", "report-mill", "chat-bridge", "label-press", "route-plan", "media-proxy", "cart-cache", "data-lake",
)  # fmt: skip
_KEYS = ("retry_backoff_ms", "pool_limit", "queue_depth", "batch_rows")


def _scene(draw: Draw) -> Scene:
    tables: dict[str, list[dict[str, str]]] = {t: [] for t in ("services", "deploys", "config", "logs", "tickets")}
    services = draw.some(_SERVICES, 13)
    for service in services:
        versions = [draw.version() for _ in range(3)]
        tables["services"].append({"service": service, "version": versions[-1], "status": "live"})
        tables["deploys"] += [
            {"service": service, "version": version, "status": status}
            for version, status in zip(versions, ("retired", "previous", "live"), strict=True)
        ]
        # Values that may stand in two services must not be anybody's fact.
        tables["config"] += [{"service": service, "key": key, "value": draw.number()} for key in _KEYS]
        tables["logs"] += [
            {"service": service, "line": f"INFO {service} took {draw.random.choice(_PACES)}"},
            {"service": service, "line": f"ERROR {service} gave up with code {draw.code('E')}"},
        ]
        tables["tickets"].append({"ticket_id": draw.code("T"), "service": service, "status": "open", "note": ""})
    return Scene(tables, {"service": list(services)}, services[0])


def _dependent(draw: Draw, scene: Scene, tier: Tier) -> Task:
    service, key = scene.take("service"), draw.random.choice(_KEYS)
    fix = revised(tier, f"diagnosed value of {key} for {service}", draw.number)
    version = revised(tier, f"safe rollback version of {service}", draw.version)
    configured = row("config", {"service": service, "key": key}, value=fix.value)
    deployed = row("services", {"service": service}, version=version.value)
    apply = f"apply the diagnosed value of {key} for {service}"
    if tier is Tier.MEDIUM:
        ask = f"{service} is failing again. Please {apply}, and deploy the safe rollback version of {service}."
        return Task(ask, Check((configured, deployed)), (fix, version))
    if draw.random.random() < 0.5:
        return Task(f"{service} is failing again. Please {apply}.", Check((configured,)), (fix,))
    ask = f"{service} is failing again. Please deploy the safe rollback version of {service}."
    return Task(ask, Check((deployed,)), (version,))


def _independent(draw: Draw, scene: Scene) -> Task:
    service, choice = scene.take("service"), draw.random.randrange(3)
    if choice == 0:
        other, key = scene.take("service"), draw.random.choice(_KEYS)
        value = next(r["value"] for r in scene.tables["config"] if r["service"] == other and r["key"] == key)
        ask = f"Please set {key} of {service} to the value that {other} has."
        return Task(ask, Check((row("config", {"service": service, "key": key}, value=value),)))
    if choice == 1:
        ticket = next(r["ticket_id"] for r in scene.tables["tickets"] if r["service"] == service)
        line = next(r["line"] for r in scene.tables["logs"] if r["service"] == service and "ERROR" in r["line"])
        ask = f"Please close ticket {ticket} with the error code that is in the logs of {service} in its note."
        closed = RowCheck("tickets", {"ticket_id": ticket}, {"status": "closed"}, {"note": line.split()[-1]})
        return Task(ask, Check((closed,)))
    before = next(r for r in scene.tables["deploys"] if r["service"] == service and r["status"] == "previous")
    ask = f"Please deploy the previous version of {service} from its deployment history."
    return Task(ask, Check((row("services", {"service": service}, version=before["version"]),)))


_PACES = ("long", "longer than usual", "its usual time")

DOMAIN = Domain("operations", TOOLS, _scene, _dependent, _independent)
"""IT operations."""
