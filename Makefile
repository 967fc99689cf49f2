# Every command of the book; `make help` says what each does. On Windows: make.bat html, make.bat test, make.bat page.
-include .venv/made.mk # what the environment was made with
PYTHON ?= python3
TORCH  ?= yes
$(if $(filter yes no,$(TORCH)),,$(error TORCH is $(TORCH): it can be yes or no))
export TORCH PIP_ARGS

# `make html PY=python` takes the environment that you are in, as it is
PY     ?= .venv/bin/python
MADE   := $(if $(filter .venv/%,$(PY)),.venv/made-from.txt)
BUILD  := docs/_build
DRIVER := $(PY) docs/_ext/driver
PYTEST := $(PY) -m pytest
# a reader waits for its kernel, and another reads meanwhile
JOBS   := $(shell expr $$(getconf _NPROCESSORS_ONLN || echo 1) + 1)
SPHINX := $(PY) -m sphinx -E -W -j $(JOBS) -b html -c . -D "pe_executions=$(CURDIR)/$(BUILD)/executions"

# what the site is made from; README and licence lie in the wheels beside the notebooks
SOURCES := docs pe_book study conf.py pyproject.toml requirements.txt README.md CHANGELOG.md LICENSE
LIST    := find $(SOURCES) \( -path $(BUILD) -o -name __pycache__ \) -prune -o -type f -print
FILES   := $(shell $(LIST))

# pages and tests see none of the author's own settings of Python
unexport PYTHONPATH PYTHONHOME PYTHONOPTIMIZE PYTHONSTARTUP PYTHONWARNINGS PYTEST_ADDOPTS
export PYTHONHASHSEED := 0
export PYTHONNOUSERSITE := 1
export BESIDE P PAGES RECORD NAME TITLE TWIN LIGHTHOUSE SMOKE LIVE_FROM

.DEFAULT_GOAL := help
.NOTPARALLEL:
.DELETE_ON_ERROR:
.PHONY: FORCE

help: ## list the commands
	@sed -n 's/^\([a-z]*\):.*## /make \1 /p' Makefile | awk '{ c = $$2; sub(/^make [a-z]+ /, ""); printf "make %-13s %s\n", c, $$0 }'
	@echo "For each: PYTHON=python3.12, PIP_ARGS='...', TORCH=no to do without torch."

# ---------------------------------------------------------------- the environment

# it is made anew when what it was made from is another, or its Python is gone
ASKED := $(if $(filter no,$(TORCH)),grep -v '^torch==',cat) requirements.txt
ifneq ($(shell $(ASKED) | cmp - .venv/made-from.txt 2>&1 && { test -x .venv/bin/python || echo gone; }),)
.PHONY: $(MADE)
endif
.venv/made-from.txt:
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))' || \
	    { echo "The book needs Python 3.11 to 3.14: name one, as in PYTHON=python3.13." >&2; exit 2; }
	rm -rf .venv
	$(PYTHON) -m venv .venv
	$(ASKED) >.venv/requirements.txt
	$(PY) -m pip install --disable-pip-version-check -q -r .venv/requirements.txt $(PIP_ARGS) || \
	    { echo "pip could not install requirements.txt, for the reason above. Where there is no wheel of torch: TORCH=no." \
	      "Without a network: PIP_ARGS='--no-index --find-links=FOLDER_OF_WHEELS'." >&2; exit 2; }
	printf 'PIP_ARGS ?= %s\nTORCH ?= %s\n' "$$PIP_ARGS" "$$TORCH" >.venv/made.mk
	cp .venv/requirements.txt $@

install: $(MADE) $(if $(filter yes,$(LIBRARIES)),.parity/made) $(if $(filter yes,$(DASK)),.study-on/made) ## make the environment, as every command does; LIBRARIES=yes for what parity needs, DASK=yes for the study

# what parity compares with lies beside the environment, without what it asks for: torch and numpy stay those of the book
.parity/made: tests/parity/requirements.txt requirements.txt $(MADE)
	rm -rf .parity && mkdir .parity
	$(PY) -m pip install --disable-pip-version-check -q --no-deps --target .parity/libraries -r $< $(PIP_ARGS)
	touch $@
LIBRARY := PYTHONPATH=.parity/libraries PE_PARITY="$(CURDIR)/.parity/libraries" HF_HUB_OFFLINE=1 TRANSFORMERS_OFFLINE=1

# the same for the study on other machines: Dask
.study-on/made: study/dask-requirements.txt requirements.txt $(MADE)
	rm -rf .study-on && mkdir .study-on
	$(PY) -m pip install --disable-pip-version-check -q --no-deps --target .study-on/libraries -r $< $(PIP_ARGS)
	touch $@
ON_DASK := PYTHONPATH=.study-on/libraries

# ---------------------------------------------------------------- the site

# times do not tell that a file is gone, or that the site gets another address
$(BUILD)/given: FORCE
	@mkdir -p $(BUILD)
	@{ echo '$(PE_SITE_URL)'; $(LIST) | sort; } | cmp -s - $@ || { echo '$(PE_SITE_URL)'; $(LIST) | sort; } >$@

$(BUILD)/doctests: $(MADE) pyproject.toml $(filter pe_book/%,$(FILES))
	$(PYTEST) -q --doctest-modules pe_book $(if $(filter no,$(TORCH)),--doctest-ignore-import-errors)
	@mkdir -p $(BUILD)
	@touch $@

$(BUILD)/site: $(BUILD)/doctests $(BUILD)/given $(FILES)
	@rm -f $@
	$(SPHINX) -d $(BUILD)/doctrees docs $(BUILD)/html
	@touch $@

html: $(BUILD)/site ## build the site: run the doctests, execute every page; LIVE=yes LIVE_FROM=… for cells that run in the browser
	$(if $(filter yes,$(LIVE)),@$(DRIVER) live.run,@echo "Open file://$(CURDIR)/$(BUILD)/html/index.html")

# Python for the browser; tests take a numpy besides, which stands in for the one that is published
.live/made: docs/_ext/bookish/live/package.json $(MADE)
	@$(DRIVER) audit.npm $< .live && touch $@ || echo "Tests of cells that run in the browser are left out."

page: $(MADE) ## build one page alone and try its cells and figures: P=sinusoidal/shift, RECORD=yes
	@$(DRIVER) page

serve: $(BUILD)/site ## serve the site to this machine alone: PORT=8000, LIVE=yes for the one that html LIVE=yes made
	$(PY) -m http.server --bind 127.0.0.1 --directory $(BUILD)/$(if $(filter yes,$(LIVE)),live,html) $(or $(PORT),8000)

archive: $(BUILD)/site ## pack the site into dist/, to be opened without a server or a network: BESIDE=yes lets a hosted site offer it
	$(DRIVER) archive

reproducible: $(MADE) ## build twice from nothing, compare every byte: PAGES='why/order-blindness ...' for some
	$(DRIVER) reproducible

# ---------------------------------------------------------------- checks

SHARED  := -n 2 -p tests.driver.sharing
QUICK   := -m "not thorough"

check: $(MADE) ## check lint, format and types
	$(PY) -m ruff check
	$(PY) -m ruff format --check
	$(PY) -m mypy

ALL_TESTS := OMP_NUM_THREADS=1 $(PYTEST) $(SHARED) $(QUICK) tests $(foreach one,machinery site parity,--ignore=tests/$(one))
test: $(if $(P),$(MADE),$(BUILD)/site) ## run the doctests and the tests, after building the site if it is out of date: P=… for a page
	$(if $(P),$(DRIVER) page test,$(ALL_TESTS))

browser: $(BUILD)/site .live/made ## open the built site in Chromium: on a phone, by keyboard, in the dark; search, folds, links
	$(PYTEST) -n 2 $(QUICK) tests/site

machinery: $(MADE) ## test what keeps the book honest: mistakes planted in small books, edits one after another
	$(PYTEST) $(SHARED) $(QUICK) tests/machinery

# what is recorded comes together in one process, and then has to be what the comparison gives
parity: .parity/made ## compare definitions with other libraries, in a folder of their own: RECORD=yes
	$(if $(filter yes,$(RECORD)),$(LIBRARY) PE_RECORD=parity $(PYTEST) $(QUICK) tests/parity --ignore=tests/parity/test_record.py)
	$(LIBRARY) $(PYTEST) $(if $(filter yes,$(RECORD)),-q tests/parity/test_record.py,$(SHARED) $(QUICK) tests/parity)

census: .parity/made ## see what every model type of transformers does with positions, and say what changed: ONLY='t5 …' to print some
	$(LIBRARY) OMP_NUM_THREADS=1 $(PY) -m tests.parity.census.taken $(ONLY)

notebooks: $(BUILD)/site ## execute every notebook of the site in an environment that has its wheels alone
	$(DRIVER) notebook_runs

versions: $(MADE) ## try the package on the oldest and newest Python, numpy and torch: SMOKE=yes, RECORD=yes
	$(DRIVER) versions

# 5 is what pytest says when no test was chosen
WEEKLY = PE_WEEKLY=$(if $(PART),,1) $(PYTEST) $(SHARED) -m thorough --durations=20 $(if $(PART),--part $(PART))
thorough: $(BUILD)/site .parity/made .live/made .study-on/made ## run the weekly set: what takes longer, on new draws; PART=3/14 for one of its parts
	$(ON_DASK) $(WEEKLY) tests --ignore=tests/parity || [ $$? -eq 5 ]
	$(LIBRARY) $(WEEKLY) tests/parity || [ $$? -eq 5 ]
	$(if $(PART),,$(DRIVER) versions && $(DRIVER) reproducible)

.PHONY: study # there is a folder of that name
study: $(MADE) $(if $(STUDY_ON),.study-on/made) ## run the study of longer texts, which takes hours and goes on where it was stopped: STUDY_ON=tcp://… for Dask
	$(if $(STUDY_ON),$(ON_DASK) )$(PY) -m pe_book.evidence.length_generalisation.sweep

tour: $(MADE) ## train the small decoders whose insides a page shows, and record these: a minute
	$(PY) -m pe_book.evidence.length_generalisation.tour

audit: $(BUILD)/site ## weigh the built pages, and ask Lighthouse for the chapters: PAGES='…' for some, LIGHTHOUSE=no, RECORD=yes
	$(DRIVER) audit.run

bench_table := timing
bench_rotary := rotary_timing
bench_bias := bias_timing
bench: $(MADE) ## measure speeds beside other libraries, and record them: ONLY=table, rotary or bias for some
	$(PY) -m pip install -q -r pe_book/evidence/records/bench-requirements.txt -c requirements.txt $(PIP_ARGS)
	$(foreach one,$(or $(ONLY),table rotary bias),$(PY) -m pe_book.evidence.$(bench_$(one)) &&) true

# ---------------------------------------------------------------- what authors write with

chapter: $(MADE) ## lay out the files of a new chapter: NAME=family/rotary TITLE=Rotary, TWIN=yes
	@$(DRIVER) chapter

labels: $(MADE) ## list the labels that page or html found, each with its page
	@$(DRIVER) labels

stubs: $(MADE) ## write what type checkers see of the package, from its catalogue
	@$(DRIVER) stubs

clean: ## delete what was built; ALL=yes deletes the environment too
	rm -rf $(BUILD) dist .pytest_cache .mypy_cache .ruff_cache .hypothesis $(if $(filter yes,$(ALL)),.venv .audit .live .parity .study-on)
