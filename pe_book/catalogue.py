"""Every public name of the package, and every module of the programming interface: the one list of them.

The names of ``pe_book`` and ``pe_book.nn``, their stubs for type checkers, the pages of the programming
interface and the tests that hold a numpy function and its torch twin together are made from these tables.
Nothing is imported here, so that ``import pe_book`` stays nearly free. After a change: ``make stubs``.
"""

PLACES = ("input", "query and key", "score", "values", "none")


class Record:
    """One public name.

    Parameters
    ----------
    name : str
        As in ``pe_book.encode`` and ``pe_book.nn.encode``.
    place : str
        Where position enters a transformer by it: ``"input"``, ``"query and key"``, ``"score"`` or
        ``"values"``; ``"none"`` for what brings no position in: it measures, reorders, or averages.
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
    ("relative_values", "values", "family.relative", "nn.functional.relative", "family/relative", "shaw2018"),
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
    ("inputs.pairs", "pairs", "Column layouts: relayout, permutation, split, join"),
    ("why.order_blindness", "order", "Attention with and without a mask: attention"),
    ("why.chain", "chain", "Recurrence and attention: operation_counts"),
    ("why.first_attempts", "attempts", "Counting and normalising: count, over_length"),
    ("why.counting", "counting", "The shift of a count: shear, counting_query"),
    ("why.requirements", "requirements", "Requirements of a code, measured: measure_all"),
    ("numerics.rounding", "rounding", "Rounding to bfloat16 and others: round_to, collisions"),
    ("why.descent", "descent", "Gradient descent on a linear model: descend"),
    ("why.layers", "layers", "Several layers of attention: stacked_attention"),
    ("why.norms", "norms", "Normalisation: layer_norm, rms_norm"),
    ("why.sines", "sines", "Sines of the position: one_sine, harmonic_pairs"),
    ("sinusoidal.formula", "formula", "Sinusoidal table: encode, frequencies, wavelengths"),
    ("sinusoidal.waves", "waves", "Quiet columns: column_range, waking_length"),
    ("sinusoidal.shift", "shift", "Shift theorem: shift, shift_matrix, generator"),
    ("sinusoidal.distance", "distance", "Similarity over distance: kernel, similarity"),
    ("sinusoidal.adding", "adding", "Adding to embeddings: score_terms, loudness"),
    ("sinusoidal.precision", "precision", "Error of a table: error, first_collision"),
    ("sinusoidal.computing", "computing", "Correctly rounded tables: table, rows, write"),
    ("numerics.blocks", "blocks", "Blocks of rows: Blocks, write_rounded"),
    ("numerics.phases", "phases", "Exact phases: phases, turns, sine_cosine"),
    ("numerics.angles", "angles", "Positions far out: sines_and_cosines"),
    ("numerics.products", "products", "Exact sines and cosines of products"),
    ("numerics.chunks", "pieces", "Long work in chunks: chunks, bounded_width"),
    ("numerics.certified", "certified", "Certified rounding: rounded, undecided"),
    ("numerics.corrected", "settled", "Rows searched and corrected: fill, search"),
    ("numerics.cache", "kept", "Cached frequencies: keep_at_most, cached_bytes, clear"),
    ("numerics.compiled", "compiled", "Compiled loops with numba: multiply"),
    ("sinusoidal.production", "production", "Padding, packing: position_ids, packed_positions"),
    ("sinusoidal.readings", "reading", "Which convention has this table? readings, variants"),
    ("sinusoidal.adding.subspaces", "spans", "Subspaces of words and positions: principal_angles"),
    ("sinusoidal.waves.aliasing", "aliasing", "Aliasing: alias, multiplied"),
    ("sinusoidal.distance.blending", "blending", "Between two positions: blend, blend_pairs"),
    ("sinusoidal.waves.digits", "digits", "Reading a position off a row: digits, read_dials"),
    ("numerics.exact", "exact", "Multiple precision: exact, exact_frequencies"),
    ("sinusoidal.shift.fitting", "fitting", "Fitting the shift matrix: fit_shift"),
    ("sinusoidal.distance.offsets", "offsets", "Distance of rows by offset: margin, offset_distance"),
    ("sinusoidal.shift.planes", "planes", "Planes of a skew-symmetric matrix: rotation_planes"),
    ("sinusoidal.adding.reading", "sinusoidal-reading", "Reading a sum: recovered_place, recovered_word"),
    ("sinusoidal.precision.recipes", "recipes", "Tables as common code has them: recipe"),
    ("numerics.scaling", "scaling", "Scaling by powers of two: scaled, unscaled"),
    ("sinusoidal.distance.spread", "spread", "Directions that rows fill: effective_ranks"),
    ("family.doors", "doors", "Where position enters, by hand: attend, turn, stack"),
    ("family.members", "members", "The encodings to compare: members"),
    ("family.members.places", "", ""),
    ("family.members.properties", "comparison", "Properties of an encoding: measure, matrix"),
    ("family.members.predicates", "", ""),
    ("family.doors.models", "models", "Which encoding does a model use? models, model"),
    ("family.learned", "learned", "Learned position embeddings: lookup, resize"),
    ("family.learned.counting", "parameters", "Parameters of BERT and GPT-2: count"),
    ("family.offsets", "family-offsets", "Key minus query: offsets"),
    ("family.score_bias", "score-bias", "ALiBi: alibi_slopes, alibi_bias, alibi_key_bias"),
    ("family.score_bias.t5", "t5", "T5 bias: t5_bucket, t5_bias, t5_boundaries"),
    ("family.score_bias.kerple", "kerple", "KERPLE: kerple_bias"),
    ("family.score_bias.windows", "windows", "Sliding windows and sinks: window_mask"),
    ("family.rotary", "rotary", "RoPE: rotate, rotate_back"),
    ("family.rotary.axes", "axes", "RoPE on several axes: rotate_axes"),
    ("family.relative", "relative", "Shaw's relative vectors: shaw_attention"),
    ("family.relative.deberta", "deberta", "DeBERTa: deberta_scores, deberta_bias"),
    ("family.relative.log_buckets", "", ""),
    ("family.relative.offsets", "relative-offsets", "Relative vectors looked up: gathered"),
    ("checkpoint.heads", "porting", "Weights between RoPE pairings: relayout_heads"),
    ("checkpoint.agreement", "port", "Two programs compared: check_port"),
    ("checkpoint.plan", "checkpoints", "Checkpoints between RoPE pairings: plan_relayout"),
    ("checkpoint.entries", "checkpoint-entries", "Entries of checkpoints: step_of, with_width"),
    ("checkpoint.names", "checkpoint-names", "Names in checkpoints: known_names, part_of"),
    ("family.rotary.latent", "latent", "MLA, RoPE beside content: decoupled_scores"),
    ("family.context_extension", "extension", "Context extension: scale_frequencies"),
    ("family.context_extension.interpolation", "interpolation", "Interpolation, NTK: interpolated"),
    ("family.context_extension.ramps", "ramps", "YaRN and Llama by parts: yarn, llama3"),
    ("family.context_extension.divisors", "longrope", "LongRoPE: longrope, longrope_temperature"),
    ("family.context_extension.remapped", "remapped", "Remapped positions: rectified_distance"),
    ("family.context_extension.lengths", "lengths", "Temperature by length: length_factor"),
    ("config.reading", "config", "config.json: rotary_from_config, check_config"),
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
    ("config.layers", "config-plans", "Layers of a config: every_layer_alike, full_first"),
    ("family.learned.measures", "learned-measures", "Learned tables measured: cosines, share_by_offset"),
    ("config.formats.answer", "answer", "What a config answers to a length: answer_to"),
    ("config.formats.bases", "bases", "Usual values of rope_theta: usual_bases"),
    ("family.rotary.bugs", "bugs", "Tests of a RoPE function: tried"),
    ("config.formats.differing", "differing", "Where programs read a config differently"),
    ("config.formats.files", "files", "Configs from files: text_of, parsed"),
    ("config.formats", "formats", "Forms of a config: loaded, Saved"),
    ("family.learned.initialisation", "initialisation", "Learned tables before training: initial"),
    ("config.formats.params", "params", "params.json of Meta and Mistral: of_meta"),
    ("checkpoint.partners", "partners", "Entries that move together: with_partners"),
    ("checkpoint.programs", "programs", "Plans from a config: relayout_arguments"),
    ("family.rotary.recovering", "recovering", "Frequencies from turned rows: recovered"),
    ("config.formats.remedies", "remedies", "What to write instead: one_ladder, without_scaling"),
    ("config.formats.slips", "slips", "Misspelt keys of a config: meant, is_slip"),
    ("checkpoint.stacks", "stacks", "Several stacks in a checkpoint: stacks_of"),
    ("checkpoint.states", "states", "State dicts and shards: entries_of, read"),
    ("config.formats.tried", "tried", "What classes of transformers do otherwise: of_class"),
    ("config.formats.types", "types", "Which model_type is it? types_of, likely"),
    ("config.formats.words", "words", "Lines of a report: address, wrapped"),
    ("catalogue", "catalogue", "Every public name: catalogue"),
    ("evidence.records.bench", "bench", "Recorded speeds: recorded"),
    ("evidence.derivations.derivation", "derivation", "Checked derivations: Derivation, Step"),
    ("show.drawing.figure", "figure", "Figures: Figure"),
    ("show.drawing.frame", "frame", "The data of a figure: Frame"),
    ("show.drawing.panel", "panel", "Panels of a figure: Panel"),
    ("show.drawing.plots", "plots", "Plots: Line, Points, Heat, Bars"),
    ("show.drawing.diagram", "diagram", "Diagrams: Boxes, Words, Arrows, Arcs, Dial"),
    ("show.drawing.table", "table", "Tables: Table, Column"),
    ("nn.modules.sinusoidal", "sinusoidal", "SinusoidalEncoding, a module"),
    ("nn.modules.learned", "learned", "LearnedEncoding, a module"),
    ("nn.modules.rotary", "rotating", "RotaryEncoding, a module: RoPE"),
    ("nn.modules.score_bias", "biases", "ALiBiBias, T5Bias, KERPLEBias: modules"),
    ("nn.modules.score_bias_learned", "", ""),
    ("nn.modules.score_bias_form", "", ""),
    ("nn.functional.sinusoidal", "functions", "Sinusoidal encoding of tensors: encode, frequencies"),
    ("nn.pairs", "", ""),
    ("nn.functional.shift", "shifting", "Shift of tensors: shift, shift_matrix"),
    ("nn.functional.table", "tables", "Tables as tensors: table, scattered"),
    ("nn.functional.rotary", "rotary", "RoPE of tensors: rotate"),
    ("nn.functional.relative", "relative", "Shaw's relative vectors of tensors: shaw_attention"),
    ("nn.functional.deberta", "deberta", "DeBERTa's scores of tensors: deberta_scores"),
    ("nn.modules.relative", "relating", "RelativeVectors, DisentangledBias: modules"),
    ("nn.functional.score_bias", "score-bias", "ALiBi, KERPLE of tensors: alibi_bias, kerple_bias"),
    ("nn.functional.t5", "t5", "T5 bias of tensors: t5_bucket, t5_bias"),
    ("nn.functional.windows", "windows", "Sliding windows of tensors: window_mask"),
    ("nn.offsets", "offsets", "Key minus query of tensors: offsets"),
    ("nn.kernels.rotary", "turning", "Pairs turned by given cosines and sines: turned"),
    ("nn.tensors", "tensors", "Which tensors are taken as arguments"),
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
