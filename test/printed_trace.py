"""The lines of traces in the text form (doc/formats/text.md), as `slackline print` writes them."""
import re

# What begins a line of a rank that is no call.
NO_CALLS = frozenset(("blocking", "compute", "counted", "enter", "leave", "pause", "recording", "sample", "stop"))


def call_words(line):
    """The words of a call without its times, the operation first; None if the line is none of a rank's calls."""
    if not line.startswith("  "):
        return None
    words = [word for word in line.split("#")[0].split() if word[0] not in "@+"]
    return words if words and words[0] not in NO_CALLS else None


def call_times(line):
    """Begin and end of a call as printed; None if the line is none of a rank's calls."""
    if call_words(line) is None:
        return None
    begin, length = re.match(r"  @(-?\d+)(?: \+(\d+))?", line).groups()
    return int(begin), int(begin) + int(length or 0)
