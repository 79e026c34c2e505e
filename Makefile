# Every target says what it does behind ##; `make` alone lists them.

GO      ?= go
APP     := build/app
TOOLS   := .tools
# The first of up to five ports in a row.
DEMO_PORT ?= 7171
# Items with pages of 500 bytes, and of 6 KB, that one machine is given (25 GB of disk).
SOAK_SMALL ?= 1000000
SOAK_LARGE ?= 100000
SITES   ?= backfill-sites.yaml
INFRA   := $(TOOLS)/infra-check-1
LDFLAGS := -s -w
FUNC    := 4.4.1
DOCPKGS := debian-reference-en debian-policy developers-reference postgresql-doc-15 python3.11-doc
DOCS    := /usr/share/debian-reference /usr/share/doc/debian-policy /usr/share/developers-reference /usr/share/doc/postgresql-doc-15/html /usr/share/doc/python3.11/html
# The version of the sources, and -dev where no tag says that this commit is it.
SOURCE  := $(shell sed -n 's/^const Version = "\(.*\)"/\1/p' pkg/app/config.go)
COMMIT  ?= $(shell git rev-parse HEAD 2>/dev/null)
VERSION ?= $(SOURCE)$(shell test -n "$$(git tag --points-at HEAD v$(SOURCE) 2>/dev/null)" || echo -dev)
TARGETS ?= linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64,windows/arm64
GOBUILD := CGO_ENABLED=0 $(GO) build -trimpath -ldflags="$(LDFLAGS)"

export TOOLS

.DEFAULT_GOAL := help
.PHONY: help run func func-version app build test quick test-ui screenshots check openapi demo bench attack model mutants soak prove package release release-check deb-check container infra-check clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 12

run: build ## build Tidemark and run it here (PORT, TIDEMARK_DATA; STORAGE=azurite for Azurite)
	@exec ./build/tidemark start --tools $(TOOLS)

func: func-version app ## run the same folder with Azure Functions Core Tools, on Azurite
	@test -f $(APP)/local.settings.json || cp local.settings.json.example $(APP)/local.settings.json
	./build/tidemark azurite --tools $(TOOLS) -- func start --script-root $(APP) --port $${PORT:-7071}

func-version:
	@command -v func >/dev/null || { echo "func is not on PATH: install Azure Functions Core Tools $(FUNC) or newer, or use make run" >&2; exit 1; }
	@have=$$(func --version | tail -n 1); test "$$(printf '%s\n' $(FUNC) "$$have" | sort -V | head -n 1)" = $(FUNC) || { \
	  echo "func is version $$have, whose host may not know enableProxyingHttpRequest and then fails every HTTP function:" >&2; \
	  echo "install Azure Functions Core Tools $(FUNC) or newer, or use make run" >&2; exit 1; }

app: build ## write build/app, the folder that Azure Functions runs (OTEL=1: with export by OpenTelemetry)
ifneq ($(OTEL)$(APP_OS)$(APP_ARCH),)
	cd $(if $(OTEL),otel,.) && GOOS=$(or $(APP_OS),$(shell $(GO) env GOOS)) GOARCH=$(or $(APP_ARCH),$(shell $(GO) env GOARCH)) \
	  $(GOBUILD) -o $(CURDIR)/build/handler ./cmd/$(if $(OTEL),handler,tidemark)
endif
	@./build/tidemark app $(APP) $(if $(OTEL)$(APP_OS)$(APP_ARCH),--handler build/handler) $(if $(wildcard $(SITES)),--sites $(SITES))

# Without -trimpath: go run and go test would compile everything again.
build: ## build Tidemark, build/tidemark
	CGO_ENABLED=0 $(GO) build -ldflags="$(LDFLAGS)" -o build/tidemark ./cmd/tidemark

test: check ## run every test, on the embedded store and on Azurite, which it installs
	$(GO) test -p 4 ./...
	cd testing/apiclient && $(GO) generate && $(GO) vet ./... && $(GO) test -timeout 60m ./...
	cd otel && $(GO) vet ./... && $(GO) test ./...
	cd measure && $(GO) test ./...
	cd tools/release && $(GO) vet ./... && $(GO) test ./...

quick: ## test what a change touches, within a minute, and name what is left out (ARGS="-base main")
	$(GO) run ./tools/quick $(ARGS)

test-ui: build ## the dashboard in Chromium (CHROMIUM), also behind nginx and Caddy, and scraped by Prometheus, which must be installed; pictures in build/screenshots
	CGO_ENABLED=0 $(GO) build -o build/demosite ./tools/demosite
	cd testing/browser && $(GO) vet ./... && $(GO) test -timeout 30m ./...

screenshots: test-ui ## write the pictures in docs/images anew, and those of all pages, wide and narrow, light and dark, in build/screenshots
	cd testing/browser && $(GO) test -count=1 -run TestEachPageIsDrawnWell . -pictures
	for page in a-changes a-item a-diff a-search a-items a-rule; do for width in wide narrow; do \
	  cp build/screenshots/$$page-$$width.png docs/images/dashboard-$${page#a-}-$$width.png; done; done

check: ## gofmt, sizes, vet, tidiness, and that no large file is tracked
	@big=$$(git ls-files -z ':!:*testdata/*' | xargs -0 sh -c 'find "$$@" -prune -size +1024k' find); \
	  test -z "$$big" || { echo "tracked, and larger than 1 MiB outside testdata: $$big"; exit 1; }
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { echo "not formatted:"; gofmt -l $$(git ls-files '*.go'); exit 1; }
	$(GO) test ./tools/shape -run TestTheTreeKeepsItsShape
	$(GO) vet ./...
	$(GO) mod tidy -diff
	cd measure && $(GO) vet ./... && $(GO) mod tidy -diff

openapi: ## write openapi.json, the schemas, the help texts of settings and the tables of docs/api.md anew, after a change to routes, types or recorded conversations
	$(GO) test ./pkg/api/openapi/openapitest -run TestHelpIsCurrent -update
	$(GO) test ./pkg/api/openapi/openapitest -run 'TestDocumentIsCurrent|TestRoutesInDocsAreCurrent|TestRulesSchemaIsCurrent|TestSitesSchemaIsCurrent|TestSettingsInDocsAreCurrent' -update

demo: build ## add, crawl, search, change and delete pages of a small site, checking each outcome (STORAGE=azurite, DEMO_PORT)
	CGO_ENABLED=0 $(GO) build -o build/demosite ./tools/demosite
	$(GO) run ./tools/demo -port $(DEMO_PORT)

bench: app ## measure, as ratios to a baseline in the same run
	$(GO) run -C measure ./bench

attack: app ## hostile sites against the product on loopback: what becomes of good pages and of memory
	$(GO) run -C measure ./bench -only attack

model: ## the model of the registry's protocol, every order of its steps (spin, installed where we are root)
	@command -v spin gcc >/dev/null || { test "$$(id -u)" = 0 && apt-get update -q && \
	  apt-get install -qy --no-install-recommends spin gcc libc6-dev; } || \
	  { echo "install these first: apt-get install spin gcc libc6-dev" >&2; exit 1; }
	docs/model/run.sh

mutants: ## small changes to the protocol's code, one at a time, and the tests that should notice each (ARGS="-run commit")
	$(GO) run -C measure ./mutants $(ARGS)

soak: ## all that tests otherwise do a share of, many more schedules of the simulation, 100,000 hosts (12 GB), many more kills, a million items, longer fuzzing
	$(GO) test -p 1 $$(git grep -lE 'base/soaktest"|runtest\.EachFault' '*_test.go' | xargs -n 1 dirname | sort -u | sed 's,^,./,') -soak -timeout 120m
	$(GO) test ./pkg/crawl -run 'TestSimulation|TestK11SimulationOfHints|TestZ1SimulationOfMoves|TestA13Records' -sim.runs 20000 -timeout 120m
	$(GO) test ./pkg/registry -run TestK4ManyHosts -v -scale.hosts 100000 -timeout 120m
	$(GO) test ./pkg/app -run TestCrash -v -crash.rounds 50 -crash.pages 2000 -timeout 60m
	$(GO) test ./cmd/tidemark -run TestJ9CopyFollowsThroughKills -v -follow.kills 50 -timeout 60m
	$(GO) test ./pkg/run/mailimport -run TestD6FlatMemory -v -import.mails 32000 -timeout 60m
	cd testing/browser && $(GO) test . -v -wide -timeout 60m
	cd testing/browser && $(GO) test ./render -run TestR5Lasting -v -render.times 200 -timeout 60m
	$(MAKE) attack model mutants
	$(GO) run -C measure ./bench -only capacity -small $(SOAK_SMALL) -large $(SOAK_LARGE)
	docs/model/run.sh deep
	$(GO) test ./pkg/identity/source -run '^$$' -fuzz FuzzParseURL -fuzztime 5m

prove: ## backfill of whole documentation sites (Debian packages, installed where we are root), killed on the way
	@for d in $(DOCS); do test -d $$d || missing=1; done; test -z "$$missing" || \
	  { test "$$(id -u)" = 0 && apt-get update -q && apt-get install -qy --no-install-recommends $(DOCPKGS); } || \
	  { echo "install these first: apt-get install $(DOCPKGS)" >&2; exit 1; }
	$(GO) test ./pkg/app -run TestE8WholeSites -v -proof.dirs "$$(echo $(DOCS) | tr ' ' ,)" -proof.kills 3 -timeout 60m

package: ## the deployment zip for linux/amd64, build/tidemark.zip
	$(MAKE) app APP_OS=linux APP_ARCH=amd64
	$(GO) run ./tools/package -app $(APP) -out build/tidemark.zip

release: ## what is published of this version, in build/release: archives, deb, rpm, licences, checksums (TARGETS)
	@$(GO) run -C tools/release . -root $(CURDIR) -version $(VERSION) -commit $(COMMIT) -targets $(TARGETS) \
	  -time $(or $(SOURCE_DATE_EPOCH),$(shell git log -1 --format=%ct))

container: ## the image of this version for linux/amd64 and linux/arm64, by buildah or podman, as tidemark:$(VERSION)
	$(MAKE) release TARGETS=linux/amd64,linux/arm64
	containers/build.sh $(VERSION)

deb-check: ## the deb in a Debian of its own: installed, started by systemd, upgraded, removed, purged (root, mmdebstrap)
	packaging/trydeb.sh

release-check: ## build a release twice, in two folders, and compare all bytes (FRESH=1: with nothing compiled before)
	tools/release/twice.sh

infra-check: ## the Bicep templates' syntax, names and browser, and the queries, without Azure; installs two parsers by npm
	@test -d $(INFRA)/node_modules/@kusto || npm install --prefix $(INFRA) --no-audit --no-fund --ignore-scripts --silent tree-sitter-bicep@1.1.0 web-tree-sitter@0.27.1 @kusto/language-service-next@12.4.1
	@node infra/check.mjs $(INFRA) infra
	@node infra/check.test.mjs $(INFRA) infra >$(INFRA)/log 2>&1 || { cat $(INFRA)/log; exit 1; }
	@node infra/queries/check.mjs $(INFRA) infra/queries

clean: ## remove what was built; data and tools stay
	rm -rf build
