"""Verification of vector environments: lanes, auto-reset, final observations."""
