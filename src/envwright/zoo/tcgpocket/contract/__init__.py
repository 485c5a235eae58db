"""What every engine of this game shares, and nothing more: docs/tcgpocket-contract.md."""
