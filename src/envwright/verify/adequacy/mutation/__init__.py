"""Mutation: small bugs seeded in a module's source."""
