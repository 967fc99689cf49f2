"""Which published model is told positions through which door: one record a model, with what says so.

A record holds words that somebody published. What can be computed from them, the numbers in a table, is
computed.
"""

from math import prod
from typing import Literal, NamedTuple

from pe_book.inputs.wording import shown

Kind = Literal["code", "paper", "inferred"]


class Evidence(NamedTuple):
    """One place that says what a model does."""

    kind: Kind
    """``"code"``: a published file does it; ``"paper"``: the authors write it; ``"inferred"``: neither."""
    where: str
    """Repository and path, or section of the paper."""
    quote: str
    """What stands there, word for word."""
    key: str = ""
    """Bibliography key of a paper."""


class Model(NamedTuple):
    """One published model."""

    name: str
    year: int
    """In which it was first made public."""
    doors: tuple[str, ...]
    """Where position enters; words of ``pe_book.family.doors.DOORS``. A second one is opened late."""
    method: str
    shapes: tuple[tuple[int, ...], ...]
    """Of every learned array that holds positions, in the setting of `size`."""
    size: str
    """Which release of the model the shapes belong to; empty if it makes no difference."""
    evidence: tuple[Evidence, ...]

    @property
    def parameters(self) -> int:
        """Learned numbers that hold positions."""
        return sum(prod(shape) for shape in self.shapes)

    @property
    def confirmed(self) -> bool:
        """Whether code or paper says it, so that nothing is inferred."""
        return all(item.kind != "inferred" for item in self.evidence)

    @property
    def sinusoidal(self) -> bool:
        """Whether a sinusoid is added to the input."""
        return self.method == "sinusoid" and "input" in self.doors


def models() -> tuple[Model, ...]:
    """The models that the book names, in the order in which they were published.

    Returns
    -------
    tuple of Model
        The original transformer first.

    Examples
    --------
    >>> [model.name for model in models() if model.sinusoidal]
    ['Transformer']
    >>> model("BERT").shapes, model("BERT").parameters
    (((512, 768),), 393216)
    """
    return _MODELS


def model(name: str) -> Model:
    """The record of one model.

    Parameters
    ----------
    name
        As the authors write it, such as ``"GPT-2"``.

    Returns
    -------
    Model
        Its record.

    Examples
    --------
    >>> model("T5").doors
    ('score',)
    """
    given: object = name
    for found in _MODELS:
        if isinstance(given, str) and found.name == given:
            return found
    offered = ", ".join(found.name for found in _MODELS)
    raise ValueError(f"name must be one of {offered}; got {shown(name)}")


_MODELS = (
    Model(
        "Transformer",
        2017,
        ("input",),
        "sinusoid",
        (),
        "",
        (
            Evidence(
                "code",
                "tensorflow/tensor2tensor, tensor2tensor/models/transformer.py",
                'hparams.add_hparam("pos", "timing")  # timing, none',
            ),
            Evidence(
                "paper",
                "section 3.5",
                "we use sine and cosine functions of different frequencies",
                "vaswani2017",
            ),
        ),
    ),
    Model(
        "GPT-1",
        2018,
        ("input",),
        "learned table",
        ((512, 768),),
        "",
        (
            Evidence("code", "openai/finetune-transformer-lm, model/params_shapes.json", "[[512, 768],"),
            Evidence(
                "paper",
                "section 4.1",
                "We used learned position embeddings instead of the sinusoidal version proposed in the "
                "original work.",
                "radford2018",
            ),
        ),
    ),
    Model(
        "BERT",
        2018,
        ("input",),
        "learned table",
        ((512, 768),),
        "base",
        (
            Evidence(
                "code",
                "google-research/bert, modeling.py",
                "Since the position embedding table is a learned variable",
            ),
            Evidence(
                "paper",
                "first version, input representation",
                "We use learned positional embeddings with supported sequence lengths up to 512 tokens.",
                "devlin2019",
            ),
        ),
    ),
    Model(
        "GPT-2",
        2019,
        ("input",),
        "learned table",
        ((1024, 768),),
        "small",
        (
            Evidence(
                "code",
                "openai/gpt-2, src/model.py",
                "wpe = tf.get_variable('wpe', [hparams.n_ctx, hparams.n_embd],",
            ),
        ),
    ),
    Model(
        "RoBERTa",
        2019,
        ("input",),
        "learned table",
        ((514, 768),),
        "base",
        (
            Evidence(
                "code",
                "facebookresearch/fairseq, fairseq/models/roberta/model.py",
                'args.encoder_learned_pos = getattr(args, "encoder_learned_pos", True)',
            ),
            Evidence(
                "code",
                "facebookresearch/fairseq, fairseq/modules/positional_embedding.py",
                "num_embeddings + padding_idx + 1",
            ),
        ),
    ),
    Model(
        "T5",
        2019,
        ("score",),
        "learned numbers of offsets",
        ((12, 32), (12, 32)),
        "base",
        (
            Evidence(
                "code",
                "google-research/text-to-text-transfer-transformer, t5/models/gin/models/bi_v1.gin",
                'relative_attention_type = "bias_shared"',
            ),
            Evidence(
                "paper",
                "section 2.1",
                "each ‘embedding’ is simply a scalar that is added to the corresponding logit",
                "raffel2020",
            ),
        ),
    ),
    Model(
        "GPT-3",
        2020,
        ("input",),
        "learned table",
        ((2048, 12288),),
        "175B",
        (
            Evidence(
                "inferred",
                "section 2.1",
                "We use the same model and architecture as GPT-2",
                "brown2020",
            ),
        ),
    ),
    Model(
        "DeBERTa",
        2020,
        ("score", "input"),
        "learned vectors of offsets; late, a learned table, into queries and residual",
        ((1024, 768), (512, 768)),
        "base",
        (
            Evidence(
                "code",
                "microsoft/DeBERTa, experiments/language_model/deberta_base.json",
                '"position_biased_input": false',
            ),
            Evidence(
                "code",
                "microsoft/DeBERTa, experiments/language_model/deberta_base.json",
                '"position_buckets": 256',
            ),
            Evidence(
                "code",
                "microsoft/DeBERTa, DeBERTa/apps/models/masked_language_model.py",
                "query_states = z_states",
            ),
            Evidence(
                "paper",
                "section 1",
                "DeBERTa incorporates absolute word position embeddings right before the softmax layer",
                "he2021",
            ),
            Evidence(
                "paper",
                "section 3.1.1",
                "we set the maximum relative distance k to 512 for pre-training",
                "he2021",
            ),
        ),
    ),
    Model(
        "BLOOM",
        2022,
        ("score",),
        "slopes",
        (),
        "",
        (
            Evidence(
                "code",
                "huggingface/transformers, src/transformers/models/bloom/modeling_bloom.py",
                "alibi = slopes[..., None] * arange_tensor",
            ),
        ),
    ),
    Model(
        "LLaMA",
        2023,
        ("query and key",),
        "rotation",
        (),
        "",
        (
            Evidence(
                "code",
                "meta-llama/llama, llama/model.py",
                "xq, xk = apply_rotary_emb(xq, xk, freqs_cis=freqs_cis)",
            ),
            Evidence(
                "paper",
                "section 2.2",
                "We remove the absolute positional embeddings, and instead, add rotary positional embeddings",
                "touvron2023",
            ),
        ),
    ),
)
