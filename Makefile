# A fresh machine needs Go and make only; a C compiler adds the race detector to the tests.

GOLANGCI_LINT = go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
GOFUMPT       = go run mvdan.cc/gofumpt@v0.12.0
GOVULNCHECK   = go run golang.org/x/vuln/cmd/govulncheck@v1.9.0
CYCLONEDX     = go run github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0

# A release is a tag; in between the program says what it will be, and of which commit it is.
VERSION  ?= $(shell git describe --tags --exact-match --match 'v[0-9]*' --dirty 2>/dev/null)
LDFLAGS   = -s -w $(if $(VERSION),-X main.release=$(VERSION))
NAME      = oc-scheduler-$(or $(VERSION),devel)
# The go command itself turns cgo off where there is no C compiler.
RACE      = $(if $(filter 1,$(shell go env CGO_ENABLED)),-race)
FUZZTIME ?= 30s
BENCH    ?= .
SOAK     ?= 10m
FAULTS   ?= .
ARGS     ?=
PLATFORMS ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64
# The compose plugin of docker, or docker-compose (1.29 and later).
COMPOSE  ?= $(shell docker compose version >/dev/null 2>&1 && echo docker compose || echo docker-compose)

.DEFAULT_GOAL := help
.PHONY: help run build release test test-long test-page soak lint fmt bench fuzz cover vuln clean compose-images compose-up compose-down compose-test

help: ## show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/\1\t\2/' | \
		while IFS="$$(printf '\t')" read -r name text; do printf '  make %-12s %s\n' "$$name" "$$text"; done

build: ## build bin/oc-scheduler
	@CGO_ENABLED=0 go build -trimpath -ldflags '$(LDFLAGS)' -o bin/oc-scheduler ./cmd/oc-scheduler

release: ## build static binaries for Linux and macOS into dist/, with checksums and an SBOM (CycloneDX)
	@rm -rf dist && mkdir dist
	@set -e; for platform in $(PLATFORMS); do \
		echo "$$platform"; \
		CGO_ENABLED=0 GOOS=$${platform%/*} GOARCH=$${platform#*/} \
			go build -trimpath -ldflags '$(LDFLAGS)' -o "dist/$(NAME)-$${platform%/*}-$${platform#*/}" ./cmd/oc-scheduler; \
	done
	@$(CYCLONEDX) bin -json -std -version '$(or $(VERSION),devel)' -output dist/$(NAME).cdx.json dist/$(NAME)-$(subst /,-,$(firstword $(PLATFORMS))) 2>dist/sbom.log || { cat dist/sbom.log; exit 1; }
	@rm dist/sbom.log && cd dist && sha256sum * >SHA256SUMS && cat SHA256SUMS

run: build ## build and start the demo: embedded NATS, two peers, one workflow (ARGS='--listen :9090')
	@exec bin/oc-scheduler demo $(ARGS)

# Each process of a test waits a second at its end for races that are still to be told; a tenth is enough.
test: ## run the tests, shuffled, with the race detector where a C compiler is there
	GORACE=atexit_sleep_ms=100 go test $(RACE) -shuffle=on -timeout 20m ./...

# The Go files of a tag, and the names of their tests as a pattern.
long_files = $(shell grep -rlE --include='*_test.go' '^//go:build .*\<long\>' .)
LONG       = ^($(shell grep -hoE '^func Test[A-Za-z0-9_]+' $(long_files) | cut -c6- | sort | paste -sd'|' -))$$

test-long: ## run the tests that kill and pause processes or NATS nodes, or build other versions, clocks and readers of deploy/
	go test -tags long -run '$(LONG)' -count=1 -parallel 2 -timeout 20m $(sort $(dir $(long_files)))

test-page: ## try the page in a real browser (needs Debian's chromium, and npm once to fetch axe-core)
	go test -tags page -run '^TestPage[A-Z]' -count=1 ./httpapi

soak: build ## try a fleet of 3 on 3 NATS nodes under random faults (FAULTS, a regular expression) for SOAK (10m), then 100,000 events of nodes, bookings beside a twin, a thousand runs, and a peer of 20 nodes
	go test -tags soak -run '^TestSoak$$' -count=1 -timeout 0 -v ./internal/fleettest -soak $(SOAK) -faults "$(FAULTS)" -binary $(CURDIR)/bin/oc-scheduler
	go test -tags soak -run '^TestEveryEventHasItsEffectOnce$$' -count=1 -timeout 0 -v ./streams/orchestrator
	go test -tags soak -run '^TestOneOfManyHasIt$$|^TestAPlanIsAsItsTwin$$' -count=1 -timeout 0 -v ./streams/booking
	go test -tags soak -run '^TestSoakRuns$$' -count=1 -timeout 0 -v ./cmd/oc-scheduler
	go test -tags soak -run '^TestSoakNodesAsProcesses$$' -count=1 -timeout 0 -v ./cmd/oc-scheduler

lint: ## check format, vet, linters and the import rules
	$(GOLANGCI_LINT) run

fmt: ## rewrite the sources in gofumpt's format
	$(GOFUMPT) -w .

bench: ## run the benchmarks (BENCH=pattern)
	go test -run '^$$' -bench '$(BENCH)' -benchmem ./...

fuzz: ## run every fuzz target for FUZZTIME (30s) each
	@set -e; for dir in $$(grep -rl --include='*_test.go' '^func Fuzz' . | xargs -r -n1 dirname | sort -u); do \
		for target in $$(grep -ho '^func Fuzz[A-Za-z0-9_]*' $$dir/*_test.go | cut -c6-); do \
			echo "== $$dir $$target"; \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$dir; \
		done; \
	done

cover: ## write cover.html and print the total
	go test -shuffle=on -coverpkg=./... -coverprofile=cover.out ./...
	go tool cover -html=cover.out -o cover.html
	@go tool cover -func=cover.out | tail -1

vuln: ## look for known vulnerabilities (needs internet)
	$(GOVULNCHECK) ./...

compose-images:
	@LDFLAGS='$(LDFLAGS)' deploy/images.sh

compose-up: compose-images build .env ## start a fleet in containers: 3 NATS nodes, 3 replicas, balancer, 2 peers
	@$(COMPOSE) up -d --remove-orphans $(ARGS)
	@deploy/await.sh "http://$$($(COMPOSE) port balancer 8080)" "https://localhost:$$($(COMPOSE) port balancer 8443 | sed 's/.*://')" "$$($(COMPOSE) port nats-1 4222)"

compose-down: .env ## stop the fleet (ARGS=-v: and forget what it stored)
	@$(COMPOSE) --profile monitoring down --remove-orphans $(ARGS)

compose-test: compose-images ## break such a fleet in many ways, and check that nobody notices
	go test -tags compose -run '^TestCompose$$' -count=1 -timeout 20m -v ./deploy

# Passwords, made once. They begin with a letter: NATS takes values of the environment for numbers else.
.env:
	@umask 077 && for user in SCHEDULER BUS DEMO_NORTH DEMO_NORTH_2 DEMO_SOUTH ROUTE; do \
		echo "$${user}_PASSWORD=p$$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')"; done >$@.new && mv $@.new $@

clean: ## remove what the other targets made
	rm -rf bin dist cover.out cover.html
