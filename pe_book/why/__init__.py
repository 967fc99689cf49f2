"""Part I: what attention loses without position, and the first ideas for putting it back."""
