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
    ("ALiBiBias", "score", None, "nn.modules.score_bias", "family/score-bias", "press2022"),
    ("DisentangledBias", "score", None, "nn.modules.relative", "family/relative", "he2021"),
    ("KERPLEBias", "score", None, "nn.modules.score_bias_learned", "family/score-bias", "chi2022"),
    ("LearnedEncoding", "input", None, "nn.modules.learned", "family/learned", "gehring2017"),
    ("RelativeVectors", "score", None, "nn.modules.relative", "family/relative", "shaw2018"),
    ("RotaryEncoding", "query and key", None, "nn.modules.rotary", "family/rotary", "su2021"),
    ("SinusoidalEncoding", "input", None, "nn.modules.sinusoidal", "sinusoidal/production", "vaswani2017"),
    ("T5Bias", "score", None, "nn.modules.score_bias_learned", "family/score-bias", "raffel2020"),
    (
        "alibi_bias",
        "score",
        "family.score_bias",
        "nn.functional.score_bias",
        "family/score-bias",
        "press2022",
    ),
    (
        "alibi_key_bias",
        "score",
        "family.score_bias",
        "nn.functional.score_bias",
        "family/score-bias",
        "press2022",
    ),
    (
        "alibi_slopes",
        "score",
        "family.score_bias",
        "nn.functional.score_bias",
        "family/score-bias",
        "press2022",
    ),
    ("attention", "none", "why.order_blindness", None, "why/order-blindness", "vaswani2017"),
    ("catalogue", "none", "catalogue", None, "reference/api", ""),
    ("check_config", "none", "config.checking", None, "family/reading-a-config", ""),
    ("check_port", "none", "checkpoint.agreement", None, "family/rotary", ""),
    (
        "clipped_offsets",
        "none",
        "family.relative",
        "nn.functional.relative",
        "family/relative",
        "shaw2018",
    ),
    ("collisions", "none", "numerics.rounding", None, "sinusoidal/precision", ""),
    (
        "deberta_bias",
        "score",
        "family.relative.deberta",
        "nn.functional.deberta",
        "family/relative",
        "he2021",
    ),
    (
        "deberta_log_bucket",
        "none",
        "family.relative.log_buckets",
        "nn.functional.deberta",
        "family/relative",
        "he2021",
    ),
    (
        "deberta_offsets",
        "none",
        "family.relative.deberta",
        "nn.functional.deberta",
        "family/relative",
        "he2021",
    ),
    (
        "deberta_scores",
        "score",
        "family.relative.deberta",
        "nn.functional.deberta",
        "family/relative",
        "he2021",
    ),
    (
        "encode",
        "input",
        "sinusoidal.formula",
        "nn.functional.sinusoidal",
        "sinusoidal/formula",
        "vaswani2017",
    ),
    ("error", "none", "sinusoidal.precision", None, "sinusoidal/precision", ""),
    ("fit_shift", "none", "sinusoidal.shift.fitting", None, "sinusoidal/fitting", ""),
    (
        "frequencies",
        "none",
        "sinusoidal.formula",
        "nn.functional.sinusoidal",
        "sinusoidal/formula",
        "vaswani2017",
    ),
    ("generator", "none", "sinusoidal.shift", "nn.functional.shift", "sinusoidal/shift", ""),
    (
        "kerple_bias",
        "score",
        "family.score_bias.kerple",
        "nn.functional.score_bias",
        "family/score-bias",
        "chi2022",
    ),
    ("permutation", "none", "inputs.pairs", "nn.pairs", "reference/conventions", ""),
    ("plan_relayout", "none", "checkpoint.plan", None, "family/rotary", ""),
    ("relative_scores", "score", "family.relative", "nn.functional.relative", "family/relative", "shaw2018"),
    ("relative_values", "score", "family.relative", "nn.functional.relative", "family/relative", "shaw2018"),
    ("relayout", "none", "inputs.pairs", "nn.pairs", "reference/conventions", ""),
    ("relayout_arguments", "none", "checkpoint.programs", None, "family/rotary", ""),
    ("relayout_heads", "none", "checkpoint.heads", None, "family/rotary", ""),
    ("rotary_from_config", "none", "config.reading", None, "family/reading-a-config", ""),
    ("rotate", "query and key", "family.rotary", "nn.functional.rotary", "family/rotary", "su2021"),
    ("scale_frequencies", "none", "family.context_extension", None, "family/context-extension", "peng2023"),
    ("shaw_attention", "score", "family.relative", "nn.functional.relative", "family/relative", "shaw2018"),
    ("shift", "input", "sinusoidal.shift", "nn.functional.shift", "sinusoidal/shift", "vaswani2017"),
    ("shift_matrix", "input", "sinusoidal.shift", "nn.functional.shift", "sinusoidal/shift", "denk2019"),
    ("similarity", "none", "sinusoidal.distance", None, "sinusoidal/distance", ""),
    ("t5_bias", "score", "family.score_bias.t5", "nn.functional.t5", "family/score-bias", "raffel2020"),
    ("t5_bucket", "score", "family.score_bias.t5", "nn.functional.t5", "family/score-bias", "raffel2020"),
    ("table", "input", "sinusoidal.computing", "nn.functional.table", "sinusoidal/computing", "vaswani2017"),
    (
        "wavelengths",
        "none",
        "sinusoidal.formula",
        "nn.functional.sinusoidal",
        "sinusoidal/waves",
        "vaswani2017",
    ),
    (
        "window_mask",
        "none",
        "family.score_bias.windows",
        "nn.functional.windows",
        "family/score-bias",
        "beltagy2020",
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
    ("sinusoidal.readings", "reading", "Sinusoidal: which convention is this?"),
    ("sinusoidal.adding.subspaces", "spans", "Sinusoidal: subspaces of words and places"),
    ("family.doors", "doors", "Family: four doors"),
    ("family.members", "members", "Family: the members"),
    ("family.members.places", "", ""),
    ("family.members.properties", "comparison", "Family: properties of the members"),
    ("family.members.predicates", "", ""),
    ("family.doors.models", "models", "Family: who uses what"),
    ("family.learned", "learned", "Family: the learned table"),
    ("family.learned.counting", "parameters", "Family: parameters counted"),
    ("family.offsets", "family-offsets", "Family: offsets"),
    ("family.score_bias", "score-bias", "Family: biases on scores"),
    ("family.score_bias.t5", "t5", "Family: T5's buckets"),
    ("family.score_bias.kerple", "kerple", "Family: KERPLE"),
    ("family.score_bias.windows", "windows", "Family: windows"),
    ("family.rotary", "rotary", "Family: rotary"),
    ("family.rotary.axes", "axes", "Family: rotary on several axes"),
    ("family.relative", "relative", "Family: relative vectors"),
    ("family.relative.deberta", "deberta", "Family: DeBERTa"),
    ("family.relative.log_buckets", "", ""),
    ("family.relative.offsets", "relative-offsets", "Family: offsets of relative vectors"),
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
    ("nn.modules.score_bias", "biases", "Biases as modules"),
    ("nn.modules.score_bias_learned", "", ""),
    ("nn.modules.score_bias_form", "", ""),
    ("nn.functional.sinusoidal", "functions", "Plain functions"),
    ("nn.pairs", "", ""),
    ("nn.functional.shift", "shifting", "The shift"),
    ("nn.functional.table", "tables", "Tables"),
    ("nn.functional.rotary", "rotary", "Rotary"),
    ("nn.functional.relative", "relative", "Relative vectors"),
    ("nn.functional.deberta", "deberta", "DeBERTa"),
    ("nn.modules.relative", "relating", "Relative vectors as modules"),
    ("nn.functional.score_bias", "score-bias", "Biases on scores"),
    ("nn.functional.t5", "t5", "T5's buckets"),
    ("nn.functional.windows", "windows", "Windows"),
    ("nn.offsets", "offsets", "Offsets"),
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
