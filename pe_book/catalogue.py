"""Every public name of the package, and every module of the programming interface: the one list of them.

The names of ``pe_book`` and ``pe_book.nn``, their stubs for type checkers, the pages of the programming
interface and the tests that hold a numpy function and its torch twin together are made from these tables.
Nothing is imported here, so that ``import pe_book`` stays nearly free. After a change: ``make stubs``.
"""

PLACES = ("input", "query and key", "score", "nowhere", "none")


class Record:
    """One public name.

    Parameters
    ----------
    name : str
        As in ``pe_book.encode`` and ``pe_book.nn.encode``.
    place : str
        Where position enters a transformer by it: ``"input"``, ``"query and key"``, ``"score"`` or
        ``"nowhere"``; ``"none"`` for what brings no position in: it measures, reorders, or averages.
    numpy : str or None
        The module that defines it, such as ``"pe_book.sinusoidal.formula"``; None for what torch alone has.
    torch : str or None
        The module that has it for tensors, under the same name; None for what numpy alone has.
    page : str
        The page that explains it, below ``docs``.
    source : str
        Its key in ``docs/references.bib``; empty where the definition is the book's own.

    Examples
    --------
    >>> record = Record("encode", "input", "sinusoidal.formula", None, "sinusoidal/formula", "vaswani2017")
    >>> record.numpy, record.place
    ('pe_book.sinusoidal.formula', 'input')
    """

    __slots__ = ("name", "numpy", "page", "place", "source", "torch")

    def __init__(
        self, name: str, place: str, numpy: str | None, torch: str | None, page: str, source: str
    ) -> None:
        self.name = name
        self.place = place
        self.numpy = numpy and f"pe_book.{numpy}"
        self.torch = torch and f"pe_book.{torch}"
        self.page = page
        self.source = source

    def __repr__(self) -> str:
        names = ("name", "place", "numpy", "torch", "page", "source")
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"Record({fields})"


_TABLE: tuple[tuple[str, str, str | None, str | None, str, str], ...] = (
    # name, place, module in numpy, module in torch, page, source
    ("LearnedEncoding", "input", None, "nn.modules.learned", "family/learned", "gehring2017"),
    ("RotaryEncoding", "query and key", None, "nn.modules.rotary", "family/rotary", "su2021"),
    ("SinusoidalEncoding", "input", None, "nn.modules.sinusoidal", "sinusoidal/production", "vaswani2017"),
    ("attention", "none", "why.order_blindness", None, "why/order-blindness", "vaswani2017"),
    ("catalogue", "none", "catalogue", None, "reference/api", ""),
    ("check_config", "none", "config.checking", None, "family/reading-a-config", ""),
    ("check_port", "none", "checkpoint.agreement", None, "family/rotary", ""),
    ("collisions", "none", "numerics.rounding", None, "sinusoidal/precision", ""),
    (
        "encode",
        "input",
        "sinusoidal.formula",
        "nn.functional.sinusoidal",
        "sinusoidal/formula",
        "vaswani2017",
    ),
    ("error", "none", "sinusoidal.precision", None, "sinusoidal/precision", ""),
    ("fit_shift", "none", "sinusoidal.shift.fitting", None, "sinusoidal/shift", ""),
    (
        "frequencies",
        "none",
        "sinusoidal.formula",
        "nn.functional.sinusoidal",
        "sinusoidal/formula",
        "vaswani2017",
    ),
    ("generator", "none", "sinusoidal.shift", "nn.functional.shift", "sinusoidal/shift", ""),
    ("permutation", "none", "inputs.pairs", "nn.pairs", "reference/conventions", ""),
    ("plan_relayout", "none", "checkpoint.plan", None, "family/rotary", ""),
    ("relayout", "none", "inputs.pairs", "nn.pairs", "reference/conventions", ""),
    ("relayout_arguments", "none", "checkpoint.programs", None, "family/rotary", ""),
    ("relayout_heads", "none", "checkpoint.heads", None, "family/rotary", ""),
    ("rotary_from_config", "none", "config.reading", None, "family/reading-a-config", ""),
    ("rotate", "query and key", "family.rotary", "nn.functional.rotary", "family/rotary", "su2021"),
    ("scale_frequencies", "none", "family.context_extension", None, "family/context-extension", "peng2023"),
    ("shift", "input", "sinusoidal.shift", "nn.functional.shift", "sinusoidal/shift", "vaswani2017"),
    ("shift_matrix", "input", "sinusoidal.shift", "nn.functional.shift", "sinusoidal/shift", "denk2019"),
    ("similarity", "none", "sinusoidal.distance", None, "sinusoidal/distance", ""),
    ("table", "input", "sinusoidal.computing", "nn.functional.table", "sinusoidal/computing", "vaswani2017"),
    (
        "wavelengths",
        "none",
        "sinusoidal.formula",
        "nn.functional.sinusoidal",
        "sinusoidal/waves",
        "vaswani2017",
    ),
)

# The sections of the programming interface in their order: module, last word of the label, title. A module
# without label goes on in the section before it. A module that is not listed joins the others of its part.
SECTIONS = (
    ("inputs.pairs", "pairs", "The two layouts of a row"),
    ("why.order_blindness", "order", "Why: order blindness"),
    ("why.chain", "chain", "Why: the chain"),
    ("why.first_attempts", "attempts", "Why: first attempts"),
    ("why.counting", "counting", "Why: counting"),
    ("why.requirements", "requirements", "Why: requirements"),
    ("numerics.rounding", "rounding", "Why: rounding"),
    ("sinusoidal.formula", "formula", "Sinusoidal: the formula"),
    ("sinusoidal.waves", "waves", "Sinusoidal: the waves"),
    ("sinusoidal.shift", "shift", "Sinusoidal: the shift"),
    ("sinusoidal.distance", "distance", "Sinusoidal: distance"),
    ("sinusoidal.adding", "adding", "Sinusoidal: adding"),
    ("sinusoidal.precision", "precision", "Sinusoidal: precision"),
    ("sinusoidal.computing", "computing", "Sinusoidal: computing the table"),
    ("numerics.blocks", "blocks", "Sinusoidal: blocks of rows"),
    ("numerics.phases", "phases", "Sinusoidal: exact phases"),
    ("numerics.angles", "angles", "Sinusoidal: sines and cosines far out"),
    ("numerics.products", "products", "Sinusoidal: exact products"),
    ("numerics.chunks", "pieces", "Sinusoidal: long work in chunks"),
    ("numerics.certified", "certified", "Sinusoidal: certified rounding"),
    ("numerics.corrected", "settled", "Sinusoidal: rows searched and corrected"),
    ("numerics.cache", "kept", "Sinusoidal: what is cached"),
    ("numerics.compiled", "compiled", "Sinusoidal: the compiled loop"),
    ("sinusoidal.production", "production", "Sinusoidal: positions in production"),
    ("sinusoidal.adding.subspaces", "spans", "Sinusoidal: subspaces of words and places"),
    ("family.doors", "doors", "Family: four doors"),
    ("family.doors.comparison", "comparison", "Family: the comparison"),
    ("family.doors.models", "models", "Family: who uses what"),
    ("family.learned", "learned", "Family: the learned table"),
    ("family.learned.counting", "parameters", "Family: parameters counted"),
    ("family.rotary", "rotary", "Family: rotary"),
    ("family.rotary.axes", "axes", "Family: rotary on several axes"),
    ("checkpoint.heads", "porting", "Family: weights moved between layouts"),
    ("checkpoint.agreement", "port", "Family: a model carried over"),
    ("checkpoint.plan", "checkpoints", "Family: checkpoints moved between layouts"),
    ("checkpoint.entries", "checkpoint-entries", "Family: entries of checkpoints"),
    ("checkpoint.names", "checkpoint-names", "Family: names in checkpoints"),
    ("family.rotary.latent", "latent", "Family: rotary beside content"),
    ("family.context_extension", "extension", "Family: context extension"),
    ("family.context_extension.interpolation", "interpolation", "Family: frequencies divided"),
    ("family.context_extension.ramps", "ramps", "Family: frequencies divided by parts"),
    ("family.context_extension.divisors", "longrope", "Family: frequencies divided one by one"),
    ("family.context_extension.remapped", "remapped", "Family: positions remapped"),
    ("config.reading", "config", "Family: a model's config"),
    ("config.checking", "", ""),
    ("config.records", "", ""),
    ("config.findings", "", ""),
    ("config.factors", "", ""),
    ("config.consequences", "", ""),
    ("config.report", "", ""),
    ("config.classes", "", ""),
    ("config.pairings", "", ""),
    ("config.scaling", "", ""),
    ("config.options", "", ""),
    ("config.widths", "", ""),
    ("config.keys", "", ""),
    ("config.layers", "config-plans", "Family: layers of a config"),
    ("family.learned.measures", "learned-measures", "Family: learned tables measured"),
    ("catalogue", "catalogue", "The catalogue"),
    ("evidence.records.bench", "bench", "Evidence: recorded speeds"),
    ("evidence.reference.readings", "reading", "Evidence: which convention is this?"),
    ("evidence.derivations.derivation", "derivation", "Evidence: derivations"),
    ("show.drawing.figure", "figure", "Show: figures"),
    ("show.drawing.frame", "frame", "Show: the data of a figure"),
    ("show.drawing.panel", "panel", "Show: panels"),
    ("show.drawing.plots", "plots", "Show: what is plotted"),
    ("show.drawing.diagram", "diagram", "Show: what is drawn without axes"),
    ("show.drawing.table", "table", "Show: tables"),
    ("nn.modules.sinusoidal", "sinusoidal", "The sinusoidal encoding"),
    ("nn.modules.learned", "learned", "The learned encoding"),
    ("nn.modules.rotary", "rotating", "The rotary encoding"),
    ("nn.functional.sinusoidal", "functions", "Plain functions"),
    ("nn.pairs", "", ""),
    ("nn.functional.shift", "shifting", "The shift"),
    ("nn.functional.table", "tables", "Tables"),
    ("nn.functional.rotary", "rotary", "Rotary"),
    ("nn.kernels.rotary", "turning", "Pairs turned by given cosines and sines"),
    ("nn.tensors", "tensors", "Which tensors are taken"),
)


RECORDS = tuple(Record(*row) for row in _TABLE)


def catalogue() -> tuple[Record, ...]:
    """The record of every public name, in the order of the names.

    Returns
    -------
    tuple of Record
        With `name`, `place` (where position enters), `numpy` and `torch` (the modules that define it), `page`
        and `source`.

    Examples
    --------
    >>> from pe_book.catalogue import catalogue
    >>> [record.name for record in catalogue() if record.place == "input" and record.numpy]
    ['encode', 'shift', 'shift_matrix', 'table']
    """
    return RECORDS


def _homes(side: str) -> dict[str, str]:
    """The names of one side, ``"numpy"`` or ``"torch"``, each with the module that defines it."""
    return {record.name: home for record in RECORDS if (home := getattr(record, side))}
