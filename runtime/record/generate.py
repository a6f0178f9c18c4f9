#!/usr/bin/env python3
"""Generates all MPI wrappers from mpi_calls.txt.

    generate.py TABLE wrappers OUT.inc    the recorder's wrappers: C, mpif.h, mpi_f08
    generate.py TABLE stubs OUT.c         the preloaded library's entry points

Both outputs number the interposed symbols alike; a hash of the table guards against mixing them.
"""
import hashlib
import re
import sys

# role: (C type, Fortran local)
# The Fortran local is the expression that turns the pointer `x_f` into what the hook wants; None:
# the hook never looks at it. "{}" stands for the argument's name.
ROLES = {
    "cbuf": ("const void*", "fortran_buffer({}_f)"),
    "buf": ("void*", "fortran_buffer({}_f)"),
    "count": ("int", "*{}_f"),
    "counts": ("const int*", "{}_f"),
    "displs": ("const int*", None),
    "int": ("int", "*{}_f"),
    "ints": ("const int*", None),
    "outints": ("int*", None),
    "logical": ("int", None),
    "logicals": ("const int*", None),
    "bigcount": ("MPI_Count", "*{}_f"),
    "unit": ("int", None),
    "aint": ("MPI_Aint", None),
    "aints": ("const MPI_Aint*", None),
    "type": ("MPI_Datatype", "PMPI_Type_f2c(*{}_f)"),
    "types": ("const MPI_Datatype*", "FortranTypes{{{}_f}}"),
    "op": ("MPI_Op", "PMPI_Op_f2c(*{}_f)"),
    "comm": ("MPI_Comm", "PMPI_Comm_f2c(*{}_f)"),
    "newcomm": ("MPI_Comm*", "FortranComm{{{}_f}}"),
    "request": ("MPI_Request*", "FortranRequests{{{}_f}}"),
    "requests": ("MPI_Request*", "FortranRequests{{{}_f}}"),
    "inrequest": ("MPI_Request", "PMPI_Request_f2c(*{}_f)"),
    "status": ("MPI_Status*", "fortran_status({}_f)"),
    "statuses": ("MPI_Status*", "fortran_statuses({}_f)"),
    "flag": ("int*", "{}_f"),
    "provided": ("int*", "{}_f"),
    "index": ("int*", "Indices{{{}_f, 1}}"),
    "indices": ("int*", "Indices{{{}_f, 1}}"),
    "outcount": ("int*", "{}_f"),
    "message": ("MPI_Message*", "FortranMessage{{{}_f}}"),
    "win": ("MPI_Win", "PMPI_Win_f2c(*{}_f)"),
    "newwin": ("MPI_Win*", "FortranWin{{{}_f}}"),
    "info": ("MPI_Info", None),
    "infos": ("const MPI_Info*", None),
    "group": ("MPI_Group", None),
    "wgroup": ("MPI_Group", "PMPI_Group_f2c(*{}_f)"),
    "errhandler": ("MPI_Errhandler", None),
    "session": ("MPI_Session*", "FortranSession{{{}_f}}"),
    "file": ("MPI_File", "PMPI_File_f2c(*{}_f)"),
    "newfile": ("MPI_File*", "FortranFile{{{}_f}}"),
    "offset": ("MPI_Offset", None),
    "otype": ("MPI_Datatype", None),
    "oop": ("MPI_Op", None),
    "ocomm": ("MPI_Comm", None),
    "orequest": ("MPI_Request", None),
    "ostatus": ("MPI_Status*", None),
    "position": ("int*", None),
    "str": ("const char*", "fortran_string({0}_f, {0}_length)"),
    "argv": ("char**", None),
    "argvs": ("char***", None),
    "argc": ("int*", None),
    "argvp": ("char***", None),
}
# Of the large-count variants (MPI_X_c), where they differ.
LARGE = {
    "count": "MPI_Count",
    "counts": "const MPI_Count*",
    "displs": "const MPI_Aint*",
    "unit": "MPI_Aint",
    "position": "MPI_Count*",
}
# What the hook gets in C where it is not the argument itself.
C_LOCAL = {
    "newcomm": "CComm{{{}}}",
    "request": "CRequests{{{}}}",
    "requests": "CRequests{{{}}}",
    "status": "c_status({})",
    "statuses": "c_statuses({})",
    "index": "Indices{{{}, 0}}",
    "indices": "Indices{{{}, 0}}",
    "message": "CMessage{{{}}}",
    "newwin": "CWin{{{}}}",
    "newfile": "CFile{{{}}}",
    "session": "CSession{{{}}}",
}
# The wrapper's first statement. It makes the compiler give the wrapper a frame pointer, too.
NOTE_FRAME = "  call_frame = static_cast<const std::uint64_t*>(__builtin_frame_address(0));"
STRINGS = ("str", "argv", "argvs")  # have a hidden length in Fortran
REPLACED = ("status", "statuses")  # the hook hands its own to the call
BUFFERS = ("buf", "cbuf")


def parse_arguments(text):
    return [tuple(a.split()) for a in text.split(",") if a.strip()]


class MpiCall:
    def __init__(self, name, arguments=(), hook=None, fortran=None, mpi4=False, extension=False):
        self.name = name
        self.mpi4 = mpi4
        self.extension = extension  # of Open MPI 4, as MPIX_
        self.arguments = arguments
        self.fortran = arguments if fortran is None else fortran
        self.recorded = hook is not None
        if self.recorded:
            self.hook, self.hook_arguments = re.fullmatch(r"(\w+)\((.*)\)", hook).groups()
        self.identifier = name.lower()

    @property
    def large(self):
        roles = [role for role, _ in self.arguments]
        return "count" in roles or "counts" in roles or "unit" in roles

    @property
    def has_logical(self):
        return any(role in ("flag", "logical", "logicals") for role, _ in self.arguments)

    @property
    def reaches_c(self):
        """Whether MPICH's mpi_f08 calls the function of C."""
        return not self.recorded or any(role in BUFFERS for role, _ in self.arguments)


def read_table(path):
    calls = []
    with open(path, encoding="utf-8") as table:
        for line in table:
            line = line.split("#")[0].strip()
            if not line:
                continue
            if line[0] == "!":
                calls += [MpiCall(name) for name in line[1:].split()]
                continue
            fields = [f.strip() for f in line.split("|")]
            name, arguments, hook = fields[0], parse_arguments(fields[1]), fields[2]
            fortran = parse_arguments(fields[3]) if len(fields) > 3 else None
            if not name.startswith("+"):
                calls.append(MpiCall(name.lstrip("*"), arguments, hook, fortran, name[0] == "*"))
                continue
            name = name[1:]
            calls.append(MpiCall(name, arguments, hook[:-1] + ", none)", fortran))
            calls.append(MpiCall("I" + name.lower(), arguments + [("request", "r")],
                                 hook[:-1] + ", r)", fortran))
            calls.append(MpiCall(name + "_init", arguments + [("info", "info"), ("request", "r")],
                                 hook[:-1] + ", persistent(r))", fortran, True, True))
    return calls


def symbols(calls):
    """(kind, symbol, call) of everything interposed, in the order of its number."""
    for call in calls:
        yield "c", f"MPI_{call.name}", call
        if call.large:
            yield "large", f"MPI_{call.name}_c", call
        if call.extension:
            yield "extension", f"MPIX_{call.name}", call
        yield "mpif", f"mpi_{call.identifier}_", call
        yield "ompi_f08", f"ompi_{call.identifier}_f", call
        if not call.reaches_c:
            # Open MPI's mpi_f08 reaches ompi_x_f, unless LOGICALs must be converted.
            kind = "f08" if call.has_logical else "mpich_f08"
            yield kind, f"mpi_{call.identifier}_f08_", call


def guard_of(kind, call):
    """The condition of the preprocessor under which a symbol is wrapped; empty: always."""
    if not call.recorded:
        return "0"
    needs_mpi4 = call.mpi4 and kind != "extension"
    return " && ".join(g for g in (GUARD.get(kind), needs_mpi4 and "SLK_MPI_4") if g)


def unwrapped_entry(kind, call):
    """The table's entry where a symbol is not wrapped: with its name where calls are lost by that."""
    if kind in ("large", "extension") or (call.recorded and not call.mpi4):
        return "    {nullptr, nullptr, nullptr},"
    entry = f'    {{nullptr, "MPI_{call.name}", nullptr}},'
    if kind not in GUARD:
        return entry
    return f"#if {GUARD[kind]}\n{entry}\n#else\n    {{nullptr, nullptr, nullptr}},\n#endif"


def own_status(arguments):
    """The lambda's parameter: the status to fill; nullptr: what the program gave."""
    return "MPI_Status* own_" if any(role in REPLACED for role, _ in arguments) else ""


def c_wrapper(call, kind):
    large = kind == "large"
    suffix = "_c" if large else ""
    types = {r: t[0] for r, t in ROLES.items()} | (LARGE if large else {})
    parameters = [f"{types[role]} {name}" for role, name in call.arguments]
    if call.name == "Pcontrol":
        return pcontrol_wrapper()
    passed = [f"own_ != nullptr ? own_ : {name}" if role in REPLACED else name
              for role, name in call.arguments]
    own = own_status(call.arguments)
    # A library of MPI 3 lacks these; what it lacks no program calls.
    weak = [f"#pragma weak PMPI_{call.name}{suffix}"] if large or call.mpi4 else []
    name = f"MPI_{call.name}{suffix}"
    declared = [*weak, next_pointer(call.name + suffix)]
    if kind == "extension":
        name = f"MPIX_{call.name}"
        declared = [f"static int (*next_{name})({', '.join(parameters)});"]
    out = [*declared, f"int slk_{name}({', '.join(parameters)}) {{", NOTE_FRAME]
    locals_ = {name: C_LOCAL[role].format(name) for role, name in call.arguments
               if role in C_LOCAL}
    out.append(hook_call(call, locals_, own, 
                         f"return next_{name}({', '.join(passed)});"))
    out.append("}")
    return "\n".join(out)


def next_pointer(name):
    return f"static decltype(&PMPI_{name}) next_MPI_{name} = PMPI_{name};"


def pcontrol_wrapper():
    # The only variadic call. The name is read for our own levels only (slackline.h).
    return next_pointer("Pcontrol") + """
int slk_MPI_Pcontrol(const int level, ...) {
""" + NOTE_FRAME + """
  const char* name = nullptr;
  if (is_named_level(level)) {
    va_list rest;
    va_start(rest, level);
    name = va_arg(rest, const char*);
    va_end(rest);
  }
  return pcontrol(SLK_OP_pcontrol, level, name, [&]() { return next_MPI_Pcontrol(level); });
}"""


def hook_call(call, locals_, own, body):
    arguments = call.hook_arguments
    for name, local in locals_.items():
        arguments = re.sub(rf"\b{name}\b", local, arguments)
    if call.name == "Pcontrol":
        arguments += ", nullptr"
    arguments = ", ".join(a for a in [f"SLK_OP_{call.identifier}", arguments] if a)
    return f"  return {call.hook}({arguments}, [&]({own}) {{ {body} }});"


def fortran_wrapper(call, symbol, has_ierr):
    pointer = {"count": "MPI_Fint*", "counts": "MPI_Fint*", "int": "MPI_Fint*",
               "bigcount": "MPI_Count*"}

    def parameter(role, name):
        if role in ("cbuf", "buf", "str"):
            return f"void* {name}_f"
        opaque = ROLES[role][1] is None
        return f"{'void' if opaque else pointer.get(role, 'MPI_Fint')}* {name}_f".replace("**", "*")

    parameters = [parameter(role, name) for role, name in call.fortran]
    passed = [f"own_ != nullptr ? reinterpret_cast<MPI_Fint*>(own_) : {name}_f"
              if role in REPLACED else f"{name}_f" for role, name in call.fortran]
    types = [p.rsplit(" ", 1)[0] for p in parameters]
    if has_ierr:
        parameters.append("MPI_Fint* ierr_f")
        types.append("MPI_Fint*")
        passed.append("ierr_")
    elif symbol.endswith("_f08_"):
        # MPICH's MPI_Pcontrol has an optional ierror, but not in all versions: never read here.
        parameters.append("void* ierr_f")
        types.append("void*")
        passed.append("ierr_f")
    for role, name in call.fortran:
        if role in STRINGS:
            parameters.append(f"std::size_t {name}_length")
            types.append("std::size_t")
            passed.append(f"{name}_length")
    own = own_status(call.fortran)
    locals_ = {}
    for role, name in call.fortran:
        if ROLES[role][1] is not None:
            locals_[name] = ROLES[role][1].format(name)
    lines = [f"static void (*next_{symbol})({', '.join(types)});",
             f"void slk_{symbol}({', '.join(parameters)}) {{", NOTE_FRAME]
    if has_ierr:
        lines.append("  MPI_Fint unused_ = 0;")
        lines.append("  MPI_Fint* const ierr_ = ierr_f != nullptr ? ierr_f : &unused_;")
    result = "*ierr_" if has_ierr else "0"
    body = f"next_{symbol}({', '.join(passed)}); return static_cast<int>({result});"
    lines.append(hook_call(call, locals_, own, body).replace("  return ", "  ", 1))
    lines.append("}")
    return "\n".join(lines)


NEXT = {"mpif": '"pmpi_{}_"', "ompi_f08": '"ompi_{}_f"', "mpich_f08": '"pmpir_{}_f08_"',
        "f08": 'SLK_PMPI_F08 "{}_f08_"'}
GUARD = {"large": "SLK_MPI_4", "extension": "SLK_OPENMPI && !SLK_MPI_4", "mpif": "SLK_OPENMPI",
         "ompi_f08": "SLK_OPENMPI", "mpich_f08": "SLK_MPICH"}
IN_C = ("c", "large", "extension")


def wrappers(calls):
    out = ['extern "C" {']
    for kind, symbol, call in symbols(calls):
        if not call.recorded:
            continue
        guard = guard_of(kind, call)
        if guard:
            out.append(f"#if {guard}")
        if kind in IN_C:
            out.append(c_wrapper(call, kind))
        else:
            out.append(fortran_wrapper(call, symbol, call.name != "Pcontrol"))
        if guard:
            out.append("#endif")
    out.append('}  // extern "C"')
    out.append("const Interposed kInterposed[] = {")
    for kind, symbol, call in symbols(calls):
        guard = guard_of(kind, call)
        if guard == "0":
            out.append(unwrapped_entry(kind, call))
            continue
        if guard:
            out.append(f"#if {guard}")
        if kind in IN_C:
            name = f'"P{symbol}"'
        else:
            name = NEXT[kind].format(call.identifier)
        out.append(f"    {{reinterpret_cast<void*>(slk_{symbol}), {name}, "
                   f"reinterpret_cast<void**>(&next_{symbol})}},")
        if guard:
            out.append(f"#else\n{unwrapped_entry(kind, call)}\n#endif")
    out.append("};")
    return "\n".join(out)


def stubs(calls):
    """Entry points that jump through a slot (entry_points.h)."""
    names = [symbol for _, symbol, _ in symbols(calls)]
    out = ["/* Generated by generate.py. */", "const char* const slk_symbol_names[] = {"]
    out += [f'    "{name}",' for name in names]
    out.append("};")
    out.append(f"const unsigned slk_symbol_count = {len(names)}u;")
    out.append("__asm__(")
    out += [f'    SLK_ENTRY("{name}", "{i}")' for i, name in enumerate(names)]
    out.append('    ".data\\n.p2align 3\\n.hidden slk_slots\\n.globl slk_slots\\nslk_slots:\\n"')
    out += [f'    SLK_SLOT("{i}")' for i in range(len(names))]
    out.append('    ".text\\n");')
    return "\n".join(out)


def main():
    table, what, path = sys.argv[1:4]
    calls = read_table(table)
    with open(table, "rb") as source:
        signature = hashlib.sha256(source.read()).hexdigest()[:15]
    text = wrappers(calls) if what == "wrappers" else stubs(calls)
    text = f"#define SLK_TABLE_SIGNATURE 0x{signature}ul\n" + text + "\n"
    with open(path, "w", encoding="utf-8") as out:
        out.write(text)


if __name__ == "__main__":
    main()
