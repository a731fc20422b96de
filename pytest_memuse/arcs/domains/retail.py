"""Customer support of a shop: agreed partial refunds and updated addresses (MERIT 3.3, D1)."""

from pytest_memuse.arcs.domains.drawing import Draw
from pytest_memuse.arcs.domains.types import Domain, Fact, Scene, Task, revised, row
from pytest_memuse.arcs.types import Action, Check, Format, Parameter, RowCheck, Tier, Tool

_ORDER = Parameter("order_id", "order_id", "The order's number, such as R-4821.", key=True)

TOOLS = (
    Tool("get_order", "Look up an order.", Action.READ, "orders", (_ORDER,)),
    Tool(
        "refund",
        "Pay back an amount of an order, up to its total.",
        Action.UPDATE,
        "orders",
        (_ORDER, Parameter("amount", "refunded", "The amount, such as 12.50.", Format.MONEY, at_most="total")),
    ),
    Tool(
        "update_address",
        "Change the address that an order is delivered to.",
        Action.UPDATE,
        "orders",
        (_ORDER, Parameter("address", "address", "The whole new address.")),
    ),
    Tool(
        "get_policy",
        "Look up the shop's policy on a topic.",
        Action.READ,
        "policies",
        (Parameter("topic", "topic", "One of returns, warranty, shipping, gifts, privacy, payment.", key=True),),
    ),
    Tool(
        "send_message",
        "Send a message to a customer.",
        Action.INSERT,
        "messages",
        (
            Parameter("customer", "customer", "The customer's name.", key=True),
            Parameter("text", "text", "What to tell the customer."),
        ),
    ),
)

_CUSTOMERS = (
    "Ada Brandt", "Bela Costa", "Cora Dietz", "Dario Engel", "Edda Fuchs", "Felix Gruber", "Greta Hahn", "Hugo Iversen",
    "Ines Jansen", "Jonas Keller", "Klara Lind", "Leo Moreau", "Mira Novak", "Nils Olsen", "Olga Petrov", "Paul Quist",
)  # fmt: skip
_ITEMS = (
    "desk lamp", "office chair", "kettle", "rucksack", "walking boots", "tent", "headphones", "keyboard", "coffee mill",
    "bicycle pump", "wool blanket", "bread knife", "garden hose", "picture frame", "wall clock", "rain jacket",
)  # fmt: skip
_POLICIES = {
    "returns": "Goods come back within a month, unused and with the receipt.",
    "warranty": "Faults are mended free of charge for two years.",
    "shipping": "Parcels leave the warehouse on the next working day.",
    "gifts": "Gift cards stay valid for three years and cannot be paid out.",
    "privacy": "Data is kept as long as the law asks for, and sold to nobody.",
    "payment": "Invoices are due two weeks after delivery.",
}
_ORDERS = 14


def _scene(draw: Draw) -> Scene:
    customer = draw.of(_CUSTOMERS)
    orders = [
        {
            "order_id": draw.code("R"),
            "customer": customer,
            "item": item,
            "total": draw.amount(120, 900),
            "status": draw.random.choice(("shipped", "packed", "paid")),
            "address": draw.address(),
            "refunded": "",
        }
        for item in draw.some(_ITEMS, _ORDERS)
    ]
    policies = [{"topic": topic, "text": text} for topic, text in _POLICIES.items()]
    names = {"order": [order["order_id"] for order in orders], "policy": list(_POLICIES)}
    draw.random.shuffle(names["policy"])
    return Scene({"orders": orders, "policies": policies, "messages": []}, names, customer)


def _dependent(draw: Draw, scene: Scene, tier: Tier) -> Task:
    order = scene.take("order")
    refund = revised(tier, f"agreed refund for order {order}", lambda: draw.amount(11, 110))
    address = revised(tier, f"new delivery address for order {order}", draw.address)
    if tier is Tier.MEDIUM:
        ask = f"Please carry out the agreed refund for order {order}, and change it to the new delivery address."
        return _needing(ask, order, {"refunded": refund, "address": address})
    if draw.random.random() < 0.5:
        return _needing(f"Please carry out the agreed refund for order {order}.", order, {"refunded": refund})
    return _needing(f"Please have order {order} sent to the new delivery address.", order, {"address": address})


def _needing(ask: str, order: str, facts: dict[str, Fact]) -> Task:
    wanted = {column: fact.value for column, fact in facts.items()}
    return Task(ask, Check((RowCheck("orders", {"order_id": order}, wanted),)), tuple(facts.values()))


def _independent(draw: Draw, scene: Scene) -> Task:
    orders = {order["order_id"]: order for order in scene.tables["orders"]}
    choice = draw.random.randrange(3)
    if choice == 0:
        topic = scene.take("policy")
        ask = f"Please send {scene.shared} a message with our policy on {topic}."
        found = RowCheck("messages", {"customer": scene.shared}, contains={"text": _POLICIES[topic]})
        return Task(ask, Check((found,)))
    order = scene.take("order")
    if choice == 1:
        ask = f"Order {order} arrived broken. Please refund the full total of order {order}."
        return Task(ask, Check((row("orders", {"order_id": order}, refunded=orders[order]["total"]),)))
    other = scene.take("order")
    ask = f"Please have order {order} sent to the address that order {other} goes to."
    return Task(ask, Check((row("orders", {"order_id": order}, address=orders[other]["address"]),)))


DOMAIN = Domain("retail", TOOLS, _scene, _dependent, _independent)
"""Customer support."""
