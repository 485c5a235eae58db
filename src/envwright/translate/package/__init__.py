"""The installable package that a verified translation ends in."""

from envwright.translate.package.writing import MARK, export, is_ours, place_for

__all__ = ["MARK", "export", "is_ours", "place_for"]
