"""The decision of the page on recurrence: true of the real thing, false of a plausible mistake."""

from pe_book.evidence.why import recurrence as verdicts
from pe_book.why.chain import operation_counts


def test_attention_multiplies_more_only_with_the_projections():
    assert verdicts.multiplies_more_at_every_length(512)

    def without_projections(n, d, everything):
        return operation_counts(n, d)  # less than the chain while n < d

    def less_at_first(n, d, everything):
        return operation_counts(n, d, everything=True)._replace(product=2 * n * d**2 + (n - 5) * d)

    def not_a_polynomial(n, d, everything):
        return operation_counts(n, d, everything=True)._replace(product=2 * n * d**2 + (n if n < 100 else 0))

    for wrong in (without_projections, less_at_first, not_a_polynomial):
        assert not verdicts.multiplies_more_at_every_length(512, counts=wrong)
