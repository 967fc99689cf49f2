# Every command of the book; `make help` says what each does. Without make: python docs/_ext/book.py html
PYTHON ?= python3
COMMANDS = help html test browser machinery parity page serve check reproducible bench audit versions notebooks archive thorough chapter stubs labels install doctor clean

.DEFAULT_GOAL = help
.NOTPARALLEL:
.PHONY: $(COMMANDS)
$(COMMANDS):
	@$(PYTHON) docs/_ext/book.py $@
