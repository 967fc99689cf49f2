"""What every definition does with what it is given: checks, arrays, words for errors, shapes, pairs."""
