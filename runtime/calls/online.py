"""On-line simulation: the functions of MPI, what they call, and their interfaces of Fortran, which convert the arguments and
call the functions of C.

mpif.h and `use mpi` of Open MPI reach mpi_x_, its mpi_f08 ompi_x_f or, where LOGICALs must be converted, mpi_x_f08_; MPICH's
mpif.h reaches the C functions by itself, and so does its mpi_f08 where a call has a buffer."""
from calls import ROLES, declaration

# Of Arguments, where a call lacks them.
ABSENT = {"root": "-1", "stype": "MPI_DATATYPE_NULL", "rtype": "MPI_DATATYPE_NULL"}


def is_given(call):
    """Whether it has all arguments in one struct."""
    return call.online is not None and "&a" in (call.online.arguments or "")


def words_of(call):
    text = "..." if call.online.arguments is None else call.online.arguments
    return text.replace("...", ", ".join(name for _, name in call.arguments))


def type_of(word, call):
    """The C type of what is handed on; None where it does not show."""
    types = {name: ROLES[role][0] for role, name in call.arguments}
    if word == "&a":
        return "const Arguments*"
    if word.startswith("SLK_OP_"):
        return "enum slk_operation"
    return "int" if word.isdigit() else types.get(word)


def given(call):
    """The arguments that all forms of a call have."""
    return [(role, name) for role, name in call.arguments if role not in ("request", "info")]


def given_struct(calls):
    members = {name: ROLES[role][0] for call in calls if is_given(call) for role, name in given(call)}
    return ["/* The arguments of a call that has several forms; what it lacks is 0, but for a root of -1 and null types. */",
            "typedef struct Arguments {", "  int (*perform)(const struct Arguments*, MPI_Request*);",
            "  enum slk_operation operation, nonblocking;",
            *(f"  {declaration(kind, name)};" for name, kind in members.items()), "} Arguments;"]


def declarations(calls):
    """The struct, and a prototype of each function that simulates."""
    found = {}
    for call in calls:
        if call.online is None or call.online.name in (None, "refused", "own"):
            continue
        words = [word for word in words_of(call).split(", ") if word]
        types = [type_of(word, call) for word in words]
        if None not in types:
            parameters = ", ".join(declaration(kind, "") if "{}" in kind else kind for kind in types)
            result = "int" if call.online.may_fail else "void"
            found.setdefault(call.online.name, f"{result} simulate_{call.online.name}({parameters or 'void'});")
    return "\n".join([*given_struct(calls), *found.values()])


def function(call):
    online = call.online
    body = []
    if is_given(call):
        operation, performer = call.blocking
        names = [name for _, name in given(call)]
        fields = [f".perform = simulate_{performer}", f".operation = SLK_OP_{operation}", f".nonblocking = SLK_OP_i{operation}",
                  *(f".{name} = {name}" for name in names),
                  *(f".{name} = {value}" for name, value in ABSENT.items() if name not in names)]
        body.append(f"const Arguments a = {{{', '.join(fields)}}};")
    inside = online.word != "local"
    if inside:
        body.append(f'enter_call("MPI_{call.name}", __builtin_frame_address(0));')
    if online.name is not None:
        body.append(f"{'const int error = ' if online.may_fail else ''}simulate_{online.name}({words_of(call)});")
    if inside:
        body.append("leave_call();")
    body.append(f"return {'error' if online.may_fail else 'MPI_SUCCESS'};")
    macro = "MPI_4_FUNCTION" if call.mpi4 else "MPI_FUNCTION"
    return "\n".join([f"{macro}({call.name}, ({', '.join(call.parameters())})) {{", *(f"  {line}" for line in body), "}"])


def functions(calls):
    out = []
    for call in calls:
        if call.online is None or call.online.name == "own":
            continue
        out.append(f"REFUSED({call.name})" if call.online.name == "refused" else function(call))
        if call.large:
            out.append(f"REFUSED({call.name}_c)")
    return "\n".join(out)


def old(kind):
    return (f"MPI_{kind} {{0}} = PMPI_{kind}_f2c(*{{0}}_f);", "&{0}", f"*{{0}}_f = PMPI_{kind}_c2f({{0}});")


def new(kind):
    return (f"MPI_{kind} {{0}} = MPI_{kind.upper()}_NULL;", "&{0}", f"*{{0}}_f = PMPI_{kind}_c2f({{0}});")


def several(role, last):
    """Statuses: those that a call fills are as many as `last`."""
    kind = "1" if role == "status" else "*n_f"
    return (f"MPI_Status* const {{0}} = statuses_for({{0}}_f, {kind});", "{0}", f"store_statuses({{0}}, {{0}}_f, {last or kind});")


# role: (statement before the call, what is passed, statement after it); "{0}" is the argument. Without an entry a call has no
# interface here.
FORTRAN = {
    **dict.fromkeys(("buf", "cbuf"), ("", "buffer_of({0}_f)", "")),
    **dict.fromkeys(("count", "int", "unit"), ("", "*{0}_f", "")),
    **dict.fromkeys(("counts", "displs", "ints", "outint", "outints", "outunit", "outcount", "logicals", "outlogicals"), ("", "{0}_f", "")),
    **{role: ("", f"PMPI_{kind}_f2c(*{{0}}_f)", "")
       for role, kind in (("type", "Type"), ("op", "Op"), ("comm", "Comm"), ("win", "Win"), ("info", "Info"))},
    "aint": ("", "*(const MPI_Aint*)(const void*){0}_f", ""),
    "outaint": ("", "(MPI_Aint*)(void*){0}_f", ""),
    "types": ("MPI_Datatype* const {0} = types_of({0}_f, comm_members(PMPI_Comm_f2c(*c_f)));", "{0}", "free({0});"),
    "newcomm": new("Comm"),
    "oldcomm": old("Comm"),
    "newwin": new("Win"),
    "oldwin": old("Win"),
    "group": ("", "group_of(*{0}_f)", ""),
    "newgroup": ("MPI_Group {0} = MPI_GROUP_NULL;", "&{0}", "*{0}_f = number_of_group({0});"),
    "oldgroup": ("MPI_Group {0} = group_of(*{0}_f);", "&{0}", "*{0}_f = number_of_group({0});"),
    "ranges": ("", "(int(*)[3])(void*){0}_f", ""),
    "inrequest": ("", "request_of(*{0}_f)", ""),
    "request": ("MPI_Request {0} = request_of(*{0}_f);", "&{0}", "*{0}_f = number_of_request({0});"),
    "requests": ("MPI_Request* const {0} = requests_of({0}_f, *n_f);", "{0}", "store_requests({0}, {0}_f, *n_f);"),
    "flag": ("int {0} = 0;", "&{0}", "*{0}_f = {0} != 0;"),
    "index": ("int {0} = 0;", "&{0}", "*{0}_f = {0} == MPI_UNDEFINED ? {0} : {0} + 1;"),
    "indices": ("", "{0}_f", "for (int k = 0; k < *out_f; ++k) ++{0}_f[k];"),
    "logical": ("", "*{0}_f != 0", ""),
}


def symbols(call):
    """(symbol, preprocessor's condition)"""
    low = call.identifier
    found = [(f"mpi_{low}_", "SLK_OPENMPI"), (f"ompi_{low}_f", "SLK_OPENMPI")]
    if low in ("win_allocate", "win_allocate_shared"):
        found += [(f"mpi_{low}_cptr_", "SLK_OPENMPI"), (f"ompi_{low}_cptr_f", "SLK_OPENMPI")]
    if not call.has_buffer:
        found.append((f"mpi_{low}_f08_", "1" if call.has_logical else "!SLK_OPENMPI"))
    return found


def interface(call, conversions):
    before, passed, after = ([conversion[i].format(name) for conversion, (_, name) in zip(conversions, call.arguments)]
                             for i in range(3))
    parameters = [f"{'void*' if role.endswith('buf') else 'MPI_Fint*'} {name}_f" for role, name in call.arguments]
    parameters = ", ".join([*parameters, "MPI_Fint* error_f"])
    text = [f"static void fortran_{call.name}({parameters}) {{", *before,
            f"const int error = MPI_{call.name}({', '.join(passed)});", *after, "if (error_f != NULL) *error_f = error;", "}"]
    given = ", ".join([*(f"{name}_f" for _, name in call.arguments), "error_f"])
    for symbol, condition in symbols(call):
        text += [f"#if {condition}", f"EXPORT void {symbol}({parameters});",
                 f"EXPORT void {symbol}({parameters}) {{ fortran_{call.name}({given}); }}", "#endif"]
    if call.has_buffer:
        text = ["#if SLK_OPENMPI", *text, "#endif"]
    return "\n".join(line for line in text if line)


def fortran(calls):
    out = ["/* Generated by generate.py. */"]
    for call in calls:
        if call.online is None or call.online.name == "refused" or call.mpi4:
            continue
        some = "(*out_f >= 0 ? *out_f : 0)" if "outcount" in call.roles else None
        known = FORTRAN | {role: several(role, some) for role in ("status", "statuses")}
        if all(role in known for role in call.roles):
            out.append(interface(call, [known[role] for role in call.roles]))
    return "\n".join(out)
