"""What the how-to on biases says of sink logits in transformers."""

from collections import defaultdict

import pytest
import torch

from tests.howto.test_add_a_bias import ANSWER, SINK, names

pytest.importorskip("transformers")


def test_the_softmax_by_hand_is_that_of_gpt_oss():
    from transformers.models.gpt_oss.modeling_gpt_oss import eager_attention_forward

    page = names(ANSWER, SINK)
    module = torch.nn.Module()
    module.sinks, module.num_key_value_groups, module.training = page["sink"], 1, False
    theirs, _ = eager_attention_forward(module, *(page[one] for one in "qkv"), page["mask"], 64**-0.5)
    assert torch.allclose(theirs.transpose(1, 2), page["y"], atol=1e-5)


def test_sdpa_takes_the_number_and_leaves_it_out():
    from transformers.integrations.sdpa_attention import sdpa_attention_forward

    page = names(ANSWER, SINK)
    module = torch.nn.Module()
    found, _ = sdpa_attention_forward(
        module, *(page[one] for one in "qkv"), page["mask"], s_aux=page["sink"].flatten()
    )
    assert torch.allclose(found.transpose(1, 2), page["whole"], atol=1e-5)


def test_a_flash_kernel_without_an_argument_for_it_is_called_without():
    from transformers.modeling_flash_attention_utils import _process_flash_attention_kwargs as passed

    lacking = defaultdict(bool)
    assert passed(4, 4, True, s_aux=torch.zeros(8), supports_mapping=lacking) == passed(
        4, 4, True, supports_mapping=lacking
    )
    with pytest.raises(ValueError, match="softcap"):
        passed(4, 4, True, softcap=50.0, supports_mapping=lacking)
