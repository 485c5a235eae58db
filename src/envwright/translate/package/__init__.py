"""The installable package that a verified translation ends in."""

from envwright.translate.package.writing import MARK, contents_of, export, is_ours, place_for

__all__ = ["MARK", "contents_of", "export", "is_ours", "place_for"]
