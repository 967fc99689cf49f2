"""The table of who pairs how says of transformers what its sources say."""

from pathlib import Path

from transformers.models.auto import configuration_auto as auto

from pe_book.config.pairings import UNREAD_BY_TRANSFORMERS, pairings


def test_transformers_has_the_types_and_reads_the_keys_that_the_table_says() -> None:
    """Nothing of a model is imported: a key that is read stands in the source that does the turning."""
    home = Path(auto.__file__).parents[1]
    seen = set()
    for row in pairings():
        assert row.beside_weights == (row.model_type not in auto.CONFIG_MAPPING_NAMES), row.model_type
        folder = auto.model_type_to_module_name(row.model_type)
        source = home / folder / f"modeling_{folder}.py"
        if row.beside_weights or not source.exists():
            continue
        text = source.read_text(encoding="utf-8")
        read = {key for key in ("rope_interleave", "rotary_emb_interleaved") if f"config.{key}" in text}
        assert read == {row.layout_key} - {""} - UNREAD_BY_TRANSFORMERS, row.model_type
        seen.add(row.model_type)
    assert len(seen) > 40
