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
    ("LearnedEncoding", "input", None, "nn.learned", "family/learned", "gehring2017"),
    ("RotaryEncoding", "query and key", None, "nn.rotating", "family/rotary", "su2021"),
    ("SinusoidalEncoding", "input", None, "nn.sinusoidal", "sinusoidal/production", "vaswani2017"),
    ("attention", "none", "why.order_blindness", None, "why/order-blindness", "vaswani2017"),
    ("catalogue", "none", "catalogue", None, "reference/api", ""),
    ("check_config", "none", "family.checking_a_config", None, "family/reading-a-config", ""),
    ("check_port", "none", "family.porting_a_model", None, "family/rotary", ""),
    ("collisions", "none", "why.rounding", None, "sinusoidal/precision", ""),
    ("encode", "input", "sinusoidal.formula", "nn.functions", "sinusoidal/formula", "vaswani2017"),
    ("error", "none", "sinusoidal.precision", None, "sinusoidal/precision", ""),
    ("fit_shift", "none", "sinusoidal.fitting", None, "sinusoidal/shift", ""),
    ("frequencies", "none", "sinusoidal.formula", "nn.functions", "sinusoidal/formula", "vaswani2017"),
    ("generator", "none", "sinusoidal.shift", "nn.shifting", "sinusoidal/shift", ""),
    ("permutation", "none", "sinusoidal.formula", "nn.columns", "reference/conventions", ""),
    ("plan_relayout", "none", "family.checkpoints", None, "family/rotary", ""),
    ("relayout", "none", "sinusoidal.formula", "nn.columns", "reference/conventions", ""),
    ("relayout_arguments", "none", "family.porting_a_model", None, "family/rotary", ""),
    ("relayout_heads", "none", "family.porting", None, "family/rotary", ""),
    ("rotary_from_config", "none", "family.reading_a_config", None, "family/reading-a-config", ""),
    ("rotate", "query and key", "family.rotary", "nn.rotary", "family/rotary", "su2021"),
    ("scale_frequencies", "none", "family.context_extension", None, "family/context-extension", "peng2023"),
    ("shift", "input", "sinusoidal.shift", "nn.shifting", "sinusoidal/shift", "vaswani2017"),
    ("shift_matrix", "input", "sinusoidal.shift", "nn.shifting", "sinusoidal/shift", "denk2019"),
    ("similarity", "none", "sinusoidal.distance", None, "sinusoidal/distance", ""),
    ("table", "input", "sinusoidal.computing", "nn.tables", "sinusoidal/computing", "vaswani2017"),
    ("wavelengths", "none", "sinusoidal.formula", "nn.functions", "sinusoidal/waves", "vaswani2017"),
)

# The sections of the programming interface in their order: module, last word of the label, title. A module
# without label goes on in the section before it. A module that is not listed joins the others of its part.
SECTIONS = (
    ("pairs", "pairs", "The two layouts of a row"),
    ("why.order_blindness", "order", "Why: order blindness"),
    ("why.chain", "chain", "Why: the chain"),
    ("why.first_attempts", "attempts", "Why: first attempts"),
    ("why.counting", "counting", "Why: counting"),
    ("why.requirements", "requirements", "Why: requirements"),
    ("why.rounding", "rounding", "Why: rounding"),
    ("sinusoidal.formula", "formula", "Sinusoidal: the formula"),
    ("sinusoidal.waves", "waves", "Sinusoidal: the waves"),
    ("sinusoidal.shift", "shift", "Sinusoidal: the shift"),
    ("sinusoidal.distance", "distance", "Sinusoidal: distance"),
    ("sinusoidal.adding", "adding", "Sinusoidal: adding"),
    ("sinusoidal.precision", "precision", "Sinusoidal: precision"),
    ("sinusoidal.computing", "computing", "Sinusoidal: computing the table"),
    ("sinusoidal.blocks", "blocks", "Sinusoidal: blocks of rows"),
    ("sinusoidal.phases", "phases", "Sinusoidal: exact phases"),
    ("sinusoidal.angles", "angles", "Sinusoidal: sines and cosines far out"),
    ("sinusoidal.products", "products", "Sinusoidal: exact products"),
    ("sinusoidal.pieces", "pieces", "Sinusoidal: long work in pieces"),
    ("sinusoidal.certified", "certified", "Sinusoidal: certified rounding"),
    ("sinusoidal.settled", "settled", "Sinusoidal: rows searched and settled"),
    ("sinusoidal.kept", "kept", "Sinusoidal: what is kept"),
    ("sinusoidal.compiled", "compiled", "Sinusoidal: the compiled loop"),
    ("sinusoidal.production", "production", "Sinusoidal: positions in production"),
    ("family.doors", "doors", "Family: four doors"),
    ("family.comparison", "comparison", "Family: the comparison"),
    ("family.models", "models", "Family: who uses what"),
    ("family.learned", "learned", "Family: the learned table"),
    ("family.learned_parameters", "parameters", "Family: parameters counted"),
    ("family.rotary", "rotary", "Family: rotary"),
    ("family.rotary_axes", "axes", "Family: rotary on several axes"),
    ("family.porting", "porting", "Family: weights moved between layouts"),
    ("family.porting_a_model", "port", "Family: a model carried over"),
    ("family.checkpoints", "checkpoints", "Family: checkpoints moved between layouts"),
    ("family.checkpoint_entries", "checkpoint-entries", "Family: entries of checkpoints"),
    ("family.checkpoint_names", "checkpoint-names", "Family: names in checkpoints"),
    ("family.latent", "latent", "Family: rotary beside content"),
    ("family.context_extension", "extension", "Family: context extension"),
    ("family.interpolation", "interpolation", "Family: frequencies divided"),
    ("family.ramps", "ramps", "Family: frequencies divided by parts"),
    ("family.longrope", "longrope", "Family: frequencies divided one by one"),
    ("family.remapped", "remapped", "Family: positions remapped"),
    ("family.reading_a_config", "config", "Family: a model's config"),
    ("family.checking_a_config", "", ""),
    ("family.config_records", "", ""),
    ("family.config_findings", "", ""),
    ("family.config_factors", "", ""),
    ("family.config_consequences", "", ""),
    ("family.config_report", "", ""),
    ("family.config_models", "", ""),
    ("family.config_pairings", "", ""),
    ("family.config_scaling", "", ""),
    ("family.config_options", "", ""),
    ("family.config_widths", "", ""),
    ("family.config_keys", "", ""),
    ("family.config_numbers", "", ""),
    ("catalogue", "catalogue", "The catalogue"),
    ("evidence.records.bench", "bench", "Evidence: recorded speeds"),
    ("evidence.reference.readings", "reading", "Evidence: which convention is this?"),
    ("evidence.derivation", "derivation", "Evidence: derivations"),
    ("show.figure", "figure", "Show: figures"),
    ("show.frame", "frame", "Show: the data of a figure"),
    ("show.panel", "panel", "Show: panels"),
    ("show.plots", "plots", "Show: what is plotted"),
    ("show.diagram", "diagram", "Show: what is drawn without axes"),
    ("show.table", "table", "Show: tables"),
    ("nn.sinusoidal", "sinusoidal", "The sinusoidal encoding"),
    ("nn.learned", "learned", "The learned encoding"),
    ("nn.rotating", "rotating", "The rotary encoding"),
    ("nn.functions", "functions", "Plain functions"),
    ("nn.columns", "", ""),
    ("nn.shifting", "shifting", "The shift"),
    ("nn.rotary", "rotary", "Rotary"),
    ("nn.turning", "turning", "Pairs turned by given cosines and sines"),
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
    >>> [record.name for record in catalogue() if record.place == "input" and record.numpy]
    ['encode', 'shift', 'shift_matrix', 'table']
    """
    return RECORDS


def _homes(side: str) -> dict[str, str]:
    """The names of one side, ``"numpy"`` or ``"torch"``, each with the module that defines it."""
    return {record.name: home for record in RECORDS if (home := getattr(record, side))}
