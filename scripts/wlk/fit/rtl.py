# SPDX-License-Identifier: Apache-2.0
"""Read RTL with slang: which modules there are, their ports, and the files each one needs.

Each file is a compilation unit of its own, so that a module's files can be kept apart. Only when
a file needs a macro that another one defines are all read as one unit, as Verilator reads them.
"""

from __future__ import annotations

import difflib
import itertools
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import pyslang
from pyslang import ast, parsing, syntax

from .. import tables
from ..base import folders
from ..base.errors import Status, WlkError, nearest
from ..tables import Table
from . import binds, match

SOURCES = (".sv", ".v")
HEADERS = (".svh", ".vh")
# What functions that are imported by DPI are in: to compile, and to link.
COMPILED = (".c", ".cc", ".cpp", ".cxx")
FOREIGN = (*COMPILED, ".o", ".a", ".so")
C_HEADERS = (".h", ".hh", ".hpp")
LFS_POINTER = b"version https://git-lfs.github.com/spec/"  # its first bytes
# What Verilator defines by itself: slang must see the text that Verilator will see.
VERILATOR_DEFINES = (
    *("VERILATOR=1", "verilator=1", "verilator3=1", "SYSTEMVERILOG=1"),
    "coverage_block_off=",
)
SYNTHESIS_DEFINES = ("SYNTHESIS=1",)
# What slang defines by itself, and no simulator does.
SLANG_DEFINES = ("__slang__", "__slang_major__", "__slang_minor__", "__slang_rev__")
# Options of a list that change neither the modules nor their ports.
LIST_NOISE = ("+libext+", "-sv", "--sv", "-W", "-timescale", "--timescale", "--assert")

MOST_LEVELS = 100  # of instances inside each other; slang has 128

Kind = syntax.SyntaxKind
DEFINES_MODULE = {Kind.ModuleDeclaration, Kind.InterfaceDeclaration, Kind.ProgramDeclaration}
# A file without a module is kept for all modules unless it holds nothing but these.
NO_CONTENT = {Kind.BindDirective, Kind.EmptyMember}
DIRECTIONS = {ast.ArgumentDirection.In: "in", ast.ArgumentDirection.Out: "out"}


class Port(NamedTuple):
    """A port as elaborated, a match.PortShape."""

    name: str
    direction: str  # "in" | "out" | "inout"
    width: int  # of all its bits


@dataclass(frozen=True)
class Missing:
    """A module that is instantiated and not defined."""

    name: str
    path: str
    where: str


@dataclass
class Inputs:
    """The files to read and how, in the order given."""

    files: list[Path] = field(default_factory=list)
    from_folder: set[Path] = field(default_factory=set)
    headers: list[Path] = field(default_factory=list)  # that are named like sources
    defines: list[str] = field(default_factory=list)
    include_dirs: list[Path] = field(default_factory=list)
    own_defines: Sequence[str] = VERILATOR_DEFINES
    foreign: list[Path] = field(default_factory=list)  # C, for DPI
    base: Path = field(default_factory=Path.cwd)  # the current folder where the RTL runs

    def add(self, path: Path, lists: tuple[Path, ...] = ()) -> None:
        """A file, folder or list that a person named, or the last of `lists`."""
        if path.is_dir():
            self._add_folder(path)
        elif not path.is_file():
            raise WlkError(Status.NO_FILE, f"{path}: no such file or folder; check --rtl")
        elif path.suffix == ".f":
            self._add_list(path, lists)
        else:
            self._add_file(path)

    def _add_file(self, path: Path) -> bool:
        """False when the file is a header, no RTL, or already there."""
        path = path.resolve()
        if path.suffix in FOREIGN:
            _append(self.foreign, path)
            return False
        if path.suffix in HEADERS:
            _append(self.include_dirs, path.parent)
            _append(self.headers, path)
            return False
        return _append(self.files, path)

    def _add_folder(self, folder: Path) -> None:
        found = [p for p in folders.below(folder) if p.suffix in SOURCES + HEADERS]
        files = [p for p in found if p.is_file()]
        if not any(p.suffix in SOURCES for p in files):
            message = f"{folder}: no .sv or .v file in this folder; check --rtl"
            raise WlkError(Status.NO_FILE, message)
        named = list(self.headers)
        for path in files:
            if self._add_file(path):
                self.from_folder.add(path.resolve())
        self.headers = named

    def _add_list(self, path: Path, above: tuple[Path, ...]) -> None:
        path = path.resolve()
        if path in above:
            raise WlkError(Status.BAD_RTL, f"{path}: the list names itself; remove that line")
        words = iter(list(_list_words(path)))
        for line, word in words:
            where = f"{path}:{line}"
            for option, text in _list_options(word, words, where):
                self._take(option, text, where, (*above, path))

    def _take(self, option: str, text: str, where: str, lists: tuple[Path, ...]) -> None:
        """An option of a list, the last of `lists`; '' is a file, a folder or a list by itself."""
        if option == "-D":
            self.defines.append(text)
            return
        place = _listed(text, lists[-1], where)
        if option == "-I":
            _append(self.include_dirs, place)
        elif option in ("-f", "-F"):
            self._add_list(place, lists)
        elif option == "-v":
            self._add_file(place)
        elif option == "":
            self.add(place, lists)
        elif not place.is_dir():
            raise WlkError(Status.NO_FILE, f"{where}: -y {text}: not a folder")
        else:
            for file in (each for each in sorted(place.iterdir()) if each.suffix in SOURCES):
                self._add_file(file)


def _append(items: list[Path], item: Path) -> bool:
    """False when it is there already."""
    try:
        str(item).encode()
    except UnicodeEncodeError:
        shown = os.fsencode(item).decode(errors="replace")
        hint = "rename it, or link its folder under another name"
        raise WlkError(Status.BAD_RTL, f"{shown}: a name that is no UTF-8; {hint}") from None
    if item in items:
        return False
    items.append(item)
    return True


def _list_options(word: str, rest: Iterator, where: str) -> Iterator[tuple[str, str]]:
    """What a word of a list means, option and text; it may take the next of the `rest`."""
    if word in ("-f", "-F", "-y", "-v", "-I", "-D"):
        _, argument = next(rest, (0, ""))
        if not argument:
            raise WlkError(Status.BAD_RTL, f"{where}: {word} without its argument")
        yield word, argument
    elif word.startswith(("+incdir+", "+define+")):
        _, kind, *values = word.split("+")
        yield from (("-I" if kind == "incdir" else "-D", value) for value in values if value)
    elif word.startswith(("-I", "-D", "-y")):
        yield word[:2], word[2:]
    elif not word.startswith(("-", "+")):
        yield "", word
    elif not word.startswith(LIST_NOISE):
        raise WlkError(Status.BAD_RTL, f"{where}: option {word} is not understood; remove it")


def _list_words(path: Path) -> Iterator[tuple[int, str]]:
    """(line, word) of a list, without comments; a word may be quoted."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as exc:
        raise WlkError(Status.NO_FILE, f"{path}: {exc.strerror}; check --rtl") from exc
    for number, line in enumerate(text.split("\n"), 1):
        code = line.strip()
        if code.startswith("#"):
            continue
        for word in code.split():
            if word.startswith("//"):
                break
            yield number, os.path.expandvars(word.strip('"'))


def _listed(text: str, path: Path, where: str) -> Path:
    """A path in a list: relative to the list, or else to the current folder."""
    for base in (path.parent, Path.cwd()):
        if os.path.exists(base / text):  # noqa: PTH110  to Path a name may be too long
            return base / text
    raise WlkError(Status.NO_FILE, f"{where}: {text}: no such file or folder")


def tokens(node: Any) -> list[Any]:
    """The tokens of a piece of syntax in their order."""
    found: list[Any] = []
    _take_tokens(node, found)
    return found


def _take_tokens(node: Any, found: list[Any]) -> None:
    if type(node) is parsing.Token:
        found.append(node)
        return
    for child in node:
        if child is not None:
            _take_tokens(child, found)


@dataclass
class Module:
    """A definition of a module in the sources of a design."""

    name: str
    node: Any
    file: Path
    line: int
    design: Design = field(repr=False)

    @property
    def where(self) -> str:
        """file:line of the definition."""
        return f"{self.file}:{self.line}"

    @cached_property
    def tokens(self) -> list[Any]:
        """All of it, as a compiler reads it."""
        return tokens(self.node)

    @cached_property
    def uses(self) -> set[str]:
        """Names of what it instantiates or takes an interface of, all branches included."""
        names: set[str] = set()

        def take(token: Any) -> None:
            names.add(token.valueText)

        def instantiate(node: Any) -> None:
            if node.parent.kind != Kind.BindDirective:
                take(node.type)

        self.node.visit(
            lookup_table={
                Kind.HierarchyInstantiation: instantiate,
                Kind.PrimitiveInstantiation: lambda n: take(n.type),
                Kind.InterfacePortHeader: lambda n: take(n.nameOrKeyword),
                # an interface port without modport reads as a type name
                Kind.NamedType: lambda n: take(n.getFirstToken()),
            }
        )
        return names

    @cached_property
    def is_wrapper(self) -> bool:
        """Does it hold nothing but bind statements?"""
        return not self.uses and not self.port_names and bool(binds.statements(self.node))

    @cached_property
    def port_names(self) -> set[str]:
        """Names of the ports as written; without elaboration."""
        names: set[str] = set()

        def take(node: Any) -> None:
            names.add(node.getFirstToken().valueText)

        self.node.header.visit(
            lookup_table={
                Kind.Declarator: take,
                Kind.PortReference: take,
                Kind.ExplicitAnsiPort: lambda n: names.add(n.name.valueText),
            }
        )
        return names

    def ports(self) -> list[Port]:
        """Every port in order, with the defaults of the module's parameters."""
        return [port for _, port in self.symbols_of_ports()]

    def symbols_of_ports(self) -> Iterator[tuple[Any, Port]]:
        """The same with what slang has of each. What nothing is connected to is no port."""
        for symbol in self.design.elaborate(self.name).portList:
            if symbol.kind == ast.SymbolKind.InterfacePort or not symbol.isNullPort:
                yield symbol, self._port(symbol)

    def _port(self, symbol: Any) -> Port:
        if symbol.kind == ast.SymbolKind.InterfacePort:
            return Port(symbol.name, "inout", 0)
        kind = symbol.type
        if kind.isError:
            what = f"the width of port {symbol.name} of module {self.name} cannot be evaluated"
            hint = "does it need a parameter, package or --define?"
            where = self.design.place(symbol.location)
            raise WlkError(Status.BAD_RTL, f"{where}: {what}; {hint}")
        width = kind.bitWidth if kind.isIntegral else kind.bitstreamWidth
        return Port(symbol.name, DIRECTIONS.get(symbol.direction, "inout"), int(width))

    def renamed(self, name: str) -> dict[Path, str]:
        """The texts of the files that name this module in its definition or as the target of a
        bind, with another name there."""
        places = [self.node.header.name]
        if self.node.blockName is not None:
            places.append(self.node.blockName.name)
        design = self.design
        places += [b.node.target.getFirstToken() for b in design.binds if b.target == self.name]
        found: dict[Path, list[int]] = {}
        for token in places:
            found.setdefault(design.file(token.location), []).append(token.location.offset)
        return {path: self._put(path, offsets, name) for path, offsets in found.items()}

    def _put(self, path: Path, offsets: list[int], name: str) -> str:
        text = path.read_bytes()
        for offset in sorted(offsets, reverse=True):
            text = text[:offset] + name.encode() + text[offset + len(self.name.encode()) :]
        return text.decode(errors="replace")

    def instances_of(self, name: str) -> list[str]:
        """Hierarchical paths of all instances of module `name` when this module is the top."""
        paths = [self.name] if name == self.name else []
        found = self.design.instances(self.design.elaborate(self.name), name)
        return [*paths, *(each.hierarchicalPath for each in found)]

    def has_parameters(self) -> bool:
        """Can an instance of it be of another shape?"""
        return any(not p.isLocalParam for p in self.design.elaborate(self.name).parameters)

    def missing(self) -> list[Missing]:
        """Modules instantiated below this one and not defined anywhere."""
        return list(self.design.undefined(self.design.elaborate(self.name), set()))

    def require_complete(self) -> None:
        """WlkError when a module it needs is missing, or defined twice and differently, when a bind
        cannot be taken, or when it is no legal design."""
        from . import legal  # which reads designs

        binds.require(self)
        if lacking := self.missing():
            first = lacking[0]
            more = sorted({m.name for m in lacking} - {first.name})
            also = f" (also missing: {', '.join(more)})" if more else ""
            what = f"module {first.name} is missing, instantiated as {first.path}{also}"
            message = f"{first.where}: {what}; give its file with --rtl"
            raise WlkError(Status.NO_MODULE, message)
        legal.require(self)


class Design:
    """All modules of the sources given."""

    def __init__(self, inputs: Inputs) -> None:
        self.defines = inputs.defines
        self.include_dirs = list(inputs.include_dirs)
        self.foreign = list(inputs.foreign)
        self.base = inputs.base
        self._sources = pyslang.SourceManager()
        self._inputs = inputs
        self._elaborated: dict[str, tuple[ast.Compilation, Any]] = {}
        self.overrides: dict[str, list[str]] = {}  # NAME=VALUE of parameters, by module
        self._definitions: dict[str, list[Module]] = {}
        self._packages: list[Path] = []  # files that any module may need
        self.binds: list[binds.Bind] = []
        self._primitives: dict[str, Path] = {}
        self.files = list(inputs.files)
        self.one_unit = False
        self._trees = self._parse()
        self._reach: dict[str, set[str]] = {}
        for path, tree in zip(self.files, self._trees, strict=False):
            self._collect(path, tree)
        self._modules = {
            name: found[0]
            for name, found in self._definitions.items()
            if found[0].node.kind == Kind.ModuleDeclaration
        }

    # -- reading ---------------------------------------------------------------------------
    def _options(self) -> pyslang.Bag:
        options = parsing.PreprocessorOptions()
        options.predefines = [*self._inputs.own_defines, *self.defines]
        options.undefines = list(SLANG_DEFINES)
        options.additionalIncludePaths = [str(p) for p in self._inputs.include_dirs]
        return pyslang.Bag([options])

    def _parse(self) -> list[syntax.SyntaxTree]:
        trees = [self._read(path) for path in self.files]
        while folders := self._folders_of_includes(trees):
            self._inputs.include_dirs += folders
            self.include_dirs += folders
            self._sources = pyslang.SourceManager()
            trees = [self._read(path) for path in self.files]
        trees += self._sources_among_headers(trees)
        pairs = zip(self.files, trees, strict=True)
        self._included = {path: self._note_includes(tree) for path, tree in pairs}
        included = set().union(*self._included.values())
        self.included = sorted(included)
        kept = [
            (path, tree)
            for path, tree in zip(self.files, trees, strict=True)
            if not (path in included and path in self._inputs.from_folder)
            and not binds.is_ours(path)
        ]
        self.files = [path for path, _ in kept]
        trees = [tree for _, tree in kept]
        errors = [d for tree in trees for d in tree.diagnostics if d.isError()]
        unknown = pyslang.Diags.UnknownDirective
        if len(trees) > 1 and any(d.code == unknown for d in errors):
            # A fresh source manager: slang keeps the text of a file once per manager.
            separate, self._sources = self._sources, pyslang.SourceManager()
            names = [str(p) for p in self.files]
            joined = syntax.SyntaxTree.fromFiles(names, self._sources, self._options())
            if not any(d.isError() for d in joined.diagnostics):
                self.one_unit = True
                return [joined]
            self._sources = separate
        if errors:
            self._refuse(errors)
        return trees

    def _read(self, path: Path) -> syntax.SyntaxTree:
        try:
            return syntax.SyntaxTree.fromFile(str(path), self._sources, self._options())
        except OSError as exc:
            raise WlkError(Status.NO_FILE, f"{path}: {exc.strerror}; check --rtl") from exc

    def _sources_among_headers(self, trees: Sequence[syntax.SyntaxTree]) -> list[Any]:
        """The trees of headers that hold modules or binds, are named, and that nothing includes:
        they join the files."""
        included = set().union(*map(self._note_includes, trees))
        found = []
        for path in (each for each in self._inputs.headers if each not in included):
            tree = self._read(path)
            members = getattr(tree.root, "members", [tree.root])
            if any(m.kind in {*DEFINES_MODULE, Kind.BindDirective} for m in members):
                self.files.append(path)
                found.append(tree)
        return found

    def _folders_of_includes(self, trees: Iterable[syntax.SyntaxTree]) -> list[Path]:
        """Where files lie that are included by a name that is found nowhere, and are among those
        given; none for a name that several different ones have."""
        found: list[Path] = []
        for directive in (each for tree in trees for each in tree.getIncludeDirectives()):
            written = Path(directive.path)
            parts = written.parts
            if directive.buffer or not parts or ".." in parts or written.is_absolute():
                continue
            named = [path for path in self.files if path.parts[-len(parts) :] == parts]
            folders = [path.parents[len(parts) - 1] for path in named]
            is_one = len({path.read_bytes() for path in named}) == 1
            if is_one and not {*folders} & {*found, *self._inputs.include_dirs}:
                found.append(folders[0])
        return found

    def _note_includes(self, tree: syntax.SyntaxTree) -> set[Path]:
        """The files included. Their folders join the include dirs: Verilator, unlike slang, does
        not look beside the including file."""
        found: set[Path] = set()
        for directive in tree.getIncludeDirectives():
            if not directive.buffer:
                continue
            full = Path(self._sources.getFullPath(directive.buffer.id)).resolve()
            found.add(full)
            written = Path(directive.path)
            is_near = not written.is_absolute()  # by its whole path it is found anyway
            if is_near and full.parts[-len(written.parts) :] == written.parts:
                _append(self.include_dirs, full.parents[len(written.parts) - 1])
        return found

    def _refuse(self, errors: Sequence[Any]) -> None:
        engine = pyslang.DiagnosticEngine(self._sources)
        more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        where, what = self.place(errors[0].location), engine.formatMessage(errors[0])
        if errors[0].code == pyslang.Diags.CouldNotOpenIncludeFile:
            more = f"; give its folder with --include{more}"
        file = self.file(self._sources.getFullyExpandedLoc(errors[0].location))
        if file.is_file() and file.read_bytes().startswith(LFS_POINTER):
            hint = "`git lfs pull` fetches the file"
            raise WlkError(Status.BAD_RTL, f"{file}: a pointer of Git LFS, and no RTL; {hint}")
        raise WlkError(Status.BAD_RTL, f"{where}: {what}{more}")

    def place(self, location: Any) -> str:
        """file:line of a location; of the use when it is inside a macro."""
        at = self._sources.getFullyExpandedLoc(location)
        return f"{self.file(at)}:{self._sources.getLineNumber(at)}"

    def follows(self, location: Any, text: str) -> bool:
        """Does a text stand after a place in a file, blanks apart?"""
        if not self._sources.isFileLoc(location):
            return False
        whole = self._sources.getSourceText(location.buffer)
        return whole[location.offset : location.offset + 200].lstrip().startswith(text)

    def extent(self, found: Any) -> tuple[Path, int, int] | None:
        """File, first and last line of a range of the source; of the use of a macro."""
        start, end = (self._sources.getFullyExpandedLoc(at) for at in (found.start, found.end))
        if not self._sources.isFileLoc(start):
            return None
        first, last = (self._sources.getLineNumber(at) for at in (start, end))
        return self.file(start), first, max(first, last)

    def file(self, location: Any) -> Path:
        """The file of a location."""
        return Path(self._sources.getFullPath(location.buffer))

    # -- definitions -----------------------------------------------------------------------
    def _collect(self, path: Path, tree: syntax.SyntaxTree) -> None:
        """Note the definitions of a tree and whether other files may lean on it."""
        root = tree.root
        members = list(root.members) if root.kind == Kind.CompilationUnit else [root]
        shared = not any(m.kind in DEFINES_MODULE for m in members)
        if members and all(m.kind in NO_CONTENT for m in members):
            shared = False
        for member in members:
            self._note_binds(member)
            if member.kind in DEFINES_MODULE:
                self._define(member)
            elif member.kind == Kind.UdpDeclaration:
                self._primitives[member.name.valueText] = self._root_file(member.name.location)
                shared = shared and len(members) > 1
            elif member.kind not in NO_CONTENT:
                shared = True
        if shared and not self.one_unit:
            self._packages.append(path)

    def _define(self, node: Any) -> None:
        token = node.header.name
        at = self._sources.getFullyExpandedLoc(token.location)
        line = self._sources.getLineNumber(at)
        module = Module(token.valueText, node, self.file(at), line, self)
        self._definitions.setdefault(module.name, []).append(module)

    def _note_binds(self, member: Any) -> None:
        holder = member.header.name.valueText if member.kind in DEFINES_MODULE else None
        for node in binds.statements(member):
            at = node.getFirstToken().location
            self.binds.append(binds.read(node, self.place(at), self._root_file(at), holder))

    def _root_file(self, location: Any) -> Path:
        """The file given to the parser that contains a location, through its includes."""
        at = self._sources.getFullyExpandedLoc(location)
        while self._sources.isIncludedFileLoc(at):
            at = self._sources.getIncludedFrom(at.buffer)
        return self.file(at)

    # -- questions -------------------------------------------------------------------------
    @cached_property
    def synthesized(self) -> Design:
        """The same sources as a synthesis tool reads them."""
        files, folders = list(self.files), list(self.include_dirs)
        how = {"defines": self.defines, "include_dirs": folders, "base": self.base}
        return Design(Inputs(files, own_defines=SYNTHESIS_DEFINES, **how))

    def modules(self) -> list[Module]:
        """Every module, in the order of the sources; an equal second definition counts once."""
        return list(self._modules.values())

    def find(
        self, name: str | None, table: Table | None = None, ties: Mapping[str, int] | None = None
    ) -> Module:
        """The module called `name`; without a name the table's, or the one that fits it and has not
        the name of another block's. `ties`: as in match.match."""
        wanted = name or (table.module if table else None)
        if wanted in self._modules:
            return self._single(self._modules[wanted])
        if name is None and table is not None:
            fitting = [m for m in self.modules() if self._fits(m, table, ties or {})]
            fitting = self._unowned(fitting, table)
            if len(fitting) == 1:
                return self._single(fitting[0])
            if fitting:
                names = ", ".join(f"{m.name} ({m.where})" for m in fitting)
                message = f"no module {wanted}, but {len(fitting)} fit block {table.name}: {names}"
                raise WlkError(Status.AMBIGUOUS, f"{message}; use --module NAME")
        others = self._other_blocks(table) if name is None and table is not None else ""
        raise WlkError(Status.NO_MODULE, others or self._no_module(wanted, name is None))

    def _unowned(self, fitting: list[Module], table: Table) -> list[Module]:
        """Without the modules that are another block's by their names; NO_MODULE if all are."""
        rest = [tables.load(name) for name in tables.names() if fitting and name != table.name]
        owners = {other.module: other.name for other in rest}
        if fitting and all(module.name in owners for module in fitting):
            name = fitting[0].name
            message = f"no module {table.module}; the ports of {name} fit block {table.name}, but "
            message += f"it has the name of block {owners[name]}'s module"
            raise WlkError(Status.NO_MODULE, f"{message}; if it is meant: --module {name}")
        return [module for module in fitting if module.name not in owners]

    def _other_blocks(self, table: Table) -> str:
        """That a module fits other blocks than the one that is looked for; '' if none does."""
        rest = [tables.load(name) for name in tables.names() if name != table.name]
        for module in self.modules():
            fitting = [other.name for other in rest if self._fits(module, other, {})]
            if fitting:
                fits = f"the ports of {module.name} fit block {' and '.join(fitting)}"
                return f"no module fits block {table.name}; {fits}: name that block"
        return ""

    def _fits(self, module: Module, table: Table, ties: Mapping[str, int]) -> bool:
        if not match.may_fit(table, {*module.port_names, *ties}):
            return False
        try:
            ports = module.ports()
        except WlkError:
            return False
        return match.fits(table, ports, ties=ties) > 0

    def _no_module(self, wanted: str | None, tried_to_fit: bool) -> str:
        names = list(self._modules)
        if not names:
            return "no module in the files given; check --rtl"
        folded = {n.lower(): n for n in names}
        near = difflib.get_close_matches((wanted or "").lower(), folded, n=5, cutoff=0.5)
        shown = [folded[n] for n in near] or names[:5]
        label = "nearest names" if near else "there are"
        rest = "" if near or len(names) <= 5 else f" and {len(names) - 5} more"
        none = ", and none whose ports fit" if tried_to_fit else ""
        return f"no module {wanted}{none}; {label}: {', '.join(shown)}{rest}; use --module NAME"

    def _single(self, module: Module) -> Module:
        """The module, when nothing it needs is defined twice and differently."""
        self.closure(module.name)
        return module

    def has(self, name: str) -> bool:
        """Is there a module, interface or program of that name?"""
        return name in self._definitions

    def tops(self) -> list[Module]:
        """The modules that nothing instantiates or binds."""
        used = {each for module in self.modules() for each in module.uses - {module.name}}
        used |= {bind.bound for bind in self.binds}
        return [m for m in self.modules() if m.name not in used and not m.is_wrapper]

    def closure(self, name: str) -> dict[str, Module]:
        """All definitions that a module needs, itself first, and what is bound to them; AMBIGUOUS
        where two differ."""
        done: dict[str, Module] = {}
        todo = [name]
        while todo:
            self._gather(todo, done)
            names = {each for bind in self.taken(done) for each in (bind.bound, bind.holder)}
            todo = sorted(names & self._definitions.keys() - done.keys())
        return done

    def taken(self, closure: Mapping[str, Module]) -> list[binds.Bind]:
        """The binds that are part of a design with these definitions."""

        def holds(bind: binds.Bind) -> bool:
            holder = self._definitions.get(bind.holder)
            return holder is None or bind.holder in closure or holder[0].is_wrapper

        to_modules = [b for b in self.binds if b.target in closure and not b.instances]
        return [bind for bind in to_modules if not bind.is_ours and holds(bind)]

    def _gather(self, todo: list[str], done: dict[str, Module]) -> None:
        """Add the definitions of these names, and of all that they use."""
        while todo:
            current = todo.pop()
            found = self._definitions.get(current)
            if current in done or not found:
                continue
            for other in found[1:]:
                if not found[0].node.isEquivalentTo(other.node):
                    places = f"{found[0].where} and {other.where}"
                    message = f"module {current} is defined twice and differently: {places}"
                    hint = "give only one of the files with --rtl"
                    raise WlkError(Status.AMBIGUOUS, f"{message}; {hint}")
            done[current] = found[0]
            todo.extend(found[0].uses)

    def files_for(self, module: Module) -> list[Path]:
        """The files to compile for a module, in the order given; packages and macros included."""
        closure = self.closure(module.name)
        if self.one_unit:
            return list(self.files)
        needed = {self._root_file(d.node.header.name.location) for d in closure.values()}
        needed |= {bind.file for bind in self.taken(closure)}
        used = self._reaches(module.name)
        needed |= {file for name, file in self._primitives.items() if name in used}
        needed |= set(self._packages)
        return [path for path in self.files if path in needed]

    def included_for(self, module: Module) -> list[Path]:
        """The files that those of a module include."""
        files = self._included if self.one_unit else self.files_for(module)
        return sorted(set().union(*(self._included[path] for path in files)))

    def foreign_for(self, module: Module) -> list[Path]:
        """The files of C that were given, and the headers beside them; none for a module that
        imports no function."""
        if not self.foreign:
            return []
        found: list[Any] = []
        for node in self.nodes_for(module):
            node.visit(lookup_table={Kind.DPIImport: found.append})
        folders = dict.fromkeys(path.parent for path in self.foreign if path.suffix in COMPILED)
        headers = [each for folder in folders for each in sorted(folder.iterdir())]
        headers = [each for each in headers if each.suffix in C_HEADERS and each.is_file()]
        return [*self.foreign, *headers] if found else []

    def nodes_for(self, module: Module) -> list[Any]:
        """All that a module is written in: it, those inside it, and what stands outside of any."""
        own = self.closure(module.name).values()
        return [*(each.node for each in own), *self.shared(module)]

    def shared(self, module: Module | None = None) -> list[Any]:
        """What stands outside of modules, in any file, or in one that a module needs."""
        found = []
        needed = self.files_for(module) if module is not None else self.files
        for path, tree in zip(self.files, self._trees, strict=False):
            if path not in needed:
                continue
            is_unit = tree.root.kind == Kind.CompilationUnit
            members = list(tree.root.members) if is_unit else [tree.root]
            found += [member for member in members if member.kind not in DEFINES_MODULE]
        return found

    def override(self, module: Module, values: Mapping[str, str]) -> None:
        """Give parameters of a module as the top of a hierarchy; USAGE for one it does not have."""
        if not values and module.name not in self.overrides:
            return
        body = self.elaborate(module.name)
        known = [p.name for p in body.parameters if not p.isLocalParam]
        for name in values:
            if name not in known:
                has = nearest(name, known) or "; it has none"
                message = f"module {module.name} has no parameter {name}{has}"
                raise WlkError(Status.USAGE, f"{module.where}: {message}")
        self.overrides[module.name] = [f"{name}={value}" for name, value in values.items()]
        self._elaborated.pop(module.name, None)

    # -- elaboration -----------------------------------------------------------------------
    def elaborate(self, top: str) -> Any:
        """Body of module `top` as the top of a hierarchy."""
        if top not in self._elaborated:
            compilation = self.compiled(top)
            tops = {t.name: t for t in compilation.getRoot().topInstances}
            if top not in tops:
                errors = [d for d in compilation.getSemanticDiagnostics() if d.isError()]
                if errors:
                    self._refuse(errors)
                raise WlkError(Status.BAD_RTL, f"module {top} cannot be elaborated as a top")
            self._require_end(tops[top].body)
            # The symbols live as long as their compilation.
            self._elaborated[top] = (compilation, tops[top].body)
        return self._elaborated[top][1]

    def compiled(self, top: str) -> ast.Compilation:
        """A fresh compilation in which a module is the top."""
        options = ast.CompilationOptions()
        options.topModules = {top, *self.wrappers(top)}
        options.paramOverrides = self.overrides.get(top, [])
        options.flags = ast.CompilationFlags.AllowTopLevelIfacePorts
        compilation = ast.Compilation(pyslang.Bag([options]))
        for tree in self._trees:
            compilation.addSyntaxTree(tree)
        return compilation

    def wrappers(self, top: str) -> list[str]:
        """The modules beside a top that bind to what is below it."""
        if not self.binds:
            return []
        try:
            found = self.closure(top)
        except WlkError:  # one is defined twice, which is reported where the module is taken
            return []
        return sorted(name for name, each in found.items() if name != top and each.is_wrapper)

    def _require_end(self, body: Any) -> None:
        """BAD_RTL for a module that is inside itself for ever: what goes down would not return."""
        name = body.definition.name
        try:
            recurs = any(each in self._reaches(each) for each in (name, *self._reaches(name)))
        except WlkError:  # one is defined twice: that is told where the module is taken
            return
        if recurs:
            self._descend(body, [], set())

    def _descend(self, body: Any, above: list[tuple], done: set[tuple]) -> None:
        key = kind(body)
        if key in above or len(above) > MOST_LEVELS:
            where = self.place(body.location)
            message = f"{where}: module {key[0]} is inside itself without end"
            raise WlkError(Status.BAD_RTL, f"{message}; end it by a parameter and `if`")
        if key in done:
            return
        for instance in _instances(body):
            if instance.kind == ast.SymbolKind.Instance:
                self._descend(instance.body, [*above, key], done)
        done.add(key)

    def compilation(self, top: str) -> ast.Compilation:
        """What `elaborate` has made its body in."""
        self.elaborate(top)
        return self._elaborated[top][0]

    def packages(self) -> dict[str, str]:
        """Packages by their names, and where each is."""
        found = [each for each in self.shared() if each.kind == Kind.PackageDeclaration]
        names = [each.header.name for each in found]
        return {token.valueText: self.place(token.location) for token in names}

    def instances(self, body: Any, name: str) -> Iterator[Any]:
        """The instances of module `name` below a body."""
        for instance in _instances(body):
            if instance.kind != ast.SymbolKind.Instance:
                continue
            if instance.definition.name == name:
                yield instance
            if name in self._reaches(instance.definition.name):
                yield from self.instances(instance.body, name)

    def _reaches(self, name: str) -> set[str]:
        """Names of all that a module instantiates, directly or not, and of what is bound there."""
        if name not in self._reach:
            needed = self.closure(name)
            used = set(itertools.chain.from_iterable(d.uses for d in needed.values()))
            self._reach[name] = used | {each.bound for each in self.taken(needed)}
        return self._reach[name]

    def undefined(self, body: Any, seen: set[tuple]) -> Iterator[Missing]:
        """Instances below a body whose module is not defined; each kind of body once."""
        key = kind(body)
        if key in seen:
            return
        seen.add(key)
        for instance in _instances(body):
            if instance.kind == ast.SymbolKind.Instance:
                yield from self.undefined(instance.body, seen)
            elif not binds.OURS.match(instance.definitionName):
                where = self.place(instance.location)
                yield Missing(instance.definitionName, instance.hierarchicalPath, where)


SCOPES = {
    ast.SymbolKind.InstanceArray,
    ast.SymbolKind.GenerateBlock,
    ast.SymbolKind.GenerateBlockArray,
}
LEAVES = {ast.SymbolKind.Instance, ast.SymbolKind.UninstantiatedDef}


def kind(body: Any) -> tuple:
    """A body's module and parameters: bodies alike are the same inside."""
    return (body.definition.name, *(str(getattr(p, "value", p)) for p in body.parameters))


def _instances(scope: Any) -> Iterator[Any]:
    """Instances directly in a body, through arrays and generate blocks that are taken."""
    for member in scope:
        if member.kind in LEAVES:
            yield member
        elif member.kind in SCOPES and not getattr(member, "isUninstantiated", False):
            yield from _instances(member)


def load(
    paths: Sequence[Path | str],
    defines: Sequence[str] = (),
    include_dirs: Sequence[Path | str] = (),
    base: Path | None = None,
) -> Design:
    """Read files, folders (recursively) and .f lists; WlkError BAD_RTL at the first error. `base`:
    in place of the current folder, where RTL looks for the files that it reads."""
    inputs = Inputs(defines=list(defines), base=base or Path.cwd())
    for folder in include_dirs:
        if not Path(folder).is_dir():
            raise WlkError(Status.NO_FILE, f"{folder}: no such include folder")
        _append(inputs.include_dirs, Path(folder).resolve())
    for path in paths:
        inputs.add(Path(path))
    if not inputs.files:
        raise WlkError(Status.NO_FILE, "no .sv or .v file to read; check --rtl")
    return Design(inputs)
