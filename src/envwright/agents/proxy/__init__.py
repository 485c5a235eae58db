"""A recording proxy between an agent's program and its model's endpoint.

The proxy keeps the accounts: it alone holds the user's key, counts every request (programs omit
some, and lose their counts when killed), stops when the allowance is spent, limits retries, and
writes a record that can be replayed without a key.
"""

from envwright.agents.proxy.account import Account, unpriced
from envwright.agents.proxy.exchanges import FILE, Exchange, read_exchanges, spent
from envwright.agents.proxy.patience import Patience, Trouble
from envwright.agents.proxy.places import Places
from envwright.agents.proxy.protocols import PROTOCOLS, Protocol
from envwright.agents.proxy.proxy import Proxy, new_token
from envwright.agents.proxy.tape import Tape
from envwright.agents.proxy.upstream import Upstream

__all__ = [
    "FILE",
    "PROTOCOLS",
    "Account",
    "Exchange",
    "Patience",
    "Places",
    "Protocol",
    "Proxy",
    "Tape",
    "Trouble",
    "Upstream",
    "new_token",
    "read_exchanges",
    "spent",
    "unpriced",
]
