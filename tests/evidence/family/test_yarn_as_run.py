"""What must move the numbers of the page on YaRN as it is run."""

PLANTED = {
    "ramp": [
        (
            "pe_book/family/context_extension/ramps.py",
            "(turns(omega, length) - slow)",
            "(turns(omega, length) - fast)",
        ),
    ],
}
