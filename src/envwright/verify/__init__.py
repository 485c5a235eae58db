"""Verification: do two simulators agree, and how hard did we look?"""
