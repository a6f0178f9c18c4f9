#!/usr/bin/env python3
"""Generates the Fortran interfaces of on-line simulation: each converts its arguments and calls this library's C function.

    fortran.py RECORDER_TABLE OWN_TABLE OUT.inc

mpif.h and `use mpi` of Open MPI reach mpi_x_, its mpi_f08 ompi_x_f or, where LOGICALs must be converted, mpi_x_f08_; MPICH's
mpif.h reaches the C functions by itself, and so does its mpi_f08 where a call has a buffer."""
import sys

# Those of the recorder's table that are answered.
ANSWERED = """
Send Bsend Ssend Rsend Recv Sendrecv Sendrecv_replace Isend Ibsend Issend Irsend Irecv
Send_init Bsend_init Ssend_init Rsend_init Recv_init Start Startall
Wait Waitall Waitany Waitsome Test Testall Testany Testsome Request_free Probe Iprobe
Barrier Bcast Reduce Allreduce Scan Exscan Gather Gatherv Scatter Scatterv Allgather Allgatherv Alltoall Alltoallv Alltoallw
Reduce_scatter Reduce_scatter_block
Comm_dup Comm_split Comm_split_type Cart_create Cart_sub Comm_free Comm_disconnect
Cancel Request_get_status Comm_create_group Comm_idup Intercomm_create Intercomm_merge Graph_create
Win_create Win_allocate Win_allocate_shared Win_create_dynamic Win_free Win_fence Win_post Win_start Win_complete Win_wait Win_test
Win_lock Win_unlock Win_lock_all Win_unlock_all Win_flush Win_flush_all Win_flush_local Win_flush_local_all Win_sync
Put Get Accumulate Get_accumulate Fetch_and_op Compare_and_swap Rput Rget Raccumulate Rget_accumulate
Neighbor_allgather Neighbor_allgatherv Neighbor_alltoall Neighbor_alltoallv
Abort Finalize
""".split()

# Roles that the recorder tells apart, and this does not.
SAME = {"ocomm": "comm", "otype": "type", "oop": "op", "ostatus": "status", "wgroup": "group", "unit": "int"}

BUFFERS = ("buf", "cbuf")
LOGICAL = ("flag", "logical", "logicals", "outlogicals")


def read_table(path):
    """Name -> arguments as (role, name)."""
    calls = {}
    with open(path, encoding="utf-8") as table:
        for line in table:
            fields = [field.strip() for field in line.split("#")[0].split("|")]
            if len(fields) < 2:
                continue
            name = fields[0].lstrip("+*")
            arguments = [tuple(argument.split()) for argument in fields[1].split(",") if argument.strip()]
            arguments = [(SAME.get(role, role), argument) for role, argument in arguments]
            calls[name] = arguments
            if fields[0].startswith("+"):
                calls["I" + name.lower()] = arguments + [("request", "r")]
    return calls


def length_of(arguments, name):
    """The C expression for the length of an array argument."""
    if name in ("remain", "periods", "dims", "periodic", "extents", "at"):
        return "grid_dimensions(c)" if not any(role == "int" and n == "n" for role, n in arguments) else "n"
    if any(role == "int" and n == "n" for role, n in arguments):
        return "n"
    return "comm_members(c)"


def convert(arguments):
    """Statements before the call, what is passed, and statements after it."""
    before, passed, after = [], [], []
    for role, name in arguments:
        f = name + "_f"
        if role in BUFFERS:
            passed.append(f"buffer_of({f})")
        elif role in ("count", "int"):
            before.append(f"const int {name} = *{f};")
            passed.append(name)
        elif role in ("counts", "displs", "ints", "outints", "outcount"):
            passed.append(f)
        elif role == "outaint":
            passed.append(f"(MPI_Aint*)(void*){f}")
        elif role == "aint":
            passed.append(f"*(const MPI_Aint*)(const void*){f}")
        elif role in ("type", "op", "comm", "win"):
            c_type = {"type": "MPI_Datatype", "op": "MPI_Op", "comm": "MPI_Comm", "win": "MPI_Win"}[role]
            before.append(f"const {c_type} {name} = PMPI_{'Type' if role == 'type' else role.capitalize()}_f2c(*{f});")
            passed.append(name)
        elif role == "types":
            before.append(f"MPI_Datatype* const {name} = types_of({f}, {length_of(arguments, name)});")
            passed.append(name)
            after.append(f"free({name});")
        elif role == "info":
            passed.append(f"PMPI_Info_f2c(*{f})")
        elif role == "newcomm":
            given = "PMPI_Comm_f2c(*" + f + ")" if len(arguments) == 1 else "MPI_COMM_NULL"
            before.append(f"MPI_Comm {name} = {given};")
            passed.append(f"&{name}")
            after.append(f"*{f} = PMPI_Comm_c2f({name});")
        elif role == "newwin":
            before.append(f"MPI_Win {name} = " + (f"PMPI_Win_f2c(*{f});" if len(arguments) == 1 else "MPI_WIN_NULL;"))
            passed.append(f"&{name}")
            after.append(f"*{f} = PMPI_Win_c2f({name});")
        elif role == "group":
            before.append(f"const MPI_Group {name} = group_of(*{f});")
            passed.append(name)
        elif role == "newgroup":
            before.append(f"MPI_Group {name} = " + (f"group_of(*{f});" if len(arguments) == 1 else "MPI_GROUP_NULL;"))
            passed.append(f"&{name}")
            after.append(f"*{f} = number_of_group({name});")
        elif role == "ranges":
            passed.append(f"(int(*)[3])(void*){f}")
        elif role == "orequest":
            before.append(f"const MPI_Request {name} = request_of(*{f});")
            passed.append(name)
        elif role == "request":
            before.append(f"MPI_Request {name} = request_of(*{f});")
            passed.append(f"&{name}")
            after.append(f"*{f} = number_of_request({name});")
        elif role == "requests":
            before.append(f"MPI_Request* const {name} = requests_of({f}, n);")
            passed.append(name)
            after.append(f"store_requests({name}, {f}, n);")
        elif role in ("status", "statuses"):
            n = "1" if role == "status" else "n"
            before.append(f"MPI_Status* const {name} = statuses_for({f}, {n});")
            passed.append(name)
            count = "(out_f != NULL && *out_f >= 0 ? *out_f : 0)" if ("outcount", "out") in arguments else n
            after.append(f"store_statuses({name}, {f}, {count});")
        elif role == "flag":
            before.append(f"int {name} = 0;")
            passed.append(f"&{name}")
            after.append(f"*{f} = {name} != 0;")
        elif role == "index":
            before.append(f"int {name} = 0;")
            passed.append(f"&{name}")
            after.append(f"*{f} = {name} == MPI_UNDEFINED ? {name} : {name} + 1;")
        elif role == "indices":
            passed.append(f)
            after.append(f"for (int k = 0; k < *out_f; ++k) ++{f}[k];")
        elif role == "logical":
            passed.append(f"*{f} != 0")
        elif role == "logicals":
            passed.append(f)
        elif role == "outlogicals":
            passed.append(f)
        else:
            raise ValueError(f"no Fortran form for a {role}")
    before.sort(key=lambda statement: "MPI_Comm c =" not in statement)  # others ask for its size
    return before, passed, after


def parameter(role, name):
    return f"void* {name}_f" if role in BUFFERS else f"MPI_Fint* {name}_f"


def symbols(name, arguments):
    """(symbol, preprocessor's condition)"""
    low = name.lower()
    logical = any(role in LOGICAL for role, _ in arguments)
    buffer = any(role in BUFFERS for role, _ in arguments)
    found = [(f"mpi_{low}_", "SLK_OPENMPI"), (f"ompi_{low}_f", "SLK_OPENMPI")]
    if low in ("win_allocate", "win_allocate_shared"):
        found += [(f"mpi_{low}_cptr_", "SLK_OPENMPI"), (f"ompi_{low}_cptr_f", "SLK_OPENMPI")]
    if not buffer:
        found.append((f"mpi_{low}_f08_", "1" if logical else "!SLK_OPENMPI"))
    return found


def wrapper(name, arguments):
    before, passed, after = convert(arguments)
    parameters = ", ".join([parameter(role, n) for role, n in arguments] + ["MPI_Fint* error_f"])
    body = "\n".join(f"  {statement}" for statement in before)
    tail = "\n".join(f"  {statement}" for statement in after)
    text = [f"static void fortran_{name}({parameters}) {{", body, f"  const int error = MPI_{name}({', '.join(passed)});", tail,
            "  if (error_f != NULL) *error_f = error;", "}"]
    given = ", ".join([f"{n}_f" for _, n in arguments] + ["error_f"])
    for symbol, condition in symbols(name, arguments):
        text += [f"#if {condition}", f"EXPORT void {symbol}({parameters});",
                 f"EXPORT void {symbol}({parameters}) {{ fortran_{name}({given}); }}", "#endif"]
    if not any(condition in ("1", "!SLK_OPENMPI") for _, condition in symbols(name, arguments)):
        text = ["#if SLK_OPENMPI", *text, "#endif"]
    return "\n".join(line for line in text if line)


def main():
    recorder, own, path = sys.argv[1:4]
    calls = read_table(recorder)
    answered = {name: calls[name] for name in ANSWERED}
    answered |= {"I" + name.lower(): calls["I" + name.lower()] for name in ANSWERED if "I" + name.lower() in calls
                 and name in ("Barrier", "Bcast", "Reduce", "Allreduce", "Scan", "Exscan", "Gather", "Gatherv", "Scatter",
                              "Scatterv", "Allgather", "Allgatherv", "Alltoall", "Alltoallv", "Alltoallw", "Reduce_scatter",
                              "Reduce_scatter_block", "Neighbor_allgather", "Neighbor_allgatherv", "Neighbor_alltoall",
                              "Neighbor_alltoallv")}
    answered |= read_table(own)
    with open(path, "w", encoding="utf-8") as out:
        out.write("/* Generated by fortran.py. */\n" + "\n".join(wrapper(*call) for call in answered.items()) + "\n")


if __name__ == "__main__":
    main()
