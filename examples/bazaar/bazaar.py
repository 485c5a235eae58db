"""A stall on a bazaar: whole numbers, lists and loops, as such environments are written.

Small, but with everything that makes a translation go quietly wrong: floor division and
remainders of negative numbers, rounding to even, loops that end when they end, sorting with
ties, and a list that is changed while it is used.
"""

import gymnasium
import numpy as np

GOODS = 5
BASE = [4, 7, 11, 16, 22]
SHELF = 14  # pieces that keep
SERVED = 6  # customers a day
WAIT = 0
BUY = range(1, 1 + GOODS)
DEARER = range(1 + GOODS, 1 + 2 * GOODS)
REPAY = 1 + 2 * GOODS


class BazaarEnv(gymnasium.Env):
    """Actions: wait, buy a piece of a good (5), ask more for a good (5), repay."""

    def __init__(self):
        self.action_space = gymnasium.spaces.Discrete(2 + 2 * GOODS)
        self.observation_space = gymnasium.spaces.Box(-1e6, 1e6, (3 * GOODS + 4,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.cash = int(self.np_random.integers(20, 61))
        self.debt = int(self.np_random.integers(0, 81))
        self.stock = [int(n) for n in self.np_random.integers(0, 4, GOODS)]
        self.prices = [b + int(self.np_random.integers(-2, 3)) for b in BASE]
        self.wishes = [int(n) for n in self.np_random.integers(0, 4, GOODS)]
        self.streak = 0
        self.day = 0
        return self._observation(), {}

    def drift(self, prices, day, cash):
        """Prices come back to their base by a third of the way; one good is in fashion."""
        fashion = (3 * day - cash) % GOODS
        for i in range(GOODS):
            prices[i] -= (prices[i] - BASE[i]) // 3
            if i == fashion:
                prices[i] += 2 + prices[i - 1] // 10
        return prices

    def serve(self, stock, prices, wishes, cash):
        """The keenest customers first; of equals, who wants the cheaper good."""
        order = sorted(range(GOODS), key=lambda i: (-wishes[i], prices[i]))
        served = 0
        for i in order:
            while wishes[i] > 0 and stock[i] > 0 and served < SERVED:
                cash += prices[i]
                stock[i] -= 1
                wishes[i] -= 1
                served += 1
                if stock[i] == 0:
                    prices[i] += 1 + prices[i] // 8  # the last piece makes a good dear
        return stock, prices, wishes, cash, served

    def spoil(self, stock, cash):
        """What does not fit on the shelf is thrown away, from the highest pile, for a fee."""
        thrown = 0
        while sum(stock) > SHELF:
            stock[stock.index(max(stock))] -= 1
            cash -= 1 + thrown // 2
            thrown += 1
        return stock, cash, thrown

    def interest(self, debt, cash):
        """3.5 % a day, rounded as Python rounds; who is broke borrows at once."""
        debt += round(debt * 0.035)
        if cash < 0:
            loan = -(cash // 10) * 10
            cash, debt = cash + loan, debt + loan + 2
        return debt, cash

    def step(self, action):
        worth = self.cash - self.debt
        if action in BUY:
            good = action - 1
            cost = self.prices[good] - self.prices[good] // 4
            if self.cash >= cost:
                self.cash -= cost
                self.stock[good] += 1
        elif action in DEARER:
            self.prices[action - 1 - GOODS] += 3
        elif action == REPAY:
            paid = min(self.debt, max(self.cash, 0) // 2)
            self.cash, self.debt = self.cash - paid, self.debt - paid
        self.stock, self.prices, self.wishes, self.cash, served = self.serve(
            self.stock, self.prices, self.wishes, self.cash
        )
        self.stock, self.cash, thrown = self.spoil(self.stock, self.cash)
        self.streak = self.streak + 1 if served >= 3 else (self.streak // 2 if served else 0)
        self.prices = self.drift(self.prices, self.day, self.cash)
        self.wishes = [
            min(w + (1 if self.prices[i] <= BASE[i] + self.streak else 0), 4)
            for i, w in enumerate(self.wishes)
        ]
        self.debt, self.cash = self.interest(self.debt, self.cash)
        self.day += 1
        reward = (self.cash - self.debt - worth) / 10 + 0.25 * min(self.streak, 4) - 0.5 * thrown
        ruined = self.debt > 150 and self.cash < 20
        return self._observation(), reward, ruined, self.day >= 120, {}

    def _observation(self):
        values = [self.cash, self.debt, self.streak, self.day, *self.stock, *self.prices]
        return np.array([*values, *self.wishes], np.float32)
