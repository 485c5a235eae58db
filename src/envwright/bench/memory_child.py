"""A fresh process that answers one question about memory: a pickle in, JSON out."""

from __future__ import annotations

import json
import pickle
import sys

from envwright.bench.memory import answer

if __name__ == "__main__":
    print(json.dumps(answer(*pickle.load(sys.stdin.buffer))))
