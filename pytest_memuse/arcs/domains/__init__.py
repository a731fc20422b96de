"""The three domains of MERIT 3.3: their tools, worlds, facts and what their users say."""

from collections.abc import Mapping
from types import MappingProxyType

from pytest_memuse.arcs.domains import assistant, operations, retail
from pytest_memuse.arcs.domains.types import Domain

DOMAINS: Mapping[str, Domain] = MappingProxyType(
    {domain.name: domain for domain in (retail.DOMAIN, operations.DOMAIN, assistant.DOMAIN)}
)
"""Domains by their names, in the paper's order."""

__all__ = ["DOMAINS", "Domain"]
