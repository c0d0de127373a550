# `make` does what CI does; `make help` lists everything.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := check
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

GO ?= go
BUF := $(GO) tool -modfile=tools/go.mod buf
GOLANGCI := $(GO) tool -modfile=tools/lint/go.mod golangci-lint
GOTEST := $(GO) run -C tools ./gotest

# Stamped into the binary: `make build VERSION=v0.1.0`.
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)

# What `make check` runs, in this order: what is quick to find comes first.
CHECKS := lint check-generated breaking test examples conformance interop race sim fuzz-smoke fault-smoke power-cut corruption starved

# How long and how much; each may be set on the command line.
FUZZ_RUNS ?= 10000x
SIM_STEPS ?= 1000000
KILL_ROUNDS ?= 10
KILL_FLAGS ?=
SOAK_KILL_ROUNDS ?= 200
CUT_ROUNDS ?= 6
CUT_MOMENTS ?= 40
CUT_LOADS ?= 1
SOAK_CUT_ROUNDS ?= 300
DAMAGE_TRIALS ?= 30
SOAK_DAMAGE_TRIALS ?= 300
SOAK_CUT_MOMENTS ?= 120
SOAK_CUT_LOADS ?= 5
STARVED_FLAGS ?=
CONFORMANCE_FLAGS ?=
INTEROP_MESSAGES ?= 10000
SOAK_INTEROP_MESSAGES ?= 1000000
SOAK_SIM_STEPS ?= 100000000

.PHONY: help
help: ## Show every target
	@awk -F ':.*## ' '/^##@ /{printf "\n%s\n", substr($$0, 5)} /^[a-z-]+:.*## /{printf "  make %-16s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

##@ Using

.PHONY: build
build: ## Build the one binary, bin/headrace
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags "-X main.version=$(VERSION)" -o bin/headrace ./cmd/headrace

.PHONY: demo
demo: ## Run the demo: a server, real earthquakes, services in Go, Java and Python, one of them killed
	$(GO) run ./examples/go/earthquakes

##@ Testing

.PHONY: check
check: ## Everything that CI runs, within 30 minutes on 2 cores
	@for target in $(CHECKS); do \
		started=$$SECONDS; echo "=== make $$target"; \
		$(MAKE) $$target; \
		echo "=== make $$target took $$((SECONDS - started)) s"; \
	done
	@echo "make check: all passed"

.PHONY: check-all
check-all: check ## check, the SDKs on every runtime that they promise, and SDKs broken on purpose
	tools/check-java-matrix
	tools/check-python-matrix
	$(MAKE) conformance-mutants

.PHONY: test
test: ## Tests of every language installed: Go, Java, Python
	tools/test

.PHONY: examples
examples: ## Every example in every language installed, against what it should print
	$(GO) run -C tools ./examples

.PHONY: race
race: ## Go tests under the race detector (needs a C compiler)
	CGO_ENABLED=1 $(GOTEST) -race ./...

.PHONY: conformance
conformance: ## The same scenarios in every SDK, against the real server and a network that fails; prints the matrix
	tools/conformance $(CONFORMANCE_FLAGS)

.PHONY: conformance-mutants
conformance-mutants: ## Break each SDK in six places and see which scenario notices; make test tries that they apply
	tools/conformance mutants $(CONFORMANCE_FLAGS)

.PHONY: interop
interop: ## Published by any SDK, received by any, compared by digest; INTEROP_MESSAGES=1000000 is the full size
	tools/interop -messages $(INTEROP_MESSAGES)

.PHONY: sim
sim: ## The delivery simulator: 10^6 steps against the naive model
	HEADRACE_SIM_STEPS=$(SIM_STEPS) $(GOTEST) -count=1 -timeout 20m -run Simulat ./server/broker/delivery/...

.PHONY: mutants
mutants: ## The delivery simulator against every mutant; make test tries one of eight
	HEADRACE_TEST_SCALE=full $(GOTEST) -count=1 -timeout 30m ./server/broker/delivery/mutants

.PHONY: fuzz-smoke
fuzz-smoke: ## Every Fuzz function, 10,000 times
	tools/fuzz-smoke $(FUZZ_RUNS)

.PHONY: fault-smoke
fault-smoke: ## Kill -9 a server and its clients under load, 10 rounds, and servers that break promises; check what all were told
	$(GOTEST) -C ../faults -count=1 ./history/...
	$(GOTEST) -C ../faults -count=1 -timeout 60m ./crash -rounds $(KILL_ROUNDS) $(KILL_FLAGS)

.PHONY: power-cut
power-cut: ## Cut the power beneath a store, 6 rounds and at 40 moments, and beneath stores that do not sync (root, Linux)
	$(GOTEST) -C ../faults -count=1 ./fusefs
	$(GOTEST) -C ../faults -count=1 ./shardload
	$(GOTEST) -C ../faults -count=1 -timeout 60m ./powercut -rounds $(CUT_ROUNDS)
	$(GOTEST) -C ../faults -count=1 -timeout 120m ./replay -cuts $(CUT_MOMENTS) -loads $(CUT_LOADS)

.PHONY: corruption
corruption: ## Damage one file of a store, 30 times, and look for silence (Linux)
	$(GOTEST) -C ../faults -count=1 -timeout 60m ./corruption -trials $(DAMAGE_TRIALS)

.PHONY: starved
starved: ## A server without room, descriptors, file size or memory (Linux; root for the disk)
	$(GOTEST) -C ../faults -count=1 -timeout 60m ./starved $(STARVED_FLAGS)

.PHONY: soak
soak: ## The long ones: 200 kills, 300 power cuts, 600 moments, tests at their full size, 10^8 simulator steps, minutes of fuzzing; hours
	$(MAKE) fault-smoke KILL_ROUNDS=$(SOAK_KILL_ROUNDS)
	$(MAKE) power-cut CUT_ROUNDS=$(SOAK_CUT_ROUNDS) CUT_MOMENTS=$(SOAK_CUT_MOMENTS) CUT_LOADS=$(SOAK_CUT_LOADS)
	$(MAKE) corruption DAMAGE_TRIALS=$(SOAK_DAMAGE_TRIALS)
	$(MAKE) starved STARVED_FLAGS=-long
	$(MAKE) interop INTEROP_MESSAGES=$(SOAK_INTEROP_MESSAGES)
	HEADRACE_TEST_SCALE=full $(GOTEST) -count=1 -timeout 2h ./cmd/... ./server/... ./storage/...
	$(MAKE) sim SIM_STEPS=$(SOAK_SIM_STEPS)
	$(MAKE) mutants
	$(MAKE) conformance-mutants
	$(MAKE) fuzz-smoke FUZZ_RUNS=600000x

.PHONY: bench
bench: build ## Benchmarks: the store alone, then publish and end to end through a server
	$(GO) test -run '^$$' -bench . -benchmem ./storage/...
	$(GO) run ./storage/storebench
	bin/headrace bench pub --size 1024 --duration 15s
	bin/headrace bench e2e --size 1024 --duration 15s

.PHONY: throughput
throughput: ## What each SDK publishes and receives, side by side (Go, Java, Python; some two minutes)
	tools/throughput $(THROUGHPUT_FLAGS)

##@ Checking the code

.PHONY: lint
lint: ## gofmt, golangci-lint, buf lint, buf format, ruff, mypy
	@unformatted=$$(gofmt -l $$(git ls-files --cached --others --exclude-standard -- '*.go' ':!gen')); \
	if [[ -n "$$unformatted" ]]; then echo "not gofmt'd:"; echo "$$unformatted"; exit 1; fi
	$(GOLANGCI) run ./...
	cd tools && $(GO) tool -modfile=lint/go.mod golangci-lint run ./...
	cd faults && $(GO) tool -modfile=../tools/lint/go.mod golangci-lint run ./...
	$(BUF) lint
	$(BUF) format --diff --exit-code
	tools/lint-python

.PHONY: fix
fix: ## Let golangci-lint, gofmt and buf mend what they can
	$(GOLANGCI) run --fix ./... || true
	gofmt -w $$(git ls-files --cached --others --exclude-standard -- '*.go' ':!gen')
	$(BUF) format --write

.PHONY: breaking
breaking: ## The contract against its committed baseline, and the proof that this turns red
	tools/baseline verify
	$(BUF) breaking --against proto/baseline.binpb
	$(GOTEST) -C . -count=1 ./...

.PHONY: check-generated
check-generated: ## Fail unless gen/ is what proto/ generates
	tools/check-generated

##@ Generating

.PHONY: generate
generate: ## Write gen/ anew from proto/
	tools/generate

.PHONY: baseline
baseline: ## Move the contract's baseline to proto/ as it is (needs its line in CHANGELOG.md)
	tools/baseline move
