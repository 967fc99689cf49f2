"""What must move the numbers of the page that compares the members."""

PLANTED = {
    "vectors": [("pe_book/family/members/__init__.py", "2 * int(chosen[", "3 * int(chosen[")],
}
