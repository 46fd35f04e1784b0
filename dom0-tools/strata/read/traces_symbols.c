// SPDX-License-Identifier: GPL-2.0-or-later
/* traces_symbols.c - see traces_symbols.h. */
#include "strata/read/traces_symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filter/filter_nearest.h"
#include "symbols/symbols.h"
#include "timeline/domain_names.h"
#include "timeline/event_names.h"

/* The number of the source of a name.  nr_sources: there is none. */
static size_t find_source(const struct strata_shown *shown, const char *name, size_t bytes,
			  struct strata_error *error)
{
	struct strata_nearest nearest = { 0 };
	size_t i;

	for (i = 0; i < shown->nr_sources; i++) {
		const char *has = shown->sources[i].name;

		if (strlen(has) == bytes && memcmp(has, name, bytes) == 0)
			return i;
		strata_nearest_name(&nearest, name, bytes, false, has, strlen(has));
	}
	strata_fail(error, "--symbols: no source is \"%.*s\"%s%s", (int)bytes, name,
		    nearest.found ? "; the nearest is " : "", nearest.found ? nearest.name : "");
	return i;
}

/* Names the addresses of a kernel's code in the events of its host's hypervisor. */
static int add_to_hypervisor(struct traces *traces, const struct strata_ctf_trace *of,
			     uint64_t domain, const struct strata_symbols *symbols,
			     struct strata_error *error)
{
	size_t i;

	for (i = 0; i < traces->set.nr_traces; i++) {
		struct strata_ctf_trace *trace = traces->set.traces[i];
		const char *layer = strata_ctf_env_text(trace, "layer");

		if (layer && strcmp(layer, "xen") == 0 && strata_is_same_host(trace, of) &&
		    strata_event_names_add_symbols(trace, domain, symbols, error))
			return -1;
	}
	return 0;
}

static struct strata_symbols *load(struct traces *traces, const char *path,
				   struct strata_error *error)
{
	struct strata_symbols *symbols = strata_symbols_load(path, error);
	struct strata_symbols **more;

	if (!symbols) {
		strata_fail_in(error, "--symbols");
		return NULL;
	}
	more = reallocarray(traces->symbols, traces->nr_symbols + 1,
			    sizeof(struct strata_symbols *));
	if (!more) {
		strata_symbols_free(symbols);
		strata_fail(error, "out of memory");
		return NULL;
	}
	traces->symbols = more;
	more[traces->nr_symbols++] = symbols;
	return symbols;
}

int traces_add_symbols(struct traces *traces, const struct strata_shown *shown, const char *option,
		       struct strata_error *error)
{
	const char *file = strchr(option, '=');
	const size_t at = find_source(shown, option, (size_t)(file - option), error);
	const struct strata_shown_source *source = &shown->sources[at];
	struct strata_symbols *symbols;
	struct strata_ctf_trace *trace;
	const bool is_kernel = at < shown->nr_sources && strcmp(source->layer, "kernel") == 0;

	if (at == shown->nr_sources)
		return -1;
	trace = traces->set.traces[at];
	if (!is_kernel && strcmp(source->layer, "xen") != 0)
		return strata_fail(error,
				   "--symbols: %s is neither a kernel nor a hypervisor: its events "
				   "hold no addresses that are known to be of its code",
				   source->name);
	if (trace->symbols.own)
		return strata_fail(error, "--symbols: %s is given twice", source->name);
	symbols = load(traces, file + 1, error);
	if (!symbols)
		return -1;
	trace->symbols.own = symbols;
	if (!is_kernel || source->domain == STRATA_SHOWN_UNKNOWN)
		return 0;
	return add_to_hypervisor(traces, trace, source->domain, symbols, error);
}
