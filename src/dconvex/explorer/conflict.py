"""Whether pieces of evidence fit together."""

from __future__ import annotations

from dconvex.explorer.page_question import PageQuestion
from dconvex.explorer.translation import Plain
from dconvex.inference.model import LocalModel


def conflict_of(model: LocalModel, question: PageQuestion) -> Plain:
    """Each piece of evidence with its log-probability on its own, and their conflict: Σ log P(eᵢ) - log P(e).

    Above zero the pieces are less probable together than if they were independent.
    """
    single = {name: model.log_evidence({name: state}) for name, state in question.evidence.items()}
    single |= {name: model.log_evidence(soft={name: weights}) for name, weights in question.soft.items()}
    together = model.log_evidence(question.evidence, soft=question.soft)
    return {
        "pieces": [[model.dag.index_of(name), log] for name, log in single.items()],
        "together": together,
        "conflict": sum(single.values()) - together,
    }
