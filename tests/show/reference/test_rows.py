"""The rows of the conventions page: each program prints numbers of its own."""

from pe_book.show.reference import conventions


def test_the_row_of_the_conventions_page():
    cells = {row[0]: row[1:] for row in conventions.one_row(1, 6).cells}
    assert cells["this book, the paper"] == ("0.8415", "0.5403", "0.0464", "0.9989", "0.0022", "1.0000")
    assert cells["slip: exponent $i/d$"][2:4] == ("0.2138", "0.9769")
    assert cells["positions from 1"][1] == "−0.4161"
    assert cells["halves, cosines first"] == ("0.5403", "0.9989", "1.0000", "0.8415", "0.0464", "0.0022")
    assert len(set(cells.values())) == len(cells)


def test_the_turned_row_of_the_conventions_page():
    rows = conventions.one_turn(1, 6, 4).cells
    programs = {f"{first} {last}": (program, length) for first, last, program, length in rows}
    assert len(programs) == len(rows) == 13  # what is seen names one program
    named = {program: seen for seen, (program, _) in programs.items()}
    assert named["neighbours in the first columns"] == "−1.14 1.92 2.96 4.03 5.00 6.00"
    assert named["halves in the first columns"].startswith("−1.98 1.96 2.46 4.02")
    assert named["neighbours in the last columns"].startswith("1.00 2.00")
    assert named["halves in the last columns: MiniCPM3"] == "1.00 2.00 −2.59 3.94 5.23 6.04"
    assert programs["1.00 2.00 −1.74 4.94 4.69 6.05"][0].endswith("given as halves: DeepSeek-V3")
    assert named["halves, slow pairs stopped: p-RoPE"].split()[2] == "3.00"
    assert programs["−1.14 2.04 2.99 4.69 4.72 6.01"][0] == "mixed: table in halves, turn of neighbours"
    assert programs["−2.83 −3.13 2.72 4.04 5.00 6.01"][0] == "mixed: table of neighbours, turn of halves"
    mixed = {program for program, length in programs.values() if length != f"{91**0.5:.2f}"}
    assert mixed == {program for program in named if program.startswith("mixed")}
