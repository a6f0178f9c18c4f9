"""The size of pages: at most 12 bytes a call and 150 kB, whatever is in the report; and the page's own code.

Times are exact in all of these; traces of more than 300,000 calls have about 4 bytes a call (page/timeline_test.cc).

usage: budget.py SLACKLINE EXAMPLES   (SLACKLINE_SHARED: a folder with further traces, in traces/)
"""

import base64
import functools
import json
import os
import re
import subprocess
import sys
import tempfile
import zlib

FIXED = 160_000
BYTES_A_CALL = 12
OWN_CODE = 150_000

binary, examples = sys.argv[1:3]
topology = ["--topology", "dragonfly:g=8,a=4,p=8"]
others = ["--compare", "mpich", "--compare", "allreduce=ring"]
machine = ["--platform", f"{examples}/platforms/fat-tree.toml"]
CASES = [
    ("allreduce8.slk", []),
    ("unbalanced.slk", []),
    ("stencil2d.slk", []),
    ("stencil2d.slk", machine),
    ("stencil2d.slk", [*topology, *others, *machine]),
    ("allreduce64.slk", [*topology, *others]),
    ("cg.slk", [*topology, *others]),
    ("lammps-melt.slk", []),
    ("lammps-melt.slk", machine),
    ("lammps-melt.slk", [*topology, *others]),
    ("lammps-melt.slk", [*topology, *others, *machine]),
]
cases = [(f"{examples}/traces/{name}", options) for name, options in CASES]

shared = os.environ.get("SLACKLINE_SHARED", "")
for name in ("stencil4d-64/traces.otf2", "sstmacro10/traces.otf2", "epoch/epoch_8proc.prv.gz"):
    trace = f"{shared}/traces/{name}"
    if os.path.exists(trace):
        cases += [(trace, more) for more in ([], machine, [*topology, *others, *machine])]
    else:
        print(f"SKIPPED: {name} (SLACKLINE_SHARED names no folder that has it)")


def embedded(page):
    attributes, text = re.search(r'<script type="application/json" id="report"([^>]*)>(.*?)</script>', page, re.S).groups()
    return json.loads(zlib.decompress(base64.b64decode(text)) if "deflate" in attributes else text)


def base85(text):
    """Bytes of web/build/single_file.ts's text, with up to three zeros at the end."""
    digits = [{125: 20, 126: 24}.get(ord(c), ord(c) - 40) for c in text]
    numbers = (functools.reduce(lambda n, digit: 85 * n + digit, digits[i : i + 5], 0) for i in range(0, len(digits), 5))
    return b"".join(number.to_bytes(4, "big") for number in numbers)


def own_code(page):
    """Bytes of the page without its report, and of its style and script when they are unpacked."""
    blobs = r'(\s*<script type="text/plain" id="blob-\d+">.*?</script>)*'
    shell = re.sub(r'<script type="application/json" id="report".*?</script>' + blobs, "", page, flags=re.S)
    shell = re.sub(r"<noscript>.*?</noscript>", "", shell, flags=re.S)
    style = re.search(r"<style>(.*?)</style>", page, re.S).group(1)
    packed = re.search(r'<script type="text/plain" id="code">(.*?)</script>', page, re.S).group(1)
    return len(shell.encode()), len(style.encode()) + len(zlib.decompressobj().decompress(base85(packed)))


failures = 0
with tempfile.TemporaryDirectory() as directory:
    html = f"{directory}/page.html"
    for trace, options in cases:
        subprocess.run([binary, "report", trace, "-q", "-o", html, *options], check=True)
        with open(html, encoding="utf-8") as file:
            page = file.read()
        calls = embedded(page)["input"]["calls"]
        size, most = len(page.encode()), FIXED + BYTES_A_CALL * calls
        failures += size > most
        verdict = "TOO LARGE" if size > most else "fits"
        print(f"{verdict}: {os.path.basename(trace)} {' '.join(options)}: {size:,} of {most:,} bytes, {calls:,} calls")
code, unpacked = own_code(page)
failures += code > OWN_CODE
print(f"{'TOO LARGE' if code > OWN_CODE else 'fits'}: the page's own code: {code:,} of {OWN_CODE:,} bytes, {unpacked:,} unpacked")
sys.exit(1 if failures else 0)
