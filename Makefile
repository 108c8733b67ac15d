# The commands of this project, each a line or two over CMake's presets and scripts/. `make help` lists
# them.
#
#   CMAKE_FLAGS  more options for the configure step, e.g. CMAKE_FLAGS=-DGEM_WERROR=ON
#   JOBS         parallel compiler runs; default: as many as ninja likes
#   TESTS        options for ctest, e.g. TESTS='-L rung1' or TESTS='-R GgufReader'
#   PROGRAMS     what to build for asan and tsan, if not everything
#   FUZZ_SECONDS fuzzing time of each target

CMAKE_FLAGS ?=
JOBS ?=
TESTS ?=
PROGRAMS ?=
FUZZ_SECONDS ?= 60

PARALLEL = $(if $(JOBS),--parallel $(JOBS))

.DEFAULT_GOAL := help
.PHONY: help demo test build lint tidy format asan tsan fuzz coverage mutations bare-debian clean

help:  ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

demo: build  ## install what is missing, build, and show the main job on a small model
	@scripts/demo.sh build/release

test:  ## install what is missing, build, and run all tests
	@scripts/install_deps.sh test
	cmake --preset release -DGEM_TESTS=ON $(CMAKE_FLAGS)
	cmake --build --preset release $(PARALLEL)
	@scripts/run_tests.sh build/release $(TESTS)

build:  ## install what is missing and build, without the tests
	@scripts/install_deps.sh build
	cmake --preset release -DGEM_TESTS=OFF $(CMAKE_FLAGS)
	cmake --build --preset release $(PARALLEL)

lint:  ## the house rules as tests (formatting, includes, links, wording)
	@scripts/install_deps.sh dev
	cmake --preset release -DGEM_TESTS=ON $(CMAKE_FLAGS)
	cmake --build --preset release $(PARALLEL)
	@scripts/run_tests.sh build/release -L house

tidy:  ## clang-tidy on all sources
	@scripts/install_deps.sh dev
	@scripts/tidy.sh

format:  ## clang-format all sources, in place
	@scripts/install_deps.sh dev
	@python3 tests/lint/check_format.py --root . --fix

asan: sanitize-asan  ## the tests under address and undefined behaviour sanitizers
tsan: sanitize-tsan  ## the tests under thread sanitizer

sanitize-%:
	@scripts/install_deps.sh dev
	cmake --preset $* $(CMAKE_FLAGS)
	cmake --build --preset $* $(PARALLEL) $(if $(PROGRAMS),--target $(PROGRAMS))
	@scripts/run_tests.sh build/$* -LE house $(TESTS)

fuzz:  ## every fuzz target for FUZZ_SECONDS (60) each
	@scripts/install_deps.sh dev
	@scripts/fuzz.sh $(FUZZ_SECONDS)

coverage:  ## lines that the committed fuzz corpora reach in the modules they fuzz
	@scripts/install_deps.sh dev
	@scripts/coverage.sh

mutations:  ## typical mistakes, put into our own code: the tests must notice each
	@scripts/install_deps.sh test
	@python3 scripts/check_mutations.py

bare-debian:  ## demo and test in a fresh, minimal Debian 12 (needs root and debootstrap)
	@scripts/check_bare_debian.sh

clean:  ## remove everything that was built
	rm -rf build
