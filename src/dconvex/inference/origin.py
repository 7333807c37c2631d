"""Where a model comes from: a network that was given, data, or a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, final

from dconvex.inference.report import Report
from dconvex.network.network import BayesianNetwork

if TYPE_CHECKING:
    from dconvex.inference.model import LocalModel


class Origin(Protocol):
    """Where a model comes from: a network (`NetworkOrigin`), data (`DataOrigin`) or a file (`FileOrigin`)."""

    def network(self) -> BayesianNetwork:
        """The network of all clusters together."""

    def updated(self, data: Any) -> LocalModel:
        """The model learned from more data."""

    def report(self) -> Report:
        """What the model was learned from."""


NO_UPDATE = "this model comes from a given network, not from data; learn one with dc.fit"
NO_REPORT = "this model comes from a given network: there is nothing to report about data"


@final
@dataclass(frozen=True, slots=True)
class NetworkOrigin:
    """A network that was given."""

    given: BayesianNetwork

    def network(self) -> BayesianNetwork:
        return self.given

    def updated(self, data: Any) -> LocalModel:
        raise ValueError(NO_UPDATE)

    def report(self) -> Report:
        raise ValueError(NO_REPORT)
