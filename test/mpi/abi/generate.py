#!/usr/bin/env python3
"""Generates from the table of MPI's calls a library of MPI 5's standard ABI on top of MPICH, as far as tests need one.

    generate.py functions|prototypes|abi_prototypes OUT

functions: what layer.c includes, each function of the ABI as a call of MPICH's. prototypes, abi_prototypes: what the
recorder's mpi.h includes, and what that of tests does beside it."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
CALLS = os.path.join(HERE, "..", "..", "..", "runtime", "calls")
sys.path.insert(0, CALLS)
from calls import LARGE, ROLES, declaration, read_table  # noqa: E402
from record import prototypes  # noqa: E402

# Calls whose arguments have no form here, and those that MPICH 4.0 lacks.
LACKING = ("Comm_spawn", "Comm_spawn_multiple", "Comm_get_attr", "Attr_get", "Win_get_attr", "Pcontrol", "Buffer_detach", "Grequest_start",
           "Request_get_status_all", "Request_get_status_any", "Request_get_status_some", "Buffer_flush", "Buffer_iflush",
           "Comm_flush_buffer", "Comm_iflush_buffer", "Session_flush_buffer", "Session_iflush_buffer")
HANDLES = {"type": "Datatype", "op": "Op", "comm": "Comm", "inrequest": "Request", "win": "Win", "info": "Info", "group": "Group",
           "errhandler": "Errhandler", "file": "File"}
CHANGED = {"newcomm": "Comm", "oldcomm": "Comm", "request": "Request", "message": "Message", "newwin": "Win", "oldwin": "Win",
           "newgroup": "Group", "oldgroup": "Group", "session": "Session", "newfile": "File"}
RANKS = ("source", "dest", "root", "target", "leader", "remote", "local_leader", "remote_leader")
# Arguments by the function that converts them; "out" for what the call gives.
VALUES = {("Comm_split_type", "type"): "split", ("Win_lock", "kind"): "lock", ("Init_thread", "required"): "level",
          ("Init_thread", "provided"): "out_level", ("Query_thread", "provided"): "out_level", ("Topo_test", "status"): "out_topology",
          ("Cart_shift", "source"): "out_rank", ("Cart_shift", "destination"): "out_rank", ("File_open", "mode"): "file_mode"}


def argument(call, role, name, large):
    """(statements before the call, what it is given, statements after it)"""
    value = VALUES.get((call.name, name))
    if value and value.startswith("out"):
        return "", name, f"*{name} = {value}(*{name});"
    if value:
        return "", f"{value}({name})", ""
    if role in HANDLES:
        return "", f"in_{HANDLES[role]}({name})", ""
    if role in CHANGED:
        kind = CHANGED[role]
        return (f"MPI_{kind} {name}_ = in_{kind}(*(void**){name});", f"&{name}_",
                f"if (rc == MPI_SUCCESS) *(void**){name} = out_{kind}({name}_);")
    if role == "requests":
        return f"MPI_Request* {name}_ = in_requests(n, {name});", f"{name}_", f"out_requests(n, {name}_, {name});"
    if role == "status":
        return f"MPI_Status {name}_ = {{0}};", f"{name} ? &{name}_ : MPI_STATUS_IGNORE", f"out_statuses(1, &{name}_, {name});"
    if role == "statuses":
        count = next((f"*{other}" for kind, other in call.arguments if kind == "outcount"), "n")
        return (f"MPI_Status* {name}_ = calloc((size_t)n + 1, sizeof *{name}_);", f"{name} ? {name}_ : MPI_STATUSES_IGNORE",
                f"out_statuses({count}, {name}_, {name});")
    if role == "types":  # kept: the call may need them after its return
        return "", f"in_types({'neighbours' if 'eighbor' in call.name else 'peers'}(in_Comm(c)), {name})", ""
    if role in ("buf", "cbuf"):
        return "", f"in_buffer({name})", ""
    if role == "weights":
        return "", f"in_weights({name})", ""
    if name == "assert":
        return "", "hint(assert)", ""
    if role == "int" and name in RANKS:
        return "", f"rank({name})", ""
    if role == "int" and name in ("stag", "rtag"):
        return "", f"tag({name})", ""
    return "", name, ""


def abi_type(role, large):
    kind = (LARGE if large else {}).get(role) or ROLES[role][0]
    return "void*" if role in HANDLES else "void*" if kind.startswith("MPI_") and role in CHANGED or role in ("requests", "statuses",
        "status") else "const void*" if role == "types" else kind


def function(call, large):
    suffix = "_c" if large else ""
    parameters = ", ".join(declaration(abi_type(role, large), name) for role, name in call.arguments) or "void"
    parts = [argument(call, role, name, large) for role, name in call.arguments]
    lines = [f"FUNCTION({call.name}{suffix}, ({parameters})) {{", f"  REAL({call.name}{suffix});",
             *(f"  {before}" for before, _, _ in parts if before),
             f"  const int rc = real({', '.join(given for _, given, _ in parts)});",
             *(f"  {after}" for _, _, after in parts if after), "  return rc;", "}"]
    text = "\n".join(lines)
    return f"#if MPI_VERSION >= 4\n{text}\n#endif" if large or call.mpi4 else text


def main():
    what, path = sys.argv[1:]
    table = read_table(os.path.join(CALLS, "mpi_calls.txt"))
    out = [prototypes(table)] if what == "prototypes" else []
    for call in table if what != "prototypes" else ():
        if call.name in LACKING or call.prefix != "MPI_" or call.record is None and call.online is None:
            continue
        for large in (False, True)[:2 if call.large else 1]:
            if what == "functions":
                out.append(function(call, large))
            else:
                out.append(f"int MPI_{call.name}{'_c' if large else ''}({', '.join(call.parameters(large))});")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(out) + "\n")


if __name__ == "__main__":
    main()
