"""Options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

from envwright.core.executor import CHOICES

ExecutorName = Annotated[str, typer.Option(help=f"Where work runs: {CHOICES}.")]
