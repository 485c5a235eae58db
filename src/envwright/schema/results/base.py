"""The fields that all stored results share."""

from __future__ import annotations

from typing import Any

import msgspec

from envwright.schema.provenance import Provenance


class Stored(msgspec.Struct, kw_only=True, tag_field="kind"):
    """A result as it is stored. The writer fills in the fields that have defaults here."""

    env: str  # id, with or without a version; "" for a pair of simulators
    machine: dict[str, Any] = {}
    command: str = ""  # that makes it again
    provenance: Provenance = Provenance()

    @property
    def kind(self) -> str:
        """The tag in the file, such as `bench`."""
        return str(self.__struct_config__.tag)

    @property
    def date(self) -> str:
        """When it was made; "" if that was not recorded."""
        return self.provenance.date or str(self.machine.get("date") or "")


class RoomFindings(Stored, kw_only=True, tag=False):
    """A room's own result, such as its coverage; only the room knows the rest of the file."""

    name: str  # the kind in the file
    backend: str = ""

    @property
    def kind(self) -> str:
        return self.name
