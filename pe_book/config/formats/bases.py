"""Which base the published models of a type have, for reports on a base that is strange or missing."""

from pe_book.config.classes import MODELS

#: Of each ``model_type`` the bases of its published models, as their configs say them or leave them out.
PUBLISHED: dict[str, dict[str, float]] = {
    "llama": {"Llama 1 and 2": 1e4, "Llama 3": 5e5, "Code Llama": 1e6},
    "mistral": {"Mistral 7B v0.1": 1e4, "Mistral 7B v0.3": 1e6},
    "qwen2": {"Qwen1.5 to Qwen2.5": 1e6, "Qwen2.5 1M": 1e7},
    "qwen3": {"Qwen3": 1e6},
    "phi3": {"Phi-3": 1e4},
    "gemma2": {"Gemma 2": 1e4},
}


def usual_bases(model_type: str) -> str:
    """Which bases are usual for a model type, and whose they are.

    >>> usual_bases("llama")
    '10,000 is that of Llama 1 and 2, 500,000 of Llama 3, 1,000,000 of Code Llama'
    >>> usual_bases("smollm3")
    '2,000,000 is what the code of smollm3 takes where a config names none'
    """
    families = PUBLISHED.get(model_type)
    if not families:
        return (
            f"{MODELS[model_type].base:,.0f} is what the code of {model_type} takes where a config names none"
        )
    told = [
        f"{base:,.0f} {'of' if i else 'is that of'} {name}" for i, (name, base) in enumerate(families.items())
    ]
    return ", ".join(told)
