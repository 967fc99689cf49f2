"""Reports in public libraries of a number that was rounded on its way to a sine, as read in their threads."""

import re

# what was rounded, what happened, where, what became of it
REPORTS = (
    ("positions", "DeepSpeed's `zero.Init` made `arange` a 16-bit one", "transformers#28685", "closed"),
    ("positions", "autocast rounded the product of positions from 65,536 on", "diffusers#13920", "#13922"),
    ("positions", "the timestep of a diffusion model, 998.39, became 1000", "DiffSynth-Studio#1025", "#1025"),
    ("positions", "a float32 matrix product ran in TF32", "transformers#48428", "#48450, open"),
    ("frequencies", "frequencies cast to the model's format before the product", "sglang-jax#1472", "#1473"),
    ("frequencies", "the same, in training", "modalities#462", "#462"),
    ("frequencies", "a cache rebuilt past its end from cast frequencies", "transformers#29496", "closed"),
    ("angles", "an engine built for bfloat16 took the angle along", "stable-audio-3#81", "#81"),
    ("all", "sine and cosine computed in the model's format", "gpt-neox#1003", "#1041"),
    ("all", "autocast took the computation to bfloat16", "transformers#29285", "#29285"),
    ("all", "the cache of sines and cosines computed in float16", "vllm#1004", "#1004"),
    ("all", "a sinusoidal encoder computed in float16", "vllm#54569", "#54620, open"),
    ("all", "position encoders now compute in float32 throughout", "fairseq2#65", "#65"),
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
