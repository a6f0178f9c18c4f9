"""The replay: who makes the calls of an operation, and the calls, from their arguments in one struct."""
from calls import ROLES, declaration


def made(calls):
    """The calls of operations that a trace has."""
    return [call for call in calls if call.replay is not None]


def declarations(calls):
    members = {}
    for call in made(calls):
        for role, name in call.arguments if call.replay.arguments is None else ():
            kind = ROLES[role][0]
            if members.setdefault(name, kind) != kind:
                raise ValueError(f"MPI_{call.name}: {name} is a {kind}, and a {members[name]} in other calls")
    makers = dict.fromkeys(call.replay.name for call in made(calls))
    return "\n".join(["/* The arguments of all calls, by their names in the table of calls. */", "struct arguments {",
                      *(f"  {declaration(kind, name)};" for name, kind in members.items()), "};",
                      *(f"void {maker}(struct replay* r, const struct shape* s);" for maker in makers)])


def switch(cases, default):
    """Of cases (operation, statement): those with the same statement together."""
    alike = {}
    for operation, statement in cases:
        alike.setdefault(statement, []).append(operation)
    out = ["  switch (op) {"]
    for statement, operations in alike.items():
        out += [f"    case SLK_OP_{operation}:" for operation in operations]
        out.append(f"      {statement}")
    return [*out, f"    default:\n      {default}", "  }", "}"]


def definitions(calls):
    done = [call for call in made(calls) if call.replay.arguments is None]
    return "\n".join([
        "void call(uint8_t op, const struct arguments* a) {",
        *switch([(c.identifier, f"MPI_{c.name}({', '.join(f'a->{name}' for _, name in c.arguments)}); return;") for c in done],
                "return;"),
        "maker* maker_of(uint8_t op) {",
        *switch([(c.identifier, f"return {c.replay.name};") for c in made(calls)], "return elsewhere;"),
        "int is_warmed_up(uint8_t op) {",
        *switch([(c.identifier, "return 1;") for c in made(calls) if c.replay.star], "return 0;")])
