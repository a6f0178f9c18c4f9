#!/usr/bin/env python3
"""check_counts.py PRINTED COUNTS...: does the recording hold exactly the calls that the program says?

PRINTED is the text form of the trace; COUNTS what the program printed ("count RANK OPERATION N").
Polls (test and probe that found nothing) are merged and their number is not known: only the
successful ones are counted."""
import collections
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from printed_trace import call_words  # noqa: E402

printed, output = sys.argv[1:3]
expected = collections.defaultdict(collections.Counter)
with open(output, encoding="utf-8") as lines:
    for line in lines:
        if match := re.search(r"count +(\d+) (\w+) +(\d+)", line):
            expected[int(match[1])][match[2]] = int(match[3])

found = collections.defaultdict(collections.Counter)
with open(printed, encoding="utf-8") as lines:
    rank = None
    for line in lines:
        words = line.split()
        if words[:1] == ["rank"]:
            rank = int(words[1])
        elif call := call_words(line):
            if "failed" not in call:
                found[rank][call[0]] += 1

wrong = 0
if not expected:
    print("the program said nothing")
    wrong = 1
for rank in sorted(set(expected) | set(found)):
    for name in sorted(set(expected[rank]) | set(found[rank])):
        if expected[rank][name] != found[rank][name]:
            print(f"rank {rank}: {name}: made {expected[rank][name]}, recorded {found[rank][name]}")
            wrong = 1
kinds = len(set().union(*expected.values())) if expected else 0
print(f"{len(found)} ranks, {kinds} kinds of calls: {'WRONG' if wrong else 'all recorded once'}")
sys.exit(wrong)
