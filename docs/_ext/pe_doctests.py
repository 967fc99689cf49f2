"""A block of ``>>>`` lines on a page is run in the page's kernel and must print what it shows."""

from __future__ import annotations

import json
from typing import Any

from myst_nb.sphinx_ import SphinxNbRenderer
from pe_kernel import ask
from pe_refusals import refuse
from sphinx.application import Sphinx

RUN = """
import doctest as _doctest, io as _io, json as _json
_said = _io.StringIO()
_test = _doctest.DocTestParser().get_doctest(_json.loads({block!r}), globals(), {page!r}, None, 0)
_flags = _doctest.ELLIPSIS | _doctest.NORMALIZE_WHITESPACE
_result = _doctest.DocTestRunner(verbose=False, optionflags=_flags).run(_test, out=_said.write)
print(_json.dumps([_result.failed, _said.getvalue()]))
"""

_highlight = SphinxNbRenderer.create_highlighted_code_block


def highlight(self: SphinxNbRenderer, text: str, *args: Any, **kwargs: Any) -> Any:
    if text.lstrip().startswith(">>>"):
        page = self.sphinx_env.docname
        if "nb_client" not in self.md_options:
            refuse("PE211", page)
        else:
            printed, wrong = ask(self.nb_client, RUN.format(block=json.dumps(text), page=page))
            failed, said = (1, wrong) if wrong else json.loads(printed)
            if failed:
                refuse("PE212", page, said=said)
    return _highlight(self, text, *args, **kwargs)


def setup(app: Sphinx) -> dict[str, Any]:
    SphinxNbRenderer.create_highlighted_code_block = highlight
    return {"parallel_read_safe": True, "parallel_write_safe": True}
