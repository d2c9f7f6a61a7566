# Two commands: `make demo` and `make test`. Both set up all they need from a bare machine that has
# Python, make and (on Debian or Ubuntu) apt.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
# For tests of LPIPS, CLIP and diffusers; the demo needs no torch. Installed by itself, before all that
# asks for `torch`: pip has this release as a build for the processor alone where our CI runs, and would take
# the newest one with CUDA, several gigabytes, for a range.
TORCH  := torch==2.13.0

.PHONY: demo test check venv test-venv system clean

demo: venv system
	$(BIN)/redline demo

test: test-venv system
	$(BIN)/python -m pytest -n 2

check: test-venv
	$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy && $(BIN)/lint-imports

venv: $(VENV)/.installed
test-venv: $(VENV)/.installed-test

$(BIN)/python:
	sh tools/setup/venv.sh "$(PYTHON)" $(VENV)

$(VENV)/.installed: pyproject.toml $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/.installed-test: pyproject.toml $(BIN)/python
	$(BIN)/python -m pip install --quiet '$(TORCH)'
	$(BIN)/python -m pip install --quiet --editable '.[test,perceptual,diffusers]'
	@touch $@ $(VENV)/.installed

system:
	@sh tools/setup/system.sh

clean:
	rm -rf $(VENV) runs redline-demo
