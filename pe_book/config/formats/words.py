"""What a report says first, where the book explains it, and how a line is made safe to print."""

import os

from pe_book.config.records import Reading


def address(page: str) -> str:
    """Where a page of the book is read: under the address of the site, if one is set.

    >>> address("family/rotary.html").endswith("family/rotary.html")
    True
    """
    return os.environ.get("PE_SITE_URL", "") + page


def plain(line: str) -> str:
    r"""A line as a terminal may show it: what is no letter or sign is written out.

    >>> plain("llama\x1b[2J")
    'llama\\x1b[2J'
    """
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in line)


def verdict(reading: Reading, asked: int | None, errors: int, doubts: int = 0) -> str:
    """In one sentence, which needs no book, whether a model reads the length that was asked.

    >>> from pe_book.config.reading import read_config
    >>> verdict(read_config({"model_type": "bert"}), 1024, 0)
    '1,024 tokens: not covered, the file says up to 512.'
    """
    kind, longest = reading.records[0].kind, reading.max_len
    promised = round(reading.promised_len or 0)
    tokens = f"{asked or promised:,} tokens"
    if longest is None:
        how = "the file does not say how many tokens the model reads"
    elif asked is None or asked <= promised:
        how = f"{tokens}: covered, up to {promised:,} by the file; training beyond it is not in a config"
        if doubts:
            how = f"{tokens}: within the {promised:,} that the file claims, which findings put in doubt"
    elif kind in ("alibi", "bias"):
        how = f"{tokens}: no table ends there; the file says {promised:,}, and training is not in a config"
    elif asked <= reading.possible_len:
        how = f"{tokens}: covered only if {longest:,} is the length before scaling; the file does not say it"
    else:
        how = f"{tokens}: not covered, the file says up to {promised:,}"
    counted = f"; {errors} of the findings are errors" if errors > 1 else "; one of the findings is an error"
    assumed = "" if reading.known else f"guessed, as if it were {reading.read_as}: "
    return f"{assumed}{how}{counted if errors else ''}."
