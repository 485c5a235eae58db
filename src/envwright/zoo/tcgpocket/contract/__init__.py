"""The contract that all engines of this game share: docs/tcgpocket-contract.md."""
