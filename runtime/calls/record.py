"""The recorder's wrappers and entry points."""
import re

from calls import ROLES, declaration

# What the hook gets in C where it is not the argument itself.
C_LOCAL = {
    "newcomm": "CComm{{{}}}",
    "oldcomm": "CComm{{{}}}",
    "request": "CRequests{{{}}}",
    "requests": "CRequests{{{}}}",
    "status": "c_status({}, &spare_)",
    "statuses": "c_statuses({})",
    "index": "Indices{{{}, 0}}",
    "indices": "Indices{{{}, 0}}",
    "message": "CMessage{{{}}}",
    "newwin": "CWin{{{}}}",
    "oldwin": "CWin{{{}}}",
    "newfile": "CFile{{{}}}",
    "session": "CSession{{{}}}",
}
# The wrapper's first statement. It makes the compiler give the wrapper a frame pointer, too.
NOTE_FRAME = "  call_frame = static_cast<const std::uint64_t*>(__builtin_frame_address(0));"
STRINGS = ("str", "argv", "argvs")  # have a hidden length in Fortran
NEXT = {"mpif": '"p{}"', "ompi_f08": '"ompi_{}_f"', "mpich_f08": '"pmpir_{}_f08_"',
        "f08": 'SLK_PMPI_F08 "{}_f08_"'}
GUARD = {"extension": "SLK_OPENMPI", "mpif": "SLK_OPENMPI", "ompi_f08": "SLK_OPENMPI", "mpich_f08": "SLK_MPICH",
         "f08": "(SLK_OPENMPI || SLK_MPICH)"}
IN_C = ("c", "large", "extension")


def symbols(calls):
    """(kind, symbol, call) of everything interposed, in the order of its number."""
    for call in calls:
        if not call.interposed:
            continue
        yield "c", call.prefix + call.name, call
        if call.large:
            yield "large", f"MPI_{call.name}_c", call
        if call.extension:
            yield "extension", f"MPIX_{call.name}", call
        yield "mpif", f"{call.prefix.lower()}{call.identifier}_", call
        if call.prefix != "MPI_":
            continue
        yield "ompi_f08", f"ompi_{call.identifier}_f", call
        if not call.has_buffer:  # else MPICH's mpi_f08 calls the function of C
            # Open MPI's mpi_f08 reaches ompi_x_f, unless LOGICALs must be converted.
            kind = "f08" if call.has_logical else "mpich_f08"
            yield kind, f"mpi_{call.identifier}_f08_", call


def guard_of(kind, call):
    """The condition of the preprocessor under which a symbol is wrapped; empty: always."""
    return "0" if call.record is None else GUARD.get(kind, "")


def unwrapped_entry(kind, call):
    """The table's entry where a symbol is not wrapped: with its name where calls are lost by that."""
    if call.record is not None:
        return "    {nullptr, nullptr, nullptr},"
    return f'    {{nullptr, "MPI_{call.name}", nullptr}},'


def seen(call, name):
    """Whether the hook looks at that argument."""
    return re.search(rf"\b{name}\b", call.record.arguments) is not None


def replaced(call, role, name):
    """Whether the hook hands its own to the call."""
    return role in ("status", "statuses") and seen(call, name)


def recorded(call, locals_, body, more=""):
    """The guard and the hook: `body` is the call itself."""
    status = any(replaced(call, *argument) for argument in call.arguments)
    given = "nullptr" if status else ""
    own = "MPI_Status* own_" if status else ""
    arguments = call.record.arguments + more
    for name, local in locals_.items():
        arguments = re.sub(rf"\b{name}\b", local, arguments)
    words = [f"SLK_OP_{call.identifier}", *([arguments] if arguments else []), "call_"]
    lines = [f"  const auto call_ = [&]({own}) {{ {body} }};"]
    if any(role == "status" and seen(call, name) for role, name in call.arguments):
        lines.append("  MPI_Status spare_;")
    if call.record.word != "any":
        lines += ["  Thread* const thread_ = enter();", f"  if (thread_ == nullptr) return call_({given});"]
        words.insert(0, "*thread_")
    return [*lines, f"  return {call.record.name}({', '.join(words)});", "}"]


def next_pointer(name):
    return f"static decltype(&PMPI_{name}) next_MPI_{name} = PMPI_{name};"


def c_wrapper(call, kind):
    if call.name == "Pcontrol":
        return pcontrol_wrapper(call)
    suffix = "_c" if kind == "large" else ""
    parameters = ", ".join(call.parameters(kind == "large"))
    passed = [f"own_ != nullptr ? own_ : {name}" if replaced(call, role, name) else name for role, name in call.arguments]
    name = ("MPIX_" if kind == "extension" else call.prefix) + call.name + suffix
    # The header may lack what is newer than MPI 3, though the program's library has it.
    newer = kind != "c" or call.mpi4 or call.prefix != "MPI_"
    declared = f"static int (*next_{name})({parameters});" if newer else next_pointer(call.name)
    locals_ = {name: C_LOCAL[role].format(name) for role, name in call.arguments if role in C_LOCAL}
    return "\n".join([declared, f"int slk_{name}({parameters}) {{", NOTE_FRAME,
                      *recorded(call, locals_, f"return next_{name}({', '.join(passed)});")])


def pcontrol_wrapper(call):
    # The only variadic call. The name is read for our own levels only (slackline.h).
    return "\n".join([next_pointer("Pcontrol"), "int slk_MPI_Pcontrol(const int level, ...) {", NOTE_FRAME, """
  const char* name = nullptr;
  if (is_named_level(level)) {
    va_list rest;
    va_start(rest, level);
    name = va_arg(rest, const char*);
    va_end(rest);
  }""", *recorded(call, {}, "return next_MPI_Pcontrol(level);", ", name")])


def fortran_wrapper(call, symbol):
    pointer = {"count": "MPI_Fint*", "counts": "MPI_Fint*", "int": "MPI_Fint*", "bigcount": "MPI_Count*"}

    def kind(role, name):
        opaque = ROLES[role][1] is None or not seen(call, name)
        return "void*" if opaque or role in ("cbuf", "buf", "str") else pointer.get(role, "MPI_Fint*")

    has_error = call.name != "Pcontrol"
    # (type, name, what is passed on)
    parameters = [(kind(role, name), f"{name}_f",
                   f"own_ != nullptr ? reinterpret_cast<MPI_Fint*>(own_) : {name}_f" if replaced(call, role, name)
                   else f"{name}_f") for role, name in call.fortran]
    if has_error:
        parameters.append(("MPI_Fint*", "ierr_f", "ierr_"))
    elif symbol.endswith("_f08_"):
        # MPICH's MPI_Pcontrol has an optional ierror, but not in all versions: never read here.
        parameters.append(("void*", "ierr_f", "ierr_f"))
    parameters += [("std::size_t", f"{name}_length", f"{name}_length") for role, name in call.fortran if role in STRINGS]
    locals_ = {name: ROLES[role][1].format(name) for role, name in call.fortran if ROLES[role][1] is not None}
    types, _, passed = ([part[i] for part in parameters] for i in range(3))
    lines = [f"static void (*next_{symbol})({', '.join(types)});",
             f"void slk_{symbol}({', '.join(declaration(*part[:2]) for part in parameters)}) {{", NOTE_FRAME]
    if has_error:
        lines += ["  MPI_Fint unused_ = 0;", "  MPI_Fint* const ierr_ = ierr_f != nullptr ? ierr_f : &unused_;"]
    body = f"next_{symbol}({', '.join(passed)}); return static_cast<int>({'*ierr_' if has_error else '0'});"
    hook = recorded(call, locals_, body, "" if has_error else ", nullptr")
    # A subroutine returns nothing.
    return "\n".join(lines + [re.sub(r"return (call_\(.*?\));", r"return void(\1);", line) if line.startswith("  if")
                              else line.replace("  return ", "  ") for line in hook])


def guarded(guard, text, otherwise=None):
    if not guard:
        return text
    return f"#if {guard}\n{text}\n" + (f"#else\n{otherwise}\n" if otherwise else "") + "#endif"


def wrappers(calls):
    out = ['extern "C" {']
    for kind, symbol, call in symbols(calls):
        if call.record is not None:
            text = c_wrapper(call, kind) if kind in IN_C else fortran_wrapper(call, symbol)
            out.append(guarded(guard_of(kind, call), text))
    out.append('}  // extern "C"')
    out.append("const Interposed kInterposed[] = {")
    for kind, symbol, call in symbols(calls):
        guard = guard_of(kind, call)
        if guard == "0":
            out.append(unwrapped_entry(kind, call))
            continue
        name = f'"P{symbol}"' if kind in IN_C else NEXT[kind].format(symbol if kind == "mpif" else call.identifier)
        entry = (f"    {{reinterpret_cast<void*>(slk_{symbol}), {name}, "
                 f"reinterpret_cast<void**>(&next_{symbol})}},")
        out.append(guarded(guard, entry, unwrapped_entry(kind, call)))
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


def prototypes(calls):
    """The functions of MPI in the table whose arguments are known, as runtime/abi/mpi.h declares them."""
    out = []
    for call in calls:
        if call.prefix != "MPI_" or (call.record is None and call.online is None):
            continue
        level = ["const int level", "..."] if call.name == "Pcontrol" else None
        out.append(f"SLK_WEAK int PMPI_{call.name}({', '.join(level or call.parameters())});")
        if call.large:
            out.append(f"SLK_WEAK int PMPI_{call.name}_c({', '.join(call.parameters(True))});")
    return "\n".join(out)
