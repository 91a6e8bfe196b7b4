"""How much the vector side counts for a question of which little is known."""

import pytest

from holdfast.recall.candidates import share


@pytest.mark.parametrize(("known", "weight"), [(0.0, 0.2), (0.25, 0.2), (0.5, 0.5), (0.75, 1.0), (1.0, 1.0)])
def test_the_less_of_a_question_is_known_the_less_its_vector_counts(known, weight):
    assert share(known) == weight
