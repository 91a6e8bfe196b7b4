import pytest

from holdfast.model.value import FrozenDict, Value

MANY = 300  # more than a class needs to get a constructor of its own


class Point(Value):
    x: int
    y: int = 7
    notes: FrozenDict = FrozenDict()


class Place(Point):
    name: str = "here"


class Nothing(Value):
    pass


@pytest.fixture(params=["general", "own"])
def point(request):
    """The class before and after it got a constructor of its own."""

    class Fresh(Point):
        z: int = 0

    for _ in range(MANY if request.param == "own" else 0):
        Fresh(x=1)
    return Fresh


def test_fields_are_those_given_and_the_usual_ones(point):
    made = point(x=1, z=3)
    assert (made.x, made.y, made.notes, made.z) == (1, 7, {}, 3)
    assert made == point(z=3, x=1, y=7)
    assert made != point(x=2, z=3)


def test_a_field_that_is_missing_or_unknown_is_an_error_that_names_it(point):
    with pytest.raises(TypeError, match=r"\bx\b"):
        point(y=1)
    with pytest.raises(TypeError, match="colour"):
        point(x=1, colour="red")
    with pytest.raises(TypeError):
        point(1)


def test_a_value_cannot_be_changed_but_replaced(point):
    made = point(x=1)
    with pytest.raises(AttributeError):
        made.x = 2
    assert made.replace(x=2) == point(x=2)


def test_a_class_below_one_with_a_constructor_of_its_own_has_all_its_fields():
    for _ in range(MANY):
        Point(x=1)
        Place(x=1)

    class Below(Place):
        size: int = 4

    assert Below(x=1, name="there", size=5).to_dict() == {"x": 1, "y": 7, "notes": {}, "name": "there", "size": 5}
    assert Place(x=1).to_dict() == {"x": 1, "y": 7, "notes": {}, "name": "here"}


def test_a_value_without_fields_can_be_made_as_often_as_one_likes():
    assert all(Nothing() == Nothing() for _ in range(MANY))
