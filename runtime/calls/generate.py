#!/usr/bin/env python3
"""Generates from the table of MPI's calls what each of its users has.

    generate.py TABLE WHAT OUT

wrappers, stubs: the recorder's wrappers (C, mpif.h, mpi_f08) and the preloaded library's entry points. Both number the
interposed symbols alike; a hash of the table guards against mixing them.
prototypes: of MPI's functions, for the header of the standard ABI.
simulated, functions, fortran: of on-line simulation, what simulates calls, the functions of MPI, and those of Fortran.
arguments, replayed: the calls that the replay makes."""
import hashlib
import sys

import calls
import online
import record
import replay

KINDS = {"wrappers": record.wrappers, "stubs": record.stubs, "prototypes": record.prototypes, "simulated": online.declarations, "functions": online.functions,
         "fortran": online.fortran, "arguments": replay.declarations, "replayed": replay.definitions}


def main():
    table, what, path = sys.argv[1:4]
    with open(table, "rb") as source:
        signature = hashlib.sha256(source.read()).hexdigest()[:15]
    text = KINDS[what](calls.read_table(table))
    if what in ("wrappers", "stubs"):
        text = f"#define SLK_TABLE_SIGNATURE 0x{signature}ul\n" + text
    with open(path, "w", encoding="utf-8") as out:
        out.write(text + "\n")


if __name__ == "__main__":
    main()
