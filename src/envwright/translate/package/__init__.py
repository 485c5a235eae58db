"""The installable package that a verified translation ends in."""

from envwright.translate.package.writing import (
    MARK,
    check_replaceable,
    contents_of,
    export,
    is_ours,
    place_for,
)

__all__ = ["MARK", "check_replaceable", "contents_of", "export", "is_ours", "place_for"]
