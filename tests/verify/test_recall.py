"""Answers are kept where that is asked for, and only for the same calls in the same order."""

from __future__ import annotations

import pytest

from envwright.verify import recall


class Counter:
    """Adds up, and counts how often one is made or asked."""

    made = asked = 0

    def __init__(self, start):
        Counter.made += 1
        self.value = start

    def add(self, number):
        Counter.asked += 1
        self.value += number
        return self.value


@pytest.fixture(autouse=True)
def counted():
    Counter.made = Counter.asked = 0
    yield
    recall.end()


def test_nothing_is_kept_unless_that_has_begun():
    assert isinstance(recall.recalled(Counter, 5), Counter)


def test_the_same_calls_are_answered_without_asking():
    recall.begin()
    assert [recall.recalled(Counter, 5).add(1) for _ in range(3)] == [6, 6, 6]
    assert (Counter.made, Counter.asked) == (1, 1)
    assert recall.recalled(Counter, 7).add(1) == 8


def test_what_goes_on_goes_on_from_where_the_answers_end():
    recall.begin()
    first = recall.recalled(Counter, 0)
    assert [first.add(1), first.add(2)] == [1, 3]
    again = recall.recalled(Counter, 0)
    assert [again.add(1), again.add(2), again.add(3)] == [1, 3, 6]
    assert Counter.made == 2
    third = recall.recalled(Counter, 0)
    assert [third.add(n) for n in (1, 2, 3)] == [1, 3, 6]
    assert Counter.made == 2


def test_another_call_leads_another_way_and_leaves_the_answers_alone():
    recall.begin()
    first = recall.recalled(Counter, 0)
    assert [first.add(1), first.add(2), first.add(3)] == [1, 3, 6]
    other = recall.recalled(Counter, 0)
    assert [other.add(1), other.add(10), other.add(3)] == [1, 11, 14]
    again = recall.recalled(Counter, 0)
    assert [again.add(1), again.add(2), again.add(3)] == [1, 3, 6]


def test_what_was_kept_is_forgotten_at_the_end():
    recall.begin()
    recall.recalled(Counter, 5).add(1)
    recall.end()
    recall.begin()
    recall.recalled(Counter, 5).add(1)
    assert Counter.asked == 2
