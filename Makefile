# make         fetch the tools and build bin/product-comments
# make run     serve with the embedded engine and demo data on http://127.0.0.1:8080/
# make test    the tests that a person runs after each change
# make help    the other targets

BIN := bin/product-comments
# Commit and date are in the binary, for --version, also where GOFLAGS says otherwise.
STAMP := -buildvcs=auto
# One way to compile for all that runs, tests and releases included, so that a package is
# compiled once. Only the race detector needs another one.
export GOFLAGS := -trimpath $(filter-out -trimpath,$(GOFLAGS))
export CGO_ENABLED := 0
# Vetting is what make check does, and what debuggers want need not be linked.
TEST := go test -vet=off -ldflags=-w
ASSETS := internal/site/playground/assets internal/site/reviews/assets internal/site/staff/assets

.PHONY: all help run build lambda linux image manual release module licences test test-all test-race test-dynamodb-local \
	check soak siege fuzz bench screenshots scale generate tools playground chromium umoci curl java clean

all: tools build

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z][a-z-]*:.*## /{printf "  make %-20s %s\n", $$1, $$2}' Makefile

run: build ## serve with the embedded engine and demo data
	./$(BIN) serve --demo --moderation post --hold-links

build: playground ## build bin/product-comments
	go build $(STAMP) -o $(BIN) .

lambda: playground ## build dist/lambda/bootstrap, the binary that deploy/template.yaml deploys
	GOOS=linux GOARCH=arm64 go build $(STAMP) -tags lambda.norpc -o dist/lambda/bootstrap .

linux: playground ## build dist/linux/*/product-comments, which images have
	for architecture in amd64 arm64; do \
		GOOS=linux GOARCH=$$architecture go build -pgo=deploy/default.pgo $(STAMP) -o dist/linux/$$architecture/product-comments . || exit 1; \
	done

image: umoci linux ## build dist/product-comments-linux-*.oci.tar, container images, without docker
	for architecture in amd64 arm64; do \
		sh deploy/image.sh dist/linux/$$architecture/product-comments $$architecture dist/product-comments-linux-$$architecture.oci.tar || exit 1; \
	done

manual: build # what packages have besides the program
	rm -rf dist/manual
	mkdir -p dist/manual
	$(BIN) --man >dist/manual/product-comments.1
	for shell in bash zsh fish; do $(BIN) completion $$shell >dist/manual/product-comments.$$shell || exit 1; done

# Unless told otherwise nothing is published, docker is not needed, and without SIGN nothing is signed.
GORELEASER := go tool -modfile=tools/release/go.mod goreleaser
RELEASE ?= --snapshot --skip=docker $(if $(SIGN),,--skip=sign)
release: export GOTOOLCHAIN := $(shell awk '$$1 == "toolchain" { print $$2 }' go.mod)
release: playground ## build dist/release: archives, packages, chart, checksums, bill of materials; and try them
	sh .ci/reproducible
	$(GORELEASER) release --clean $(RELEASE)
	cp dist/manual/*.tgz dist/release/
	$(TEST) -tags release ./deploy -run 'TestRelease|TestChart' -count=1 -v

module: ## give the module another path: make module NAME=example.org/shop/comments
	sh tools/module.sh "$(NAME)"
	go run ./tools/generate

licences: ## write docs/licences.md anew
	go run ./tools/licences >docs/licences.md.new && mv docs/licences.md.new docs/licences.md

test: export SKIPPABLE := yes
test: tools playground chromium umoci curl ## run the tests, without the long ones
	$(TEST) ./...

test-all: test-race test-dynamodb-local ## run all tests, the long ones too: with the race detector, on DynamoDB Local; print the slowest, compare two builds
	TESTS=all $(TEST) -timeout 25m -json $$(go list ./... | grep $(UNRACED); $(LONG)) | go run ./tools/slowest
	sh .ci/reproducible

# Each test runs once at least: where things run at once with the race detector, and elsewhere, or
# where a package has long tests, without it. SQLite, in which each connection is one goroutine's, is
# compiled without the race detector: it takes most of the time of a query, and there is nothing of
# this project to find. What programs, browsers and measurements do is in processes of their own, or
# depends on time; and what only decides, spells or decodes has no goroutines.
UNRACED := -e /command -e /deploy -e /docs -e /examples -e /site/ -e /testing/ -e /tools/ \
	-e /graph$$ -e /graph/fastpath -e /globalid -e /model -e /files/ndjson -e /files/photos -e /files/sheet -e /visitor -e '/comment/[^c]' -e /errs \
	-e /names -e /store/key$$ -e /key/cursor -e /key/list -e /summary -e /ranking -e /tree -e /read/plan -e /read/scan
LONG := git grep -lE 'testkit\.(All|Long)\(' -- '*_test.go' | xargs -n1 dirname | sort -u | sed 's,^,./,' | grep -v $(UNRACED)
test-race: tools playground
	CGO_ENABLED=1 $(TEST) -timeout 25m -race -gcflags=modernc.org/...=-race=false $$(go list ./... | grep -v $(UNRACED))

# What differs by engine: tests with an engine of their own skip themselves, costs are those of the
# embedded engine, and some make hundreds of calls that others make, too.
test-dynamodb-local: tools java ## run the store's tests, and the comparison of engines, on AWS's DynamoDB Local
	TEST_ENGINE=dynamodb-local $(TEST) -timeout 30m -exec "$(CURDIR)/store/storetest/isolated.sh" -skip 'TestCosts|TestDismissReports|TestManyReportsOfFormerComments|TestPurchasesUnderWay|TestSiftedLists' ./store ./store/orders ./store/storetest ./store/table ./store/simulation/double

check: tools ## formatting, vet, staticcheck, generated code, modules, English, known faults of dependencies
	sh .ci/check

SOAK_TIME ?= 1m
soak: tools ## let everything fail for SOAK_TIME (1m) each: the store, servers, projectors, the engine, the disk
	TESTS=all SOAK_TIME=$(SOAK_TIME) $(TEST) ./internal/testing/faultproxy ./internal/command -run 'TestTheServiceUnderFaults|TestRollingRestart|TestKillsLoseNothing|TestFullDisk' -count=1 -v -timeout 0

siege: tools ## attack the real program as hostile clients would, for some minutes
	TESTS=all SIEGE=long $(TEST) ./internal/testing/siege -count=1 -v -timeout 30m

FUZZTIME ?= 30s
fuzz: tools ## fuzz all that reads what others send, half a minute each; FUZZTIME=10m for longer
	sh .ci/fuzz $(FUZZTIME)

bench: tools ## compare with the plain way of the articles, side by side
	go run ./tools/bench

screenshots: tools playground chromium ## take the pictures of the README again, at 1280 and 390 pixels
	TESTS=all $(TEST) ./internal/command -run TestDemoAnswersAsTheREADMESays -screenshots -count=1

scale: ## work out DynamoDB's limits at a large shop's load
	go run ./tools/scale

generate: ## write the generated code anew from schema.graphqls
	go run ./tools/generate

tools: web/node_modules/.all clients/typescript/dist/schema.graphql $(patsubst %,examples/%/node_modules/.all,relay apollo) ## fetch what is not Go: the engines, the playground's assets, the audits, what examples use; build the package for TypeScript

playground: web/node_modules/.run # the assets of the playground, of sections and of the desk, where the build embeds them
	sh web/playground-assets.sh
	sh web/reviews-assets.sh

# Debian's packages, if a command is missing: a browser, what makes images, what docs use, and
# Java with ip, with which tests isolate DynamoDB Local.
chromium:
	@sh .ci/need "$${CHROMIUM:-chromium}" chromium
umoci curl:
	@sh .ci/need $@ $@
java:
	@sh .ci/need java openjdk-17-jre-headless
	@sh .ci/need ip iproute2

clean: ## remove what make made, and the data of make run
	rm -rf bin dist data web/node_modules examples/*/node_modules examples/*/dist clients/*/node_modules clients/*/dist clients/*/src/operations.ts clients/*/src/schema.ts
	find $(ASSETS) -type f ! -name .gitkeep -delete

# What serving needs, and everything. The second serves for the first.
web/node_modules/.run: web/package.json web/package-lock.json
	cd web && npm ci --omit=dev --omit=optional --no-audit --no-fund
	touch $@
web/node_modules/.all: web/package.json web/package-lock.json
	cd web && npm ci --no-audit --no-fund
	touch web/node_modules/.run $@
%/node_modules/.all: %/package.json %/package-lock.json
	cd $* && npm ci --no-audit --no-fund
	touch $@
clients/typescript/dist/schema.graphql: clients/typescript/node_modules/.all schema.graphqls $(wildcard $(addprefix clients/typescript/,*.ts *.json src/documents.graphql src/index.ts) web/reviews/*.ts internal/site/reviews/operations/* internal/site/reviews/fragments/*)
	cd clients/typescript && npm run build
