"""The three classes of the notes (S3-18, S3-24, S3-25), built on the module, with the shapes quoted there."""

import math

import pytest

torch = pytest.importorskip("torch")

from pe_book.nn import SinusoidalEncoding, table


class TransformerWithPositionalEncoding(torch.nn.Module):
    """S3-18: embedding times √d_model, plus rows; no dropout."""

    def __init__(self, vocab_size, d_model, max_seq_len):
        super().__init__()
        self.token_embedding = torch.nn.Embedding(vocab_size, d_model)
        self.pos_encoding = SinusoidalEncoding(d_model, max_len=max_seq_len, dropout=0.0, scale=True)

    def forward(self, ids):
        return self.pos_encoding(self.token_embedding(ids))


class PositionalEncoding(SinusoidalEncoding):
    """S3-24: dropout(x + rows); the caller scales."""

    def __init__(self, d_model, max_seq_len=5000, dropout=0.1):
        super().__init__(d_model, max_len=max_seq_len, dropout=dropout)


class SimpleTransformer(torch.nn.Module):
    """S3-25: embedding times √d_model, then S3-24."""

    def __init__(self, vocab_size, d_model=512, max_seq_len=1000):
        super().__init__()
        self.token_embedding = torch.nn.Embedding(vocab_size, d_model)
        self.pos_encoding = PositionalEncoding(d_model, max_seq_len)
        self.scale_factor = math.sqrt(d_model)

    def forward(self, ids):
        return self.pos_encoding(self.token_embedding(ids) * self.scale_factor)


def float32_recipe(seq_len, d_model):
    """The notes' table: float32 throughout, frequencies as exp of a multiple of log 10000."""
    exponents = torch.arange(0, d_model, 2).float() * (-math.log(10000.0) / d_model)
    angles = torch.arange(seq_len).float()[:, None] * exponents.exp()
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)


def test_s3_18_embedding_and_rows():
    model = TransformerWithPositionalEncoding(100, 16, 50)
    ids = torch.randint(0, 100, (3, 50))
    embedded = model.token_embedding(ids)
    assert model(ids).shape == (3, 50, 16)
    assert model.pos_encoding.table.shape == (50, 16)
    torch.testing.assert_close(
        model(ids), embedded * math.sqrt(16) + float32_recipe(50, 16), rtol=1e-5, atol=1e-5
    )
    assert torch.equal(model.train()(ids), model.eval()(ids))  # no dropout


def test_s3_24_the_defaults_and_the_buffer():
    module = PositionalEncoding(512)
    assert module.table.shape == (5000, 512)
    assert module.table.unsqueeze(0).shape == (1, 5000, 512)  # the notes' buffer has a batch axis
    assert module.dropout.p == 0.1
    x = torch.randn(2, 7, 512, generator=torch.Generator().manual_seed(0))
    torch.testing.assert_close(module.eval()(x), x + float32_recipe(7, 512), rtol=0, atol=1e-5)
    assert (module.train()(x) == 0).any()


def test_s3_25_the_demonstration_has_the_quoted_shape():
    model = SimpleTransformer(vocab_size=10000)
    ids = torch.randint(0, 10000, (2, 50))
    assert list(model(ids).shape) == [2, 50, 512]
    embedded = model.eval().token_embedding(ids)
    # the factor is applied once: the module does not scale what the model has scaled
    torch.testing.assert_close(model(ids), embedded * math.sqrt(512) + table(50, 512), rtol=1e-6, atol=1e-6)
    assert model.pos_encoding.table.shape == (1000, 512)


def test_where_the_notes_fail_and_the_module_does_not():
    model = SimpleTransformer(50, 16, max_seq_len=8)
    ids = torch.randint(0, 50, (2, 20))
    with pytest.raises(RuntimeError, match="size of tensor"):
        model.token_embedding(ids) + float32_recipe(8, 16)  # their slice is eight rows long
    assert model(ids).shape == (2, 20, 16)
    assert list(model.state_dict()) == ["token_embedding.weight"]  # theirs holds the table, and its length
    # and the float32 recipe drifts away with the position; the module does not
    drift = (float32_recipe(5000, 512).double() - table(5000, 512, dtype=torch.float64)).abs().max()
    own = (table(5000, 512).double() - table(5000, 512, dtype=torch.float64)).abs().max()
    assert own <= 2.0**-25 + 2.0**-50
    assert drift > 1000 * own
