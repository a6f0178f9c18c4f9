"""The table of MPI's calls (mpi_calls.txt says what its lines mean)."""
import re

# role: (C type, the recorder's Fortran local)
# The Fortran local is the expression that turns the pointer `x_f` into what the hook wants; None: no hook looks at it.
# "{}" stands for the argument's name.
ROLES = {
    "cbuf": ("const void*", "fortran_buffer({}_f)"),
    "buf": ("void*", "fortran_buffer({}_f)"),
    "outbuf": ("void*", None),
    "count": ("int", "*{}_f"),
    "counts": ("const int*", "{}_f"),
    "displs": ("const int*", None),
    "int": ("int", "*{}_f"),
    "ints": ("const int*", None),
    "outint": ("int*", None),
    "outsize": ("int*", None),
    "outints": ("int*", None),
    "logical": ("int", None),
    "logicals": ("const int*", None),
    "outlogicals": ("int*", None),
    "weights": ("const int*", None),
    "outweights": ("int*", None),
    "ranges": ("int (*{})[3]", None),
    "bigcount": ("MPI_Count", "*{}_f"),
    "unit": ("int", None),
    "outunit": ("int*", None),
    "aint": ("MPI_Aint", None),
    "aints": ("const MPI_Aint*", None),
    "outaint": ("MPI_Aint*", None),
    "type": ("MPI_Datatype", "PMPI_Type_f2c(*{}_f)"),
    "types": ("const MPI_Datatype*", "FortranTypes{{{}_f}}"),
    "op": ("MPI_Op", "PMPI_Op_f2c(*{}_f)"),
    "comm": ("MPI_Comm", "PMPI_Comm_f2c(*{}_f)"),
    "newcomm": ("MPI_Comm*", "FortranComm{{{}_f}}"),
    "oldcomm": ("MPI_Comm*", "FortranComm{{{}_f}}"),
    "request": ("MPI_Request*", "FortranRequests{{{}_f}}"),
    "requests": ("MPI_Request*", "FortranRequests{{{}_f}}"),
    "inrequests": ("const MPI_Request*", None),
    "inrequest": ("MPI_Request", "PMPI_Request_f2c(*{}_f)"),
    "status": ("MPI_Status*", "fortran_status({}_f, &spare_)"),
    "statuses": ("MPI_Status*", "fortran_statuses({}_f)"),
    "flag": ("int*", "{}_f"),
    "index": ("int*", "Indices{{{}_f, 1}}"),
    "indices": ("int*", "Indices{{{}_f, 1}}"),
    "outcount": ("int*", "{}_f"),
    "message": ("MPI_Message*", "FortranMessage{{{}_f}}"),
    "win": ("MPI_Win", "PMPI_Win_f2c(*{}_f)"),
    "newwin": ("MPI_Win*", "FortranWin{{{}_f}}"),
    "oldwin": ("MPI_Win*", "FortranWin{{{}_f}}"),
    "info": ("MPI_Info", None),
    "infos": ("const MPI_Info*", None),
    "group": ("MPI_Group", "PMPI_Group_f2c(*{}_f)"),
    "newgroup": ("MPI_Group*", None),
    "oldgroup": ("MPI_Group*", None),
    "errhandler": ("MPI_Errhandler", None),
    "session": ("MPI_Session*", "FortranSession{{{}_f}}"),
    "insession": ("MPI_Session", None),
    "query": ("MPI_Grequest_query_function*", None),
    "free": ("MPI_Grequest_free_function*", None),
    "cancel": ("MPI_Grequest_cancel_function*", None),
    "file": ("MPI_File", "PMPI_File_f2c(*{}_f)"),
    "newfile": ("MPI_File*", "FortranFile{{{}_f}}"),
    "offset": ("MPI_Offset", None),
    "outoffset": ("MPI_Offset*", None),
    "attribute": ("void*", None),
    "position": ("int*", None),
    "str": ("const char*", "fortran_string({0}_f, {0}_length)"),
    "outstr": ("char*", None),
    "argv": ("char**", None),
    "argvs": ("char***", None),
    "argc": ("int*", None),
    "argvp": ("char***", None),
}
C_ALONE = ("argc", "argvp")  # not in Fortran
# Of the large-count variants (MPI_X_c), where they differ.
LARGE = {"count": "MPI_Count", "counts": "const MPI_Count*", "displs": "const MPI_Aint*", "unit": "MPI_Aint", "outunit": "MPI_Aint*",
         "position": "MPI_Count*", "outsize": "MPI_Count*"}
BUFFERS = ("buf", "cbuf")
LOGICALS = ("flag", "logical", "logicals", "outlogicals")
FIELD = re.compile(r"(?:(local|any)(?: |$))?(\w+)?(\?)?(?:\((.*)\))?(\*)?")


class Use:
    """What one user of the table does with a call: [local|any] name[?][(arguments)][*]"""

    def __init__(self, text):
        self.word, self.name, may_fail, self.arguments, star = FIELD.fullmatch(text).groups()
        self.may_fail, self.star = may_fail is not None, star is not None


class MpiCall:
    def __init__(self, name, arguments, uses, mpi4=False, extension=False, blocking=None):
        self.prefix = "MPIX_" if name.startswith("MPIX_") else "MPI_"
        self.name, self.arguments, self.mpi4 = name.removeprefix("MPIX_"), arguments, mpi4
        self.extension = extension  # of Open MPI 4, as MPIX_
        self.identifier = self.name.lower()
        record, replay, online = uses
        self.interposed = record != ""
        self.record = Use(self.resolve(record)) if record not in ("", "!") else None
        self.replay = Use(replay) if replay else None
        self.online = Use(self.resolve(online)) if online else None
        self.blocking = blocking  # the operation and what simulates it, of a call that has several forms

    def resolve(self, text):
        started = "i" + self.identifier.removesuffix("_init")
        return text.replace("SLK_STARTED", f"SLK_OP_{started}").replace("SLK_OP,", f"SLK_OP_{self.identifier},")

    @property
    def roles(self):
        return [role for role, _ in self.arguments]

    @property
    def large(self):
        return any(role in ("count", "counts", "unit", "outunit", "outsize") for role in self.roles)

    @property
    def has_logical(self):
        return any(role in LOGICALS for role in self.roles)

    @property
    def has_buffer(self):
        return any(role in BUFFERS for role in self.roles)

    @property
    def fortran(self):
        return [argument for argument in self.arguments if argument[0] not in C_ALONE]

    def parameters(self, large=False):
        types = {role: kind for role, (kind, _) in ROLES.items()} | (LARGE if large else {})
        return [declaration(types[role], name) for role, name in self.arguments] or ["void"]


def declaration(kind, name):
    return kind.format(name) if "{}" in kind else f"{kind} {name}"


def with_last(use, last):
    """A use with one more argument."""
    return use and use[:use.rindex(")")] + f", {last})"


def forms(name, arguments, uses):
    """The blocking, the nonblocking and the persistent form of a call."""
    record, replay, online = uses
    request = ("request", "r")
    blocking = (name.lower(), Use(online).name)
    yield MpiCall(name, arguments, (with_last(record, "none"), replay, with_last(online, "NULL")), blocking=blocking)
    yield MpiCall("I" + name.lower(), arguments + [request], (with_last(record, "r"), replay, with_last(online, "r")),
                  blocking=blocking)
    yield MpiCall(name + "_init", arguments + [("info", "info"), request],
                  (with_last(record, "persistent(SLK_STARTED, r)"), "", "local keep(&a, r)"), True, True, blocking)


def read_table(path):
    calls = []
    with open(path, encoding="utf-8") as table:
        for line in table:
            fields = [field.strip() for field in line.split("#")[0].split("|")]
            if not fields[0]:
                continue
            names, given, *uses = fields + [""] * (5 - len(fields))
            arguments = [tuple(argument.split()) for argument in given.split(",") if argument.strip()]
            for name in names.split():
                if name[0] == "+":
                    calls += forms(name[1:], arguments, uses)
                else:
                    calls.append(MpiCall(name.lstrip("*"), arguments, uses, name[0] == "*"))
    return calls
