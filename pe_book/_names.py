"""A public name when it is first used; and what is said of one that the package does not have."""

from collections.abc import Iterable, Iterator
from importlib import import_module
from inspect import Signature, isfunction, signature
from typing import Any

_ROTARY = "rotary encoding is pe.rotate(x, positions, layout=...), as a module pe.nn.RotaryEncoding"
_SCALED = "frequencies for longer texts come from pe.scale_frequencies(frequencies, method=...)"
_ENCODED = "the sinusoidal encoding is pe.encode(positions, d_model), a table of rows pe.table"
_ADDED = "as a module it is pe.nn.SinusoidalEncoding"
_LEARNED = "the learned table is the module pe.nn.LearnedEncoding"
_LADDER = "the frequencies of a width are pe.frequencies(d_model)"
_CONFIG = "pe.rotary_from_config reads a model's config, and pe.check_config says what is wrong in it"
_RELATIVE = "Shaw's vectors of offsets are pe.shaw_attention, as a module pe.nn.RelativeVectors"
_DISENTANGLED = "DeBERTa's scores are pe.deberta_scores, as a module pe.nn.DisentangledBias"
_ALIBI = "ALiBi is pe.alibi_bias(pe.alibi_slopes(n_heads), queries, keys)"
_T5 = "T5's bias is pe.t5_bias(weight, queries, keys), its buckets pe.t5_bucket"
_KERPLE = "KERPLE is pe.kerple_bias(r1, r2, queries, keys)"
_WINDOW = "a window, with kept first tokens, is pe.window_mask(queries, keys, window=...)"
_MOVED = "weights move between pairings by pe.relayout_heads, a checkpoint by pe.plan_relayout"

#: What people look for, in small letters without underscores, and where it is.
NAMES = {
    **dict.fromkeys(
        ("rope", "rotary", "rotaryembedding", "rotaryembeddings", "rotaryemb", "rotaryposemb", "applyrope",
         "rotarypositionalembedding", "rotarypositionalembeddings", "rotarypositionalencoding",
         "applyrotary", "applyrotaryemb", "applyrotaryembedding", "applyrotaryposemb", "rotatehalf",
         "rotateeverytwo", "rotatequeriesorkeys", "llamarotaryembedding"), _ROTARY),
    **dict.fromkeys(
        ("yarn", "ntk", "dynamicntk", "ntkaware", "longrope", "llama3", "linearscaling", "ropescaling",
         "positioninterpolation", "contextextension", "scalerope"), _SCALED),
    **dict.fromkeys(
        ("sinusoidal", "sinusoid", "sincos", "positionalencoding", "positionencoding", "posenc", "encoding",
         "embed", "sinusoidalembedding", "sinusoidalpositionalembedding", "sinusoidalpositionalencoding",
         "positionalembedding", "timestepembedding", "gettimestepembedding"), f"{_ENCODED}; {_ADDED}"),
    **dict.fromkeys(
        ("learned", "learnable", "absolute", "learnedembedding", "learnedpositionalembedding", "wpe",
         "positionembeddings"), _LEARNED),
    **dict.fromkeys(("invfreq", "freqs", "freqscis", "precomputefreqscis", "thetas"), _LADDER),
    **dict.fromkeys(("config", "readconfig", "autoconfig", "fromconfig", "ropeparameters"), _CONFIG),
    **dict.fromkeys(("permute", "permutereverse", "convert", "convertweights", "unpermute"), _MOVED),
    **dict.fromkeys(
        ("mrope", "rope2d", "axialrope", "multimodalrope"),
        "rotary encoding on several axes is pe_book.family.rotary.axes.rotate_axes"),
    **dict.fromkeys(("shaw", "relative", "relativeposition", "relativeattention", "relpos"), _RELATIVE),
    **dict.fromkeys(("deberta", "disentangled", "disentangledattention", "c2p", "p2c"), _DISENTANGLED),
    **dict.fromkeys(
        ("alibi", "alibitensor", "buildalibitensor", "buildmptalibitensor", "getslopes", "getalibi",
         "alibipositionalbias", "linearbias"), _ALIBI),
    **dict.fromkeys(
        ("t5", "t5relativebias", "relativepositionbucket", "relativepositionbias", "relativeattentionbias",
         "positionbias", "computebias"), _T5),
    **dict.fromkeys(("kerple", "kerplelog"), _KERPLE),
    **dict.fromkeys(
        ("slidingwindow", "slidingwindowmask", "window", "attentionsink", "attentionsinks", "sinks"),
        _WINDOW),
    "proportionalrope": "p-RoPE is pe_book.family.rotary.proportional_frequencies",
}  # fmt: skip

#: What the book does not have yet, by how names of it begin.
LACKING = {
    "fire": "FIRE", "sandwich": "Sandwich", "xpos": "xPos", "cope": "CoPE",
    "nope": "attention without any encoding", "transformerxl": "the encoding of Transformer-XL",
    "encodegrid": "the encoding of grids",
    "fourierfeatures": "Fourier features",
}  # fmt: skip


def loaded(home: str, name: str) -> object:
    """A name from the module that defines it, of which ``help`` shows parameters and defaults.

    Types stay in ``__annotations__`` and in the stubs; written out, those of numpy fill a screen.

    >>> help(loaded("pe_book.sinusoidal.formula", "frequencies"))  # doctest: +ELLIPSIS
    Help on function frequencies in module pe_book.sinusoidal.formula:
    <BLANKLINE>
    frequencies(d_model, *, base=10000.0, ladder='paper')
    ...
    """
    value = getattr(import_module(home), name)
    for function in _functions(value):
        bare = [one.replace(annotation=one.empty) for one in signature(function).parameters.values()]
        function.__signature__ = Signature(bare)
    return value


def _functions(value: Any) -> Iterator[Any]:
    """A function; of a class, the methods that it has from this package."""
    if isfunction(value):
        yield value
    for base in getattr(value, "__mro__", ()):
        if base.__module__.startswith("pe_book."):
            methods = [getattr(one, "__func__", one) for one in vars(base).values()]
            yield from filter(isfunction, methods)


def no_such(module: str, name: str, offered: Iterable[str]) -> str:
    """What an AttributeError says: the name here for what is looked for, one that is near, or all names.

    >>> no_such("pe_book", "rotatee", ["encode", "rotate"])
    "module 'pe_book' has no attribute 'rotatee'; did you mean 'rotate'?"
    >>> no_such("pe_book", "fire_bias", ["encode", "rotate"])
    "module 'pe_book' has no attribute 'fire_bias'; FIRE is not in the book yet"
    """
    refusal, offered = f"module {module!r} has no attribute {name!r}", list(offered)
    if name.startswith("_"):
        return refusal  # a tool looks whether it is there, as IPython does
    plain = name.lower().replace("_", "")
    if plain in NAMES:
        return f"{refusal}; {NAMES[plain]}"
    for start, lacking in LACKING.items():
        if plain.startswith(start):
            return f"{refusal}; {lacking} is not in the book yet"
    from difflib import get_close_matches

    near = {one.lower().replace("_", ""): one for one in offered}
    if found := get_close_matches(plain, [*near, *NAMES], n=1, cutoff=0.75):
        return f"{refusal}; {NAMES.get(found[0]) or f'did you mean {near[found[0]]!r}?'}"
    return f"{refusal}; it offers {', '.join(offered)}"
