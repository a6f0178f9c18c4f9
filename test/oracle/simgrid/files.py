#!/usr/bin/env python3
"""MPI-IO on the disks of simulated hosts, by SimGrid's own on-line simulation and by ours: each kind of access by several
ranks on one disk and on disks of their own, by path, and reading beside writing. Their durations agree within 30 ns and the time of
4 bytes: SimGrid rounds what is read or written between two events to whole bytes.

The program is compiled by smpicc and by mpicc. Without smpirun or mpicc the test is skipped, which it says.

usage: files.py --binary SLACKLINE [--mpicc MPICC]"""
import argparse
import pathlib
import sys
import tempfile

import collectives

BYTES = 4
KINDS = "write write_at read read_at write_all read_all write_at_all read_at_all odd_write odd_read".split()
CALLS = [f"{kind}:{size}" for kind in KINDS for size in (1000, 3000000)]
RANKS = {"one rank": "h0", "one disk": "h0 h0 h0", "several": "h0 h1 h0 h2 h1", "a slow one": "h2 h2"}


def platform(folder):
    """SimGrid asks for a list of the files that each disk has; a disk under the folder of the files is the one that counts."""
    (folder / "content").write_text("/none 10\n")

    def disk(name, read, write, mount):
        return (f'<disk id="{name}" read_bw="{read}MBps" write_bw="{write}MBps"><prop id="mount" value="{mount}"/>'
                f'<prop id="content" value="content"/></disk>')

    hosts = {"h0": disk("d0", 100, 40, "/"), "h1": disk("d1", 200, 90, "/"),
             "h2": disk("d2", 500, 500, "/") + disk("s2", 10, 20, folder)}
    lines = [f'<host id="{name}" speed="1Gf">{disks}</host>' for name, disks in hosts.items()]
    lines.append('<link id="l" bandwidth="100MBps" latency="10us"/>')
    lines += [f'<route src="{a}" dst="{b}"><link_ctn id="l"/></route>' for a, b in (("h0", "h1"), ("h0", "h2"), ("h1", "h2"))]
    file = folder / "platform.xml"
    file.write_text('<?xml version=\'1.0\'?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
                    '<platform version="4.1"><zone id="w" routing="Full">\n' + "\n".join(lines) + "\n</zone></platform>\n")
    return file


def tolerance(call):
    size = int(call.split(":")[1])
    return lambda seconds: collectives.TOLERANCE + BYTES * seconds / size


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True, type=pathlib.Path)
    parser.add_argument("--mpicc", default="mpicc.openmpi")
    options = parser.parse_args()
    if collectives.lacks_tools(options.mpicc):
        return collectives.SKIPPED
    compared, wrong = 0, []
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        machine = platform(folder)
        of_simgrid = collectives.compiled("smpicc", folder, "smpi", "files.c")
        own = collectives.compiled(options.mpicc, folder, "own", "files.c")
        for name, hosts in RANKS.items():
            ranks = len(hosts.split())
            (folder / "hosts").write_text("\n".join(hosts.split()) + "\n")
            one = (machine, folder / "hosts", "default", ranks, [str(folder), *CALLS])
            expected = collectives.by_simgrid(of_simgrid, *one) or {}
            found = collectives.by_slackline(options.binary, own, folder, *one) or {}
            compared += len(expected)
            for call, of_ranks in expected.items():
                wrong += [f"{name}, {call}: {why}" for why in
                          collectives.differences(ranks, {call: of_ranks}, found, tolerance(call)).values()]
    print("\n".join(wrong + [f"{compared} accesses compared, {len(wrong)} differ"]))
    return 1 if wrong or compared < len(RANKS) * len(CALLS) else 0


if __name__ == "__main__":
    sys.exit(main())
