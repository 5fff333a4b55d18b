# make         fetch the tools and build bin/product-comments
# make run     serve with the embedded engine and demo data on http://127.0.0.1:8080/
# make test    every test, where things run concurrently with the race detector
# make help    the other targets

BIN := bin/product-comments
# Commit and date are in the binary, for --version, also where GOFLAGS says otherwise.
STAMP := -buildvcs=auto
# One way to compile for all that runs, tests and releases included, so that a package is
# compiled once. Only the race detector needs another one.
export GOFLAGS := -trimpath $(filter-out -trimpath,$(GOFLAGS))
export CGO_ENABLED := 0

.PHONY: all
all: tools build

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z][a-z-]*:.*## /{printf "  make %-20s %s\n", $$1, $$2}' Makefile

.PHONY: run
run: build ## serve with the embedded engine and demo data
	./$(BIN) serve --demo --moderation post --hold-links

.PHONY: build
build: web/node_modules/.run playground ## build bin/product-comments
	go build $(STAMP) -o $(BIN) .

.PHONY: lambda
lambda: web/node_modules/.run playground ## build dist/lambda/bootstrap, the binary that deploy/template.yaml deploys
	GOOS=linux GOARCH=arm64 go build $(STAMP) -tags lambda.norpc -o dist/lambda/bootstrap .

.PHONY: image
image: umoci web/node_modules/.run playground ## build dist/product-comments-linux-*.oci.tar, container images
	@for architecture in amd64 arm64; do \
		GOOS=linux GOARCH=$$architecture go build $(STAMP) -o dist/linux-$$architecture/product-comments . && \
		sh deploy/image.sh dist/linux-$$architecture/product-comments $$architecture dist/product-comments-linux-$$architecture.oci.tar || exit 1; \
	done

.PHONY: release
release: web/node_modules/.run playground ## build dist/release: all systems, checksums, bill of materials
	sh .ci/reproducible
	sh .ci/release

.PHONY: licences
licences: ## write docs/licences.md anew
	go run ./tools/licences >docs/licences.md.new && mv docs/licences.md.new docs/licences.md

# Many tests wait for engines and servers, so four packages run at once; but for those
# that measure how long things take, which have the machine for themselves. Vetting is
# what make check does, and what debuggers want need not be linked. A package may take
# longer than ten minutes on a busy machine.
TESTED := -vet=off -ldflags=-w -timeout=40m
SIEGE := product-comments/internal/testing/siege
TIMED := product-comments/internal/server/httpapi
# The race detector makes tests up to five times slower. In these packages nothing runs
# concurrently, or only in programs that they start, which are built without it. And four
# tests are long and only read, or measure memory and time of the processor; they run at the same time.
UNRACED := $(addprefix product-comments/,internal/command deploy deploy/monitoring docs examples internal/site/playground internal/site/demo internal/site/reviews store/comment/compressed tools/bench tools/bench/literal tools/dictionary tools/licences tools/scale)
SINGLE := 'TestNothingIsRefusedOnASmallProduct|TestLongImportsTakeLittleMemory|TestOneRequestIsBounded|TestChargesFollowTheWork'
SLOW := product-comments/store product-comments/resolvers product-comments/store/derive/stream
# SQLite, in which each connection is one goroutine's, is compiled without it: it takes most of
# the time of a query, and there is nothing of this project to find.
RACED := CGO_ENABLED=1 go test $(TESTED) -race -gcflags=modernc.org/...=-race=false

.PHONY: test
test: export SKIPPABLE := yes
test: tools playground chromium umoci curl ## run every test, where things run concurrently with the race detector
	go test $(TESTED) -run $(SINGLE) ./store ./internal/files/transfer ./resolvers & single=$$!; \
		go test $(TESTED) -p 4 $(UNRACED); status=$$?; wait $$single && exit $$status
	$(RACED) -p 4 -skip $(SINGLE) $(SLOW) $$(go list ./... | grep -vxF "$$(printf '%s\n' $(SLOW) $(SIEGE) $(TIMED) $(UNRACED))")
	go test $(TESTED) $(SIEGE)
	$(RACED) $(TIMED)

.PHONY: test-dynamodb-local
test-dynamodb-local: tools java ## run the store's tests, and the comparison of engines, on AWS's DynamoDB Local
	TEST_ENGINE=dynamodb-local go test -vet=off -timeout=30m -exec "$(CURDIR)/store/storetest/isolated.sh" -skip 'TestCountMatching|TestOverlayUnderOtherDefinitions|TestPowerSet|TestRebuild|TestProjectSums|TestDerivedEquals|TestCosts|TestNothingIsRefused' ./store ./store/orders ./store/storetest ./store/table ./store/simulation/double

.PHONY: check
check: tools ## formatting, vet, staticcheck, generated code, modules, English, known faults of dependencies
	sh .ci/check

SOAK_TIME ?= 1m
.PHONY: soak
soak: tools ## let everything fail for SOAK_TIME (1m) each: the store, servers, the engine, the disk; and 50 rounds of killed projectors
	SOAK_TIME=$(SOAK_TIME) go test ./internal/testing/faultproxy -run TestTheServiceUnderFaults -count=1 -v -timeout 0
	SOAK_TIME=$(SOAK_TIME) go test ./internal/command -run 'TestRollingRestart|TestKillsLoseNothing|TestFullDisk' -count=1 -v -timeout 0
	SOAK_ROUNDS=50 go test ./internal/command -run TestStatisticsSurvive -count=1 -v -timeout 30m

.PHONY: siege
siege: tools ## attack the real program as hostile clients would, for some minutes
	SIEGE=long go test ./internal/testing/siege -count=1 -v -timeout 30m

FUZZTIME ?= 30s

.PHONY: fuzz
fuzz: tools ## fuzz all that reads what others send, half a minute each; FUZZTIME=10m for longer
	sh .ci/fuzz $(FUZZTIME)

.PHONY: bench
bench: tools ## compare with the plain way of the articles, side by side
	go run ./tools/bench

.PHONY: screenshots
screenshots: tools playground chromium ## take the pictures of the README again, at 1280 and 390 pixels
	go test -vet=off ./internal/command -run TestDemoAnswersAsTheREADMESays -screenshots -count=1

.PHONY: scale
scale: ## work out DynamoDB's limits at a large shop's load
	go run ./tools/scale

.PHONY: generate
generate: ## write the generated code anew from schema.graphqls
	go run ./tools/generate

EXAMPLES := $(patsubst %,examples/%/node_modules/.all,relay apollo)

.PHONY: tools
tools: web/node_modules/.all $(EXAMPLES) ## fetch what is not Go: the engines, the playground's assets, the audits, what examples use

.PHONY: playground
playground: web/node_modules/.run ## make the assets of the playground and of sections, where the build embeds them
	sh web/playground-assets.sh
	sh web/reviews-assets.sh

.PHONY: chromium
chromium: # Debian's package, if there is no browser yet
	@sh .ci/need "$${CHROMIUM:-chromium}" chromium

.PHONY: umoci
umoci: # with which container images are made
	@sh .ci/need umoci umoci

.PHONY: curl
curl: # as docs/api.md uses it
	@sh .ci/need curl curl

.PHONY: java
java: # and ip, with which the tests isolate the server
	@sh .ci/need java openjdk-17-jre-headless
	@sh .ci/need ip iproute2

.PHONY: clean
clean: ## remove what make made, and the data of make run
	rm -rf bin dist data web/node_modules examples/*/node_modules examples/*/dist
	find internal/site/playground/assets internal/site/reviews/assets -type f ! -name .gitkeep -delete

# What serving needs, and everything. The second serves for the first.
web/node_modules/.run: web/package.json web/package-lock.json
	cd web && npm ci --omit=dev --omit=optional --no-audit --no-fund
	touch $@

web/node_modules/.all: web/package.json web/package-lock.json
	cd web && npm ci --no-audit --no-fund
	touch web/node_modules/.run $@

examples/%/node_modules/.all: examples/%/package.json examples/%/package-lock.json
	cd examples/$* && npm ci --no-audit --no-fund
	touch $@
