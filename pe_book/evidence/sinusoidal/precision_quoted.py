"""Reports in public libraries of a number that was rounded on its way to a sine, as read in their threads."""

import re

# what was rounded, where, what happened, what became of it
REPORTS = (
    ("positions", "transformers#28685", "DeepSpeed's `zero.Init` made `arange` a 16-bit one", "closed"),
    ("positions", "diffusers#13920", "autocast rounded the product of positions from 65,536 on", "#13922"),
    ("positions", "DiffSynth-Studio#1025", "the timestep of a diffusion model, 998.39, became 1000", "#1025"),
    ("positions", "transformers#48428", "a float32 matrix product ran in TF32", "#48450, open"),
    ("frequencies", "sglang-jax#1472", "frequencies cast to the model's format before the product", "#1473"),
    ("frequencies", "modalities#462", "the same, in training", "#462"),
    ("frequencies", "transformers#29496", "a cache rebuilt past its end from cast frequencies", "closed"),
    ("angles", "stable-audio-3#81", "an engine built for bfloat16 took the angle along", "#81"),
    ("all", "gpt-neox#1003", "sine and cosine computed in the model's format", "#1041"),
    ("all", "transformers#29285", "autocast took the computation to bfloat16", "#29285"),
    ("all", "vllm#1004", "the cache of sines and cosines computed in float16", "#1004"),
    ("all", "vllm#54569", "a sinusoidal encoder computed in float16", "#54620, open"),
    ("all", "fairseq2#65", "position encoders now compute in float32 throughout", "#65"),
)
OWNERS = {
    "transformers": "huggingface",
    "diffusers": "huggingface",
    "DiffSynth-Studio": "modelscope",
    "sglang-jax": "sgl-project",
    "modalities": "Modalities",
    "stable-audio-3": "Stability-AI",
    "gpt-neox": "EleutherAI",
    "vllm": "vllm-project",
    "fairseq2": "facebookresearch",
}


def links(report: str, mended: str) -> tuple[str, str]:
    """A report and what mended it, as links.

    >>> links("vllm#54569", "#54620, open")[1]
    '[`#54620`](https://github.com/vllm-project/vllm/issues/54620), open'
    """
    project, number = report.split("#")
    address = f"https://github.com/{OWNERS[project]}/{project}/issues/"  # leads on to pull requests
    by = re.fullmatch(r"#(\d+)(.*)", mended)
    if by is not None:
        mended = "this one" if by[1] == number else f"[`#{by[1]}`]({address}{by[1]}){by[2]}"
    return f"[`{report}`]({address}{number})", mended
