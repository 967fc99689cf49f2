"""The code of cells, inspected before it runs: plain Python, no clock, no unseeded random numbers."""

import ast
from collections.abc import Iterator

from bookish.run.cells import Cell
from bookish.run.flow import parsed, path_of
from bookish.run.package import imports
from bookish.run.refusals import refuse

REFUSED_TAGS = {
    "remove-cell": "runs late or never",
    "raises-exception": "hides a failure",
    "skip-execution": "shows code that nobody ran",
}
HIDING_TAGS = {"remove-input", "remove-output"}
TIMES = "time time_ns perf_counter perf_counter_ns monotonic monotonic_ns process_time process_time_ns ctime"
CLOCK = {
    *(f"time.{name}" for name in (*TIMES.split(), "localtime", "gmtime")),
    *(f"datetime.datetime.{name}" for name in ("now", "today", "utcnow")),
    *("datetime.date.today", "timeit.timeit", "timeit.repeat", "timeit.default_timer"),
}
UNSEEDABLE = ("secrets.", "uuid.", "os.urandom", "os.getrandom", "os.getpid", "random.SystemRandom")
GENERATORS = "default_rng SeedSequence PCG64 PCG64DXSM MT19937 Philox SFC64 RandomState"
# without an argument these draw a seed from the system
NEED_A_SEED = {"random.Random", *(f"numpy.random.{name}" for name in GENERATORS.split())}
SEEDED_BY = {"random": "random.seed", "numpy.random": "numpy.random.seed", "torch": "torch.manual_seed"}
DRAWS = "rand randn randint randperm normal bernoulli multinomial rand_like randn_like"
DRAWN_BY_TORCH = {f"torch.{name}" for name in DRAWS.split()}
NOT_DRAWING = {"numpy.random.Generator", "numpy.random.BitGenerator"}


def dotted(node: ast.expr, known: dict[str, str]) -> str | None:
    """``numpy.random.rand`` for ``np.random.rand``, where np is an import."""
    first, *rest = path_of(node) or [""]
    return ".".join([known[first], *rest]) if first in known else None


def unseeded(call: ast.Call, name: str, seeded: set[str]) -> bool:
    """Whether a call draws from a generator that nobody has given a seed."""
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    if name in NEED_A_SEED:
        return not given or (isinstance(given[0], ast.Constant) and given[0].value is None)
    if name in DRAWN_BY_TORCH:
        return "torch" not in seeded and not any(keyword.arg == "generator" for keyword in call.keywords)
    home = name.rpartition(".")[0]
    if name in SEEDED_BY.values():
        return False
    return home in ("random", "numpy.random") and home not in seeded and name not in NOT_DRAWING


def complaints(code: str, known: dict[str, str], seeded: set[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Codes of refusals with their fields; imports and seeds are remembered for the cells that follow."""
    try:
        tree = ast.parse(code)
    except SyntaxError as error:
        text = (error.text or "").strip()
        yield "PE205", {"what": f"is not plain Python: {text or error.msg}"}
        return
    for node in ast.walk(tree):
        known.update(imports(node))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and (node.args or node.keywords):
            seeded.update(home for home, seed in SEEDED_BY.items() if seed == dotted(node.func, known))
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id == "get_ipython":
            yield "PE205", {"what": "calls get_ipython"}
        if isinstance(node, ast.Attribute | ast.Name):
            name = dotted(node, known)
            if name and (name in CLOCK or name.startswith(UNSEEDABLE)):
                yield "PE207", {"name": name}
        if isinstance(node, ast.Call) and (name := dotted(node.func, known)) and unseeded(node, name, seeded):
            yield "PE207", {"name": f"{name} without a seed"}


def inspect(cells: list[Cell], docname: str) -> None:
    """Refuse tags, hidden lines and code that a cell may not have."""
    known: dict[str, str] = {}
    seeded: set[str] = set()
    hidden = 0
    for cell in cells:
        where = (docname, cell.line)
        for tag in sorted(REFUSED_TAGS.keys() & cell.tags):
            refuse("PE201", where, cell=cell.index, tag=tag, why=REFUSED_TAGS[tag])
        if HIDING_TAGS & {tag.replace("_", "-") for tag in cell.tags}:
            hidden += 1
            if hidden > 1:
                refuse("PE216", where, cell=cell.index)
            if other := first_non_import(cell.source):
                refuse("PE215", where, cell=cell.index, what=other)
        found = [(code, tuple(fields.items())) for code, fields in complaints(cell.source, known, seeded)]
        for code, fields in dict.fromkeys(found):
            refuse(code, where, cell=cell.index, **dict(fields))


def first_non_import(code: str) -> str:
    """The first line that is not an import; nothing if all are."""
    other = [node for node in parsed(code) if not isinstance(node, ast.Import | ast.ImportFrom)]
    return code.splitlines()[other[0].lineno - 1] if other else ""
