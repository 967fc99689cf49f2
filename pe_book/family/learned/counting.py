"""Where the parameters of two published models are: every tensor by name and shape.

The question that this settles is how much of a model its table of positions is.
"""

from collections.abc import Mapping
from math import prod

from pe_book.inputs.checking import room_for, whole_number
from pe_book.inputs.wording import shown


def bert_tensors(
    *,
    vocabulary: int = 30522,
    max_len: int = 512,
    segments: int = 2,
    d_model: int = 768,
    d_ff: int = 3072,
    layers: int = 12,
) -> dict[str, tuple[int, ...]]:
    """Name and shape of every tensor of a BERT encoder; the defaults are those of BERT-base, uncased.

    The number of heads does not occur: heads share out the width and add no parameter. The layers that only
    pre-training needs (masked words, next sentence) are not counted, as in the usual total.

    Parameters
    ----------
    vocabulary, max_len, segments
        Rows of the three tables that are added: words, positions, segments.
    d_model, d_ff, layers
        Width, inner width of the feed-forward part, number of layers.

    Examples
    --------
    >>> count(bert_tensors())
    109482240

    References
    ----------
    :cite:t:`devlin2019`, section 3, and its configuration file.
    """
    d, ff = whole_number(d_model, "d_model", least=1), whole_number(d_ff, "d_ff", least=1)
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.words": (whole_number(vocabulary, "vocabulary", least=1), d),
        "embeddings.positions": (whole_number(max_len, "max_len", least=1), d),
        "embeddings.segments": (whole_number(segments, "segments", least=1), d),
        **_norm("embeddings.norm", d),
    }
    for layer in (f"layer.{i}" for i in range(_layers(layers))):
        for name in ("query", "key", "value", "output"):
            shapes |= _linear(f"{layer}.attention.{name}", d, d)
        shapes |= _norm(f"{layer}.attention.norm", d)
        shapes |= _linear(f"{layer}.inner", d, ff) | _linear(f"{layer}.outer", ff, d)
        shapes |= _norm(f"{layer}.norm", d)
    return shapes | _linear("pooler", d, d)


def gpt2_tensors(
    *, vocabulary: int = 50257, max_len: int = 1024, d_model: int = 768, layers: int = 12
) -> dict[str, tuple[int, ...]]:
    """Name and shape of every tensor of GPT-2; the defaults are those of the smallest of the four.

    The output layer is the table of words, used a second time, so it is not counted twice.

    Parameters
    ----------
    vocabulary, max_len
        Rows of the two tables that are added: words, positions.
    d_model, layers
        Width and number of layers; the inner width is four times d_model.

    Examples
    --------
    >>> count(gpt2_tensors())
    124439808

    References
    ----------
    :cite:t:`radford2019`, and its published code.
    """
    d = whole_number(d_model, "d_model", least=1)
    shapes: dict[str, tuple[int, ...]] = {
        "wte": (whole_number(vocabulary, "vocabulary", least=1), d),
        "wpe": (whole_number(max_len, "max_len", least=1), d),
    }
    for layer in (f"h{i}" for i in range(_layers(layers))):
        shapes |= _norm(f"{layer}.ln_1", d) | _linear(f"{layer}.attn.c_attn", d, 3 * d)
        shapes |= _linear(f"{layer}.attn.c_proj", d, d) | _norm(f"{layer}.ln_2", d)
        shapes |= _linear(f"{layer}.mlp.c_fc", d, 4 * d) | _linear(f"{layer}.mlp.c_proj", 4 * d, d)
    return shapes | _norm("ln_f", d)


def count(shapes: Mapping[str, tuple[int, ...]]) -> int:
    """Number of parameters in tensors of these shapes.

    Parameters
    ----------
    shapes
        Shapes by name, as :func:`bert_tensors` and :func:`gpt2_tensors` give them.

    Examples
    --------
    >>> count({"weight": (3, 4), "bias": (4,)})
    16
    """
    given: object = shapes
    if not isinstance(given, Mapping):
        raise TypeError(f"shapes must be a mapping from names to shapes, got {shown(shapes)}")
    for name, shape in given.items():
        if not isinstance(shape, tuple | list):
            raise TypeError(f"shapes[{name!r}] must be a tuple of whole numbers, got {shown(shape)}")
        for length in shape:
            whole_number(length, f"every entry of shapes[{name!r}]", least=0)
    return sum(prod(shape) for shape in shapes.values())


def _layers(layers: int) -> int:
    number = whole_number(layers, "layers", least=1)
    room_for(5000 * number, "layers", number)  # names and tuples of some twenty tensors
    return number


def _linear(name: str, source: int, target: int) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": (source, target), f"{name}.bias": (target,)}


def _norm(name: str, width: int) -> dict[str, tuple[int, ...]]:
    return {f"{name}.gain": (width,), f"{name}.bias": (width,)}
