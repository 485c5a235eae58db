"""Dicts, sets, lists, tuples and deques."""

import copy
import heapq
from collections import Counter, OrderedDict, defaultdict, deque
from typing import ClassVar

import numpy as np
from tests.agents.compiler.language.game import Game, equal, refused

PRICES = {(0, 0): 5.0, (1, 0): -1.0, (2, 1): 2.5}
STEPS = {0: (0, 1), 1: (1, 0), 2: (0, -1), 3: (-1, 0)}
SPARSE = {3: 10, 7: 20, -2: 30}
HISTORY: list = []


@equal
class DictGetByTuple(Game):
    def play(self, action):
        self.x = (self.x + 1) % 3
        self.y = action % 2
        return PRICES.get((self.x, self.y), -0.25)


@equal
class DictGetByNumber(Game):
    def play(self, action):
        self.x = (self.x + action) % 9 - 2
        return SPARSE.get(self.x, 0) + SPARSE.get(action, -1)


@equal
class DictGetWithoutDefault(Game):
    def play(self, action):
        self.x = (self.x + action) % 9 - 2
        bonus = SPARSE.get(self.x)
        if bonus is None:
            return -1
        return bonus


@equal
class DictByNumberThatMayMiss(Game):
    def play(self, action):
        self.x = (self.x + action) % 9 - 2
        if self.x in SPARSE:
            return SPARSE[self.x]
        return 0.5


@equal
class DictOfOneKey(Game):
    goal: ClassVar = {4: 1.5}

    def play(self, action):
        self.x = (self.x + action) % 6
        return self.goal.get(self.x, 0.0)


@equal
class DictGetKnown(Game):
    def play(self, action):
        dx, dy = STEPS[action]
        self.x, self.y = self.x + dx, self.y + dy
        return STEPS.get(9, (3, 4))[1]


@refused("an unknown text where a known value is needed")
class DictByText(Game):
    table: ClassVar = {"0,1": 1.0, "1,1": 2.0}

    def play(self, action):
        self.x = action
        return self.table.get(f"{self.x},1", 0.0)


@refused(".pop() of a dict with an unknown key")
class DictPopUnknown(Game):
    def play(self, action):
        bag = {0: 1.0, 1: 2.0, 2: 3.0, 3: 4.0}
        bag.pop(action)
        return sum(bag.values())


@refused("del of an unknown key of a dict")
class DictDeleteUnknown(Game):
    def play(self, action):
        bag = {0: 1.0, 1: 2.0, 2: 3.0, 3: 4.0}
        del bag[action]
        return sum(bag.values())


@equal
class DictSetDefaultOrder(Game):
    def play(self, action):
        bag = {"b": 1, "a": 2}
        bag.setdefault("c", 3)
        bag.setdefault("a", 9)
        self.x = 0
        for value in bag.values():
            self.x = self.x * 10 + value
        return self.x + action


@refused("the attribute bag, which a step reads and changes and which")
class DictState(Game):
    def begin(self):
        super().begin()
        self.bag = {"wood": 0, "stone": 2}

    def play(self, action):
        if action == 1:
            self.bag["wood"] += 1
        return self.bag["wood"] - self.bag["stone"]


@refused("the attribute goal (a dict), which a step reads, which")
class DictChosenAtReset(Game):
    def begin(self):
        super().begin()
        self.goal = {"at": int(self.np_random.integers(4))}

    def play(self, action):
        return 1.0 if action == self.goal["at"] else 0.0


@equal
class DictMergedOrder(Game):
    def play(self, action):
        bag = {"a": 1, "b": 2}
        if action > 1:
            bag["a"] = 5
        self.x = 0
        for key, value in bag.items():
            self.x = self.x * 10 + value + (key == "a")
        return self.x


@refused("a dict that gets keys under a condition")
class DictOrderDependsOnAction(Game):
    def play(self, action):
        bag = {"a": 1, "b": 2}
        if action > 1:
            del bag["a"]
            bag["a"] = 1
        self.x = 0
        for value in bag.values():
            self.x = self.x * 10 + value
        return self.x


@equal
class SetsThatAreKnown(Game):
    walls: ClassVar = {(1, 0), (2, 2), (0, 3)}

    def play(self, action):
        self.x, self.y = (self.x + action) % 4, (self.y + 1) % 4
        empty = set()
        empty.add(3)
        return (-1 if (self.x, self.y) in self.walls else 0) + (1 if empty else 5)


@equal
class SetDisplayGrows(Game):
    def play(self, action):
        marks = {1, 2}
        marks.add(7)
        marks.discard(1)
        self.x = len(marks) + (2 in marks) * 10 + (1 in marks) * 100
        return self.x


@refused(".add() of a set with unknown values")
class SetState(Game):
    def begin(self):
        super().begin()
        self.visited = set()

    def play(self, action):
        self.x = (self.x + action) % 5
        fresh = self.x not in self.visited
        self.visited.add(self.x)
        return 1.0 if fresh else -0.1


@equal
class EmptyListIsFalse(Game):
    def play(self, action):
        found = [k for k in (1, 2, 3) if k > 5]
        pairs = {}
        return (1 if found else 2) + (10 if pairs else 20) + (100 if () else 200)


@equal
class MixedNumbersInAList(Game):
    def play(self, action):
        values = [0, 0.5, 1.5, 2]
        values[action] = 2.75
        return sum(values)


@refused("a float in a list of whole numbers of unknown length")
class FloatIntoListOfWholeNumbers(Game):
    def play(self, action):
        values = [0, 1, 2, 3]
        values[action] = 2.75
        return sum(values)


@equal
class FloatAppendedToWholeNumbers(Game):
    def begin(self):
        super().begin()
        self.log = [0]

    def play(self, action):
        if action == 0:
            self.log.append(1)
        elif action == 1:
            self.log.append(self.x / 4)
        return sum(self.log)


@equal
class NegativePlaces(Game):
    def play(self, action):
        values = [3, 1, 4, 1]
        self.x = values[-1 - action] * 10 + values[-2]
        return values[action - 4]


@equal
class NegativePlacesOfGrowing(Game):
    def begin(self):
        super().begin()
        self.log = [1]

    def play(self, action):
        if len(self.log) < 9:
            self.log.append(self.x + len(self.log))
        back = -1 if action < 2 else 0
        self.y = self.log[back] + self.log[-1]
        return self.log[-1 - action % len(self.log)]


@equal
class TruthAsPlace(Game):
    def play(self, action):
        self.x += (3, 7)[action > 1]
        names = [10, 20]
        return names[self.x % 2 == 0]


@equal
class SnakeOfTuples(Game):
    def begin(self):
        self.x, self.y = 3, 3
        self.body = [(3, 3)]

    def play(self, action):
        dx, dy = STEPS[action]
        self.x, self.y = (self.x + dx) % 5, (self.y + dy) % 5
        reward = -1.0 if (self.x, self.y) in self.body else 0.0
        self.body.insert(0, (self.x, self.y))
        if len(self.body) > 4:
            self.body.pop()
        if self.body[0] == (2, 2):
            reward += 5
        return reward + (self.body[-1] == (3, 3))


@equal
class RemoveOfTuples(Game):
    def begin(self):
        self.x, self.y = int(self.np_random.integers(3)), 0
        self.coins = [(0, 1), (1, 0), (2, 2), (1, 1)]

    def play(self, action):
        dx, dy = STEPS[action]
        self.x, self.y = (self.x + dx) % 3, (self.y + dy) % 3
        if (self.x, self.y) in self.coins:
            self.coins.remove((self.x, self.y))
            return 1.0
        return 0.0

    def over(self):
        return not self.coins


@refused("changing a list while a loop goes over it")
class RemoveWhileIterating(Game):
    def play(self, action):
        values = [1, 2, 2, 3]
        for value in values:
            if value == 2:
                values.remove(value)
        self.x = len(values)
        return self.x


@refused("changing a list while a loop goes over it")
class WriteAheadWhileIterating(Game):
    def play(self, action):
        values = [1, 2, 3, 4]
        for place, value in enumerate(values):
            values[(place + 1) % 4] = value + action
        return sum(values)


@equal
class WriteBehindWhileIterating(Game):
    def play(self, action):
        values = [1, 2, 3, 4]
        for place, value in enumerate(values):
            values[place] = value * action
        self.x = values[3]
        return sum(values)


@equal
class AliasOfAList(Game):
    def play(self, action):
        a = [1, 2]
        b = a
        b.append(action)
        c = a[:]
        c.append(9)
        self.x = len(a)
        return sum(a) + len(c)


@equal
class AliasMultiplied(Game):
    def play(self, action):
        a = [1, 2]
        b = a
        a *= 2
        self.x = len(b)
        return len(a)


@equal
class RowsThatAreOne(Game):
    def play(self, action):
        rows = [[0] * 2] * 3
        rows[0][1] = 5
        self.x = rows[2][1]
        return self.x


@refused("the attributes at and before, which hold one list or array")
class StateThatIsOneList(Game):
    def begin(self):
        self.x, self.y = 0, 0
        self.at = [0, 0]
        self.before = self.at

    def play(self, action):
        self.at[0] += 1
        self.x, self.y = self.at[0], self.before[0]
        return 0


@equal
class Copies(Game):
    def play(self, action):
        rows = [[1, 2], [3, 4]]
        deep, flat = copy.deepcopy(rows), copy.copy(rows)
        rows[0][0] = action
        return deep[0][0] * 100 + flat[0][0]


@refused("a change of a list that outlives the step, in a default of")
class DefaultThatGrows(Game):
    def mark(self, value, seen=[]):  # noqa: B006
        seen.append(value)
        return len(seen)

    def play(self, action):
        return self.mark(1)


@refused("a change of a list that outlives the step, in the global")
class GlobalThatGrows(Game):
    def play(self, action):
        HISTORY.append(1)
        return len(HISTORY)


@refused("a change of a list that outlives the step, in")
class ClassListThatGrows(Game):
    log: ClassVar = []

    def play(self, action):
        self.log.append(1)
        return len(self.log)


@refused("the call of append, which changes a deque")
class QueueState(Game):
    def begin(self):
        super().begin()
        self.queue = deque([0, 0], maxlen=2)

    def play(self, action):
        self.queue.append(1)
        return len(self.queue) + self.queue[0]


@refused("the call of _heapq.heappush with unknown values")
class HeapState(Game):
    def begin(self):
        super().begin()
        self.heap = [5, 6, 7]

    def play(self, action):
        heapq.heappush(self.heap, 3)
        return heapq.heappop(self.heap)


@refused("the call of heappush, which changes a list")
class HeapThatIsKnown(Game):
    costs: ClassVar = [5, 6, 7]

    def play(self, action):
        heapq.heappush(self.costs, 3)
        return len(self.costs)


@refused("an element of a defaultdict")
class DefaultDictState(Game):
    def begin(self):
        super().begin()
        self.seen_at = defaultdict(int)

    def play(self, action):
        self.seen_at[self.x] += 1
        return self.seen_at[self.x]


@refused("an element of a Counter")
class CounterOfActions(Game):
    def begin(self):
        super().begin()
        self.counts = Counter()

    def play(self, action):
        self.counts["all"] += 1
        return self.counts["all"]


@refused(".move_to_end() of a dict")
class OrderedDictMoved(Game):
    def play(self, action):
        items = OrderedDict(a=1, b=2)
        items.move_to_end("a")
        self.x = int("".join(str(v) for v in items.values()))
        return self.x


@equal
class SortingKnown(Game):
    def play(self, action):
        words = ["bb", "a", "ccc"]
        words.sort(key=len, reverse=True)
        ranked = sorted([(2, 1), (1, 5), (1, 2)], key=lambda p: (p[0], -p[1]))
        return len(words[0]) * 100 + ranked[0][1] * 10 + max([3, -7, 5], key=abs)


@refused("an order by keys that are not known")
class SortingUnknown(Game):
    def play(self, action):
        values = [self.x, action, 3]
        values.sort(key=lambda v: -v)
        return values[0]


@equal
class SortedNumbers(Game):
    def play(self, action):
        values = sorted([self.x, action, 3])
        self.y = values[1]
        return values[0]


@equal
class Slices(Game):
    def play(self, action):
        values = [self.x, 1, action, 3, 4]
        self.y = sum(values[::2]) + values[::-1][0] + values[1:-1][-1]
        part = values[1:3]
        part.append(7)
        return len(part) * 10 + part[-1] + sum(values[-2:])


@equal
class Zipped(Game):
    def play(self, action):
        total = 0
        for place, (a, b) in enumerate(zip([1, 2, action], (4, 5, 6), strict=False), start=1):
            total += place * a * b
        for value in reversed([1, self.x]):
            total = total * 2 + value
        return total


@equal
class CountAndIndex(Game):
    def play(self, action):
        values = [action, self.x % 3, 1, 2]
        self.y = values.count(1)
        return values.index(2) if 2 in values else -1


@refused("writing to a dict under an unknown key")
class WriteUnderUnknownKey(Game):
    def play(self, action):
        bag = {0: 0, 1: 0, 2: 0, 3: 0}
        bag[action] = 5
        return sum(bag.values())


@refused("< between lists")
class ListsCompared(Game):
    def play(self, action):
        return 1.0 if (action, self.x) < (2, 1) else 0.0


@equal
class ListsEqual(Game):
    def play(self, action):
        self.y = [action, 1] == [2, 1]
        return (self.x, action) == (0, 1) or [1, 2] == (1, 2)


@equal
class SumOfTruths(Game):
    def play(self, action):
        lamps = np.array([action > 0, action > 1, self.x > 0])
        self.y = sum(lamps)
        return sum([self.x > 0, action > 1]) / 2 + sum([action == 2])


@equal
class InOfTexts(Game):
    def play(self, action):
        return ("up" in ("up", "down")) + ("p" in "up") * 2 + action


@refused("a change of one of two lists, chosen by a condition")
class OneOfTwoLists(Game):
    def play(self, action):
        a, b = [1], [2, 3]
        chosen = a if action > 1 else b
        chosen.append(5)
        return len(a) * 10 + len(b)


@refused("a change of one of two lists, chosen by a condition")
class OneOfTwoListsByStatement(Game):
    def play(self, action):
        a, b = [1], [2, 3]
        if action > 1:
            chosen = a
        else:
            chosen = b
        chosen[0] = 5
        return a[0] * 10 + b[0]


@equal
class FreshInEachBranch(Game):
    def begin(self):
        super().begin()
        self.grid = np.zeros(3)

    def play(self, action):
        if action > 2:
            self.grid = np.ones(3)
        self.grid[0] += 2
        row = [1, 2] if action else [3, 4]
        row.append(7)
        if action == 1:
            found = [0, 0]
        else:
            found = [5, 5]
        found[1] = action
        return self.grid.sum() + sum(row) * 10 + sum(found)
