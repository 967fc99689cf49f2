"""The frame of every page, as far as it depends on what pyproject.toml says."""

PAGE = "(sec:index:top)=\n# Page\n\nText.\n"


def test_the_source_is_linked_when_its_address_is_set(book):
    book.page("index", PAGE)
    footers = []
    for address in ("", "https://example.org/code"):
        if address:
            book.change(
                "pyproject.toml",
                "[project.optional",
                f'[project.urls]\nSource = "{address}"\n\n[project.optional',
            )
        built = book.build(builder="html", strict=False)
        assert built.code == 0, built.output
        page = (book.root / "out" / "index.html").read_text(encoding="utf-8")
        footers.append(page[page.index("bd-footer") :])
    assert ">Source</a>" not in footers[0]
    assert '<a href="https://example.org/code">Source</a>' in footers[1]
