"""Tables of the reference pages."""
