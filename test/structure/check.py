#!/usr/bin/env python3
"""Checks of the source tree itself. usage: check.py CHECK ROOT [BINARY]"""
import ast
import os
import pathlib
import re
import subprocess
import sys

# A folder under src/ may include what is listed; so the order of this table is the layers' order.
MAY_INCLUDE = {
    "base": [],
    "parallel": ["base"],
    "report": ["base"],
    "training": ["base", "report"],
    "trace": ["base"],
    "calls": ["base", "trace"],
    "whatif": ["base", "trace", "calls"],
    "replay": ["base", "trace", "calls"],
    "formats": ["base", "parallel", "training", "trace", "calls"],
    "jobs": ["base", "parallel", "trace", "calls", "formats"],
    "stretches": ["base", "parallel", "trace", "calls", "formats"],
    "graph": ["base", "training", "trace", "calls"],
    "timing": ["base", "trace", "calls", "formats", "graph"],
    "calibration": ["base", "report", "calls", "timing"],
    "sim": ["base", "trace", "calls", "graph"],
    "online": ["base", "trace", "calls", "formats", "graph", "sim"],
    "analysis": ["base", "report", "training", "trace", "calls", "graph", "timing", "sim"],
    "advice": ["base", "report", "trace", "whatif", "calls", "graph", "timing", "analysis"],
    "page": ["base", "report", "training", "trace", "calls", "graph", "timing", "sim", "analysis"],
    "app": ["base", "parallel", "stretches", "report", "training", "trace", "whatif", "replay", "calls", "formats", "graph", "timing", "calibration", "sim", "online", "analysis",
            "advice", "page"],
    "cli": ["base", "parallel", "report", "trace", "whatif", "calls", "formats", "jobs", "graph", "timing", "sim",
            "analysis", "page", "app"],
}
# Tests write their traces in the text forms.
TESTS_MAY_INCLUDE = {"formats"}
# What runs inside MPI jobs shares this with the tool, and nothing else.
RUNTIME_MAY_INCLUDE = ("trace/wire.h", "trace/sample_wire.h", "trace/replay_wire.h", "trace/online_wire.h", "parallel/process_interface.h")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
SOURCES = {".cc", ".h", ".c"}
README_LINES = 80

# Lines of production code by folder, at most. Growth is a decision: raise a number with a decision record (doc/decisions)
# that says what it buys; lower it when a folder has shrunk.
LINES_AT_MOST = {
    "python": 5300, "runtime/calibrate": 780, "runtime/calls": 700, "runtime/inject": 2120, "runtime/online": 6360,
    "runtime/parallel": 200, "runtime/abi": 140, "runtime/record": 12540, "runtime/replay": 1420, "runtime/yield": 100,
    "src/advice": 2300, "src/analysis": 32480, "src/app": 15520, "src/base": 4620, "src/calibration": 3330,
    "src/calls": 8370, "src/cli": 4260, "src/formats": 30350, "src/graph": 10150, "src/jobs": 3115,
    "src/online": 3080, "src/page": 3700, "src/parallel": 900, "src/replay": 2755, "src/report": 3700,
    "src/sim": 12830, "src/stretches": 1000, "src/timing": 7450, "src/trace": 4010, "src/training": 2550,
    "src/whatif": 3400,
}
# Absolute paths that mean the same on every machine; beside them the tree's own folders (as in
# ROOT "/doc/x.md"). Any other is somebody's own.
SYSTEM_FOLDERS = {"bin", "dev", "etc", "lib", "nonexistent", "opt", "path", "proc", "scratch",
                  "sys", "tmp", "usr", "var"}
ABSOLUTE_PATH = re.compile(r"""(?:^|[\s"'`(=])/([a-z][\w-]*)/[\w.]""", re.MULTILINE)
CONFLICT = re.compile(r"^(<<<<<<<|>>>>>>>) ", re.MULTILINE)
ELLIPTIC_COMMENT = re.compile(r"^\s*(?:[^/\n]*[^/\n\s]\s+)?///?<? (Of|Likewise)\b(?! course)", re.MULTILINE)
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX)\b")


def tracked(root):
    names = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"],
                           cwd=root, stdout=subprocess.PIPE, text=True, check=True).stdout
    return [root / name for name in names.splitlines() if (root / name).is_file()]


def text_of(path):
    try:
        return path.read_text()
    except UnicodeDecodeError:
        return ""


def is_test(path):
    return path.stem.endswith("_test") or path.parent.name == "testing"


def includes(root):
    """Folders include only what stands before them, and runtime/ only the wire format."""
    for path in tracked(root):
        relative = path.relative_to(root)
        if path.suffix not in SOURCES or relative.parts[0] not in ("src", "runtime", "python"):
            continue
        for target in INCLUDE.findall(text_of(path)):
            folder = target.split("/")[0]
            if relative.parts[0] == "python":
                if folder == "cli":
                    yield f"{relative} includes {target}: the Python module fills in the requests of app"
            elif relative.parts[0] == "runtime":
                if folder in MAY_INCLUDE and target not in RUNTIME_MAY_INCLUDE:
                    yield f"{relative} includes {target}: runtime/ sees only the wire format"
            elif relative.parts[1] not in MAY_INCLUDE:
                yield f"{relative}: src/{relative.parts[1]} is not in the table of layers"
            elif folder in MAY_INCLUDE and folder != relative.parts[1] and \
                    folder not in MAY_INCLUDE[relative.parts[1]] and \
                    not (is_test(path) and folder in TESTS_MAY_INCLUDE):
                yield f"{relative} includes {target}: {relative.parts[1]} stands below {folder}"


IMPORT = re.compile(r"""(?:from|import)\s*\(?\s*["'](\.[^"']+)["']""")


def targets_of(path, root):
    """The files of the tree that a source includes or imports; imports without their extension."""
    if path.suffix in SOURCES:
        return [root / "src" / name for name in INCLUDE.findall(text_of(path))]
    return [pathlib.Path(os.path.normpath(path.parent / name)) for name in IMPORT.findall(text_of(path))]


def folder_edges(root):
    """From each folder, also those inside others, to the folders that its files include or import."""
    edges = {}
    for path in tracked(root):
        relative = path.relative_to(root)
        of_page = relative.parts[:2] == ("web", "src") and path.suffix in {".ts", ".tsx"}
        if is_test(path) or not (of_page or relative.parts[0] == "src" and path.suffix in SOURCES):
            continue
        for target in targets_of(path, root):
            if target.parent.is_dir() and target.parent != path.parent:
                edges.setdefault(path.parent, {})[target.parent] = relative
    return edges


def first_cycle(edges):
    """The first way that leads back to where it began, from node to node; None: there is none."""
    finished = set()

    def cycle_from(node, way):
        if node in way:
            return way[way.index(node):] + [node]
        if node in finished:
            return None
        for target in edges.get(node, {}):
            found = cycle_from(target, way + [node])
            if found:
                return found
        finished.add(node)
        return None

    return next((cycle for cycle in (cycle_from(node, []) for node in list(edges)) if cycle), None)


def folders(root):
    """No folder depends on itself by way of others, however deep they lie."""
    edges = folder_edges(root)
    if not edges:
        yield "no folder includes another; is the pattern still right?"
    if cycle := first_cycle(edges):
        steps = [f"{edges[a][b]} needs {b.relative_to(root)}" for a, b in zip(cycle, cycle[1:])]
        yield "folders depend on each other: " + "; ".join(steps)


def imports(root):
    """No module of the Python package imports itself by way of others, in functions or for type checkers either."""
    edges = {}
    for path in (root / "python/slackline").glob("*.py"):
        relative = [node for node in ast.walk(ast.parse(text_of(path))) if isinstance(node, ast.ImportFrom) and node.level]
        edges[path.stem] = dict.fromkeys(name for node in relative
                                         for name in ([node.module] if node.module else [a.name for a in node.names]))
    if not any(edges.values()):
        yield "no module of python/slackline imports another; is the folder still right?"
    if cycle := first_cycle(edges):
        yield "modules of python/slackline import each other: " + " -> ".join(cycle)


def layers(_root):
    """The table itself has no cycle: each folder names only earlier ones."""
    seen = set()
    for folder, allowed in MAY_INCLUDE.items():
        for name in set(allowed) - seen:
            yield f"{folder} may include {name}, which stands after it"
        seen.add(folder)


def nearest_readme(path):
    return next(folder / "README.md" for folder in path.parents if (folder / "README.md").exists())


def names_in_readme(readme):
    """A pattern for the names that it quotes; `walk*` and `cmd_<verb>` stand for several."""
    words = set(re.findall(r"(?:\w|<\w+>)+\*?", " ".join(re.findall(r"`([^`\n]+)`", readme.read_text()))))
    return re.compile("|".join(re.sub(r"<\w+>|\*", r"\\w*", word) for word in words))


def readmes(root):
    """Every folder under src/ explains itself on one page, which names its files or their folder."""
    names = {}
    for path in tracked(root):
        relative = path.relative_to(root)
        if path.suffix not in SOURCES or relative.parts[0] != "src" or is_test(path) or len(relative.parts) < 3:
            continue
        readme = nearest_readme(path)
        if readme not in names:
            names[readme] = names_in_readme(readme)
        below = path.relative_to(readme.parent)
        if not any(names[readme].fullmatch(name) for name in [*below.parts[:-1], path.stem]):
            yield f"{readme.relative_to(root)} does not mention {below}"
    for folder in sorted((root / "src").iterdir()):
        if not folder.is_dir():
            continue
        readme = folder / "README.md"
        if not readme.exists():
            yield f"src/{folder.name}/README.md is missing"
        elif len(readme.read_text().splitlines()) > README_LINES:
            yield f"src/{folder.name}/README.md is longer than a page ({README_LINES} lines)"


def paths(root):
    """No file speaks of one machine's folders, is left unfinished, or holds a merge conflict."""
    allowed = SYSTEM_FOLDERS | {folder.name for folder in root.iterdir() if folder.is_dir()}
    for path in tracked(root):
        if path == pathlib.Path(__file__).resolve() or path.name == ".gitignore":
            continue
        relative = path.relative_to(root)
        text = text_of(path)
        for folder in set(ABSOLUTE_PATH.findall(text)) - allowed:
            yield f"{relative} names a path under /{folder}/"
        if CONFLICT.search(text):
            yield f"{relative} holds a merge conflict"
        if path.suffix in SOURCES and UNFINISHED.search(text):
            yield f"{relative} has an unfinished place: {UNFINISHED.search(text).group()}"


def is_production(relative):
    return (relative.suffix in SOURCES | {".py"} and not is_test(relative)
            and "tests" not in relative.parts and not relative.stem.startswith("test_"))


def lines(root):
    """No folder has more lines of production code than LINES_AT_MOST says, nor far fewer."""
    counted = dict.fromkeys(LINES_AT_MOST, 0)
    for path in tracked(root):
        relative = path.relative_to(root)
        if relative.parts[0] not in ("src", "runtime", "python") or not is_production(relative):
            continue
        folder = "python" if relative.parts[0] == "python" else "/".join(relative.parts[:2])
        counted[folder] = counted.get(folder, 0) + text_of(path).count("\n")
    for folder, count in counted.items():
        most = LINES_AT_MOST.get(folder, 0)
        if count > most:
            yield f"{folder} has {count} lines of production code; LINES_AT_MOST allows {most}"
        if count < 0.95 * most - 100:
            yield f"{folder} has {count} lines of production code only: lower its {most} in LINES_AT_MOST"


def comments(root):
    """Comments are sentences: none begins with a word that leans on what stands before it."""
    for path in tracked(root):
        if path.suffix not in SOURCES | {".ts", ".tsx", ".mjs"}:
            continue
        for found in ELLIPTIC_COMMENT.finditer(text_of(path)):
            yield f"{path.relative_to(root)}: a comment begins with '{found.group(1)}'"


def links(root):
    """Links between the documents lead somewhere."""
    for path in tracked(root):
        if path.suffix != ".md":
            continue
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text_of(path)):
            if not (path.parent / target).exists():
                yield f"{path.relative_to(root)} links to {target}, which is not there"


# In the texts for contributors these stand for what they are about to write.
PLACEHOLDER = re.compile(r"foo|frobnicate")
REFERENCE = re.compile(r"(?<![\w/.<:-])((?:[\w-]+/)+[\w-]+\.(?:h|cc|md|py))\b")


def references(root):
    """A file that a comment or a document names is there."""
    folders = set(MAY_INCLUDE) | {folder.name for folder in root.iterdir() if folder.is_dir()}
    for path in tracked(root):
        if path.suffix not in SOURCES | {".md"}:
            continue
        for line in text_of(path).splitlines():
            comment = line if path.suffix == ".md" else line[line.find("//"):] if "//" in line else ""
            for name in REFERENCE.findall(comment):
                places = [root / name, root / "src" / name, path.parent / name]
                if name.split("/")[0] in folders and not PLACEHOLDER.search(name) and \
                        not any(place.exists() for place in places):
                    yield f"{path.relative_to(root)} names {name}, which is not there"


def networks(root):
    """Every named network stands in doc/networks.md."""
    page = (root / "doc/networks.md").read_text()
    code = (root / "src/timing/cost/loggps.cc").read_text()
    for name in re.findall(r'NamedNetwork\{\s*"([^"]+)"', code):
        if f"`{name}`" not in page:
            yield f"doc/networks.md does not mention {name}"


PRINTS = re.compile(r"\bstd::(?:cout|cerr|printf|puts)\b|\bfmt::print\b|#include <CLI/")


def terminals(root):
    """Only cli parses a command line and prints; progress is shown by base."""
    for path in tracked(root):
        relative = path.relative_to(root)
        if path.suffix not in SOURCES or relative.parts[0] != "src" or is_test(path) or \
                relative.parts[1] in ("cli", "base"):
            continue
        if found := PRINTS.search(text_of(path)):
            yield f"{relative} has {found.group()}: only cli prints"


NAMESPACE = re.compile(r"^namespace(?: ([\w:]+))? \{$")
CLASS = re.compile(r"^(?:class|struct) (\w+)(?: final)?(?: :.*)? \{")


def classes_of(path):
    """Classes that other files could see, with their namespaces."""
    namespaces = []
    for line in text_of(path).splitlines():
        if match := NAMESPACE.match(line):
            namespaces.append(match.group(1))
        elif line.startswith("}  // namespace") and namespaces:
            namespaces.pop()
        elif (match := CLASS.match(line)) and None not in namespaces:
            yield "::".join([*namespaces, match.group(1)])


def classes(root):
    """No two files of src/ define classes of one name: the linker would take them for one."""
    defined_in = {}
    for path in tracked(root):
        relative = path.relative_to(root)
        if path.suffix not in SOURCES or relative.parts[0] != "src":
            continue
        for name in classes_of(path):
            first = defined_in.setdefault(name, relative)
            if first != relative:
                yield f"{relative} defines {name}, which {first} does, too"


FINDING = re.compile(r'FindingKind\s+(\w+)\s*\{\s*"(\w+)",\s*Severity::(\w+),\s*((?:"(?:[^"\\]|\\.)*"\s*)+)\}')


def findings(root):
    """Every kind of Finding is defined once: one name, one severity, one sentence; and documented."""
    defined_in = {}
    page = (root / "doc/findings.md").read_text()
    for path in tracked(root):
        relative = path.relative_to(root)
        if path.suffix not in SOURCES or relative.parts[0] != "src" or is_test(path):
            continue
        found = FINDING.findall(text_of(path))
        if len(found) != len(re.findall(r"FindingKind\s+k[A-Z]\w*\s*[{=]", text_of(path))):
            yield f"{relative} defines a Finding in a way that this check cannot read"
        for constant, name, severity, literals in found:
            here = f"{relative} ({constant})"
            sentence = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', literals))
            row = f"| `{name}` | {severity.replace('_', ' ')} | {sentence} |"
            if row not in page:
                yield f"doc/findings.md lacks a row that begins with {row}"
            first = defined_in.setdefault(name, here)
            if first != here:
                yield f"{here} defines the Finding {name}, which {first} does, too"
    if not defined_in:
        yield "no Finding was found; is the pattern still right?"


# Calls are decoded, messages matched and collectives put together in one place each, and whoever
# needs that uses its types. What would be a second place is told by the types that it must have.
DECODES_CALLS = re.compile(r"case OperationClass::start:|\b(?:StartGroups|kStartGroup)\b")
STRUCT = re.compile(r"^( *)struct (\w+)[^;{]*\{\n(.*?)^\1\};", re.MULTILINE | re.DOTALL)
COUNTS_COLLECTIVES = re.compile(r"\+\+\w+\[[\w.>-]*comm\]|\[[\w.>-]*comm\]\+\+|\bCollectiveSequence\b")
DECODERS = {"src/calls/call_actions.h"}
CHANNELS = {"src/calls/message_queues.h", "src/trace/stream_matching.h"}
# An operation of GOAL and the channels by which such programs are contracted, not matched; and what polls waited for,
# which the call that succeeds tells.
NO_CHANNELS = {"src/trace/goal/program.h", "src/timing/goal/rank_steps.h", "src/calls/open_polls.h"}
COLLECTIVES = {"src/calls/collective_calls.h", "src/calls/collective_calls.cc",
               "src/graph/collective_index.h", "src/online/live_collectives.h"}


def is_channel(body):
    """A key by which messages are looked up: what they match by, and an equality."""
    return "operator==" in body and re.search(r"\btag\b", body) and \
        re.search(r"\b(?:source|destination|peer)\b", body)


def calls(root):
    """One decoder of calls, one matcher of messages while programs run and one of traces, and one
    assembly of collectives. Readers and writers of formats decode what they read and write, edits what they change."""
    for path in tracked(root):
        relative = path.relative_to(root)
        if path.suffix not in SOURCES or relative.parts[0] != "src" or is_test(path):
            continue
        name, text = str(relative), text_of(path)
        if relative.parts[1] == "formats":
            continue
        edits = relative.parts[1] in ("trace", "whatif")
        if not edits and name not in DECODERS and DECODES_CALLS.search(text):
            yield f"{name} decodes calls: use visit_actions() of calls/call_actions.h"
        if name not in CHANNELS | NO_CHANNELS:
            for _, struct, body in STRUCT.findall(text):
                if is_channel(body):
                    yield (f"{name} has {struct} to match messages by: use MessageQueues while a "
                           "program runs, CallMatching for a trace")
        if name not in COLLECTIVES and COUNTS_COLLECTIVES.search(text):
            yield f"{name} counts collectives by communicator: use calls/collective_calls.h"


def interposed(root):
    """On-line simulation answers MPI calls of ranks alone, which MPI_FUNCTION of runtime/online/calls.h sees to; others
    begin, end, mark or say what a rank is."""
    ours = {"MPI_Init", "MPI_Init_thread", "MPI_Initialized", "MPI_Session_init", "MPI_Finalize", "MPI_Finalized", "MPI_Pcontrol"}
    for path in tracked(root):
        relative = path.relative_to(root)
        if path.suffix == ".c" and relative.parts[:2] == ("runtime", "online"):
            for name in re.findall(r"^[ ]*EXPORT\b[^(]*?\b(MPI_[A-Za-z_#]+)", text_of(path), re.MULTILINE):
                if name not in ours:
                    yield f"{relative} exports {name} by itself: use MPI_FUNCTION() of calls.h"


def man_page(root, name):
    """The page's text with the shared parts put in place, as doc/man/CMakeLists.txt does."""
    text = (root / "doc/man" / f"{name}.md").read_text()
    def part(match):
        return (root / "doc/man/common" / f"{match.group(1)}.md").read_text()
    return re.sub(r"^@([\w-]+)@$", part, text, flags=re.MULTILINE)


def man_pages(root, binary):
    """Every command has a man page, and every option of its --help-all stands there with its choices."""
    def help_of(*arguments):
        return subprocess.run([binary, *arguments], stdout=subprocess.PIPE, text=True, check=True).stdout
    names = re.findall(r"^(?:[A-Z][a-z]+)? +([a-z]+)  ", help_of("--help"), re.MULTILINE)
    overview = man_page(root, "slackline")
    for name in names:
        if f"**slackline-{name}**(1)" not in overview:
            yield f"doc/man/slackline.md does not list {name}"
        if not (root / "doc/man" / f"{name}.md").exists():
            yield f"doc/man/{name}.md is missing"
            continue
        page = man_page(root, name)
        text = help_of(name, "--help-all")
        declared = [option for names in re.findall(r"^  (-[^ ]+)", text, re.MULTILINE) for option in names.split(",")]
        choices = [choice for values in re.findall(r"^  --?[^ ]+ ([\w|-]+\|[\w-]+)", text, re.MULTILINE)
                   for choice in values.split("|")]
        for word in declared + choices:
            if not re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", page):
                yield f"doc/man/{name}.md does not mention {word}"
    for page in (root / "doc/man").glob("*.md"):
        if page.stem not in names + ["slackline"]:
            yield f"doc/man/{page.name} belongs to no command"


CHECKS = {"includes": includes, "folders": folders, "imports": imports, "layers": layers, "readmes": readmes, "paths": paths,
          "comments": comments, "lines": lines, "links": links, "references": references, "networks": networks, "classes": classes, "terminals": terminals,
          "findings": findings, "calls": calls, "interposed": interposed,
          "man_pages": man_pages}


def main():
    check = CHECKS[sys.argv[1]]
    complaints = list(check(pathlib.Path(sys.argv[2]).resolve(), *sys.argv[3:]))
    print("\n".join(complaints) if complaints else check.__doc__)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
