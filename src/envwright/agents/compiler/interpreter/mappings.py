"""Methods of dicts and sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from envwright.agents.compiler.trouble import Impossible, Unsupported
from envwright.agents.compiler.values import Growing, Node, Ragged

if TYPE_CHECKING:
    from envwright.agents.compiler.interpreter.machine import Machine

ORDER_OF_A_SET = ("pop",)


def of_dict(m: Machine, owner: Any, name: str, args: list, keywords: dict) -> Any:
    """Call a method of a dict."""
    contents = m.contents(owner)
    if name in ("get", "pop", "setdefault"):
        return _by_key(m, owner, name, *args)
    if name == "keys":
        return m.new_list(contents)
    if name == "values":
        return m.new_list(contents.values())
    if name == "items":
        return m.new_list(tuple(pair) for pair in contents.items())
    if name == "copy":
        return m.new("dict", dict(contents))
    if name == "clear":
        m.put(owner, {})
        return None
    if name == "update":
        m.put(owner, {**contents, **(_pairs(m, args[0]) if args else {}), **keywords})
        return None
    raise Unsupported(f".{name}() of a dict")


def _pairs(m: Machine, given: Any) -> dict:
    if m.is_dict(given):
        return m.contents(given)
    items = m.items(given)
    if isinstance(items, Growing | Ragged):
        raise Unsupported(".update() with a list of unknown length")
    return {m.real(key): value for key, value in map(m.items, items)}


def _by_key(m: Machine, owner: Any, name: str, key: Any, default: Any = None, *more: Any) -> Any:
    """`owner.get(key, default)`, and others with a key and perhaps a default."""
    contents, key = m.contents(owner), m.settled(key)
    if not m.is_known(key):
        if name != "get":
            raise Unsupported(
                f".{name}() of a dict with an unknown key",
                "keep numbers in a list or an array, under places",
            )
        return _found(m, owner, list(contents), key, default)
    real = m.real(key)
    if name == "get":
        return contents.get(real, default)
    if name == "setdefault":
        if real not in contents:
            m.put(owner, {**contents, real: default})
        return contents.get(real, default)
    if real not in contents and not (default is not None or more):
        raise Impossible(f"the key {real!r} is not in the dict")
    m.put(owner, {k: v for k, v in contents.items() if k != real})
    return contents.get(real, default)


def _found(m: Machine, owner: Any, keys: list, key: Any, default: Any) -> Any:
    """Return what a dict has under an unknown key, or the default."""

    def one(key: Any) -> Any:
        if key is None or not isinstance(key, Node | tuple):
            return m.contents(owner).get(m.real(key), default)
        has = m.has_key(keys, key)
        if not isinstance(has, Node):
            return m.element(owner, key) if has else default
        with m.under(has):
            value = m.element(owner, key)
        return m.merge(has, value, default)

    assumed = m.assumptions
    found = m.spread(one, key)
    m.assumptions = assumed  # a key that is missing raises nothing
    return found


def of_set(m: Machine, owner: Any, name: str, args: list) -> Any:
    """Call a method of a set."""
    if not m.is_known(owner) or not all(map(m.is_known, args)):
        raise Unsupported(f".{name}() of a set with unknown values", "use an array of truths")
    if name in ORDER_OF_A_SET:
        raise Unsupported(f".{name}() of a set, which has no order", "use a list")
    contents = m.real(owner)
    before = frozenset(contents)
    try:
        result = getattr(contents, name)(*(m.real(a) for a in args))
    except (KeyError, AttributeError, TypeError) as error:
        raise Impossible(f"{type(error).__name__}: {error}") from error
    if frozenset(contents) != before:
        m.put(owner, frozenset(contents))
    return m.new("set", frozenset(result)) if isinstance(result, set) else result
