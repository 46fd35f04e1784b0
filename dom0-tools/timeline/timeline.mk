# SPDX-License-Identifier: GPL-2.0-or-later
#
# The page of `strata timeline`: TypeScript, bundled into one HTML file, which the command contains.

NODE          := $(O)/node
NODE_STAMP    := $(NODE)/.stamp
PAGE_DIR      := dom0-tools/timeline
PAGE_BUILD    := $(O)/build/timeline
TIMELINE_PAGE := $(O)/build/timeline.html
PAGE_OBJECT   := $(O)/build/$(PAGE_DIR)/page.o

# npm asks the network only for packages that its cache lacks, and runs no scripts of packages.
$(NODE_STAMP): $(PAGE_DIR)/package.json $(PAGE_DIR)/package-lock.json | deps-tools
	@mkdir -p $(@D)
	@echo "  NPM     $(@D)"
	@cp $^ $(@D)
	@cd $(@D) && npm ci --ignore-scripts --prefer-offline --no-audit --no-fund --no-update-notifier >npm.log 2>&1 </dev/null || { \
		tail -n 15 npm.log; \
		echo "npm ci failed; the whole output is in $(@D)/npm.log. Connect the machine to npm's registry, and run make again" >&2; exit 1; }
	@touch $@

$(PAGE_BUILD)/page.js $(PAGE_BUILD)/page.css &: $(PAGE_DIR)/src/main.ts $(PAGE_DIR)/style/page.css $(wildcard $(PAGE_DIR)/src/*.ts $(PAGE_DIR)/style/*.css) \
		$(NODE_STAMP) $(PAGE_DIR)/timeline.mk
	@mkdir -p $(@D)
	@echo "  ESBUILD $@"
	@$(NODE)/node_modules/.bin/esbuild $< $(PAGE_DIR)/style/page.css --bundle --minify --charset=utf8 --target=chrome100,firefox113,safari16.4 \
		--log-level=warning --legal-comments=none --entry-names=page --outdir=$(@D)

$(TIMELINE_PAGE): $(PAGE_DIR)/assemble.mjs $(PAGE_DIR)/page.html $(PAGE_BUILD)/page.js $(PAGE_BUILD)/page.css
	@echo "  PAGE    $@"
	@node $^ $@

$(PAGE_OBJECT): $(PAGE_DIR)/page.S $(TIMELINE_PAGE)
	@mkdir -p $(@D)
	@echo "  AS      $<"
	@$(CC) $(CFLAGS) -DPAGE='"$(TIMELINE_PAGE)"' -c $< -o $@

.PHONY: lint-page
lint-page: $(NODE_STAMP)
	@$(NODE)/node_modules/.bin/tsc -p $(PAGE_DIR)
	@echo "  LINT    $(words $(wildcard $(PAGE_DIR)/src/*.ts)) TypeScript files: nothing to say"
