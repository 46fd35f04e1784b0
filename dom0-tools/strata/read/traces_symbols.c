// SPDX-License-Identifier: GPL-2.0-or-later
/* traces_symbols.c - see traces_symbols.h. */
#include "strata/read/traces_symbols.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filter/filter_nearest.h"
#include "recording/recording.h"
#include "symbols/symbols.h"
#include "timeline/domain_names.h"
#include "timeline/event_names.h"

/* Returns the index of the source of that name; nr_sources, with @error, if no source has it. */
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
	strata_fail(error, "--symbols: unknown source \"%.*s\"%s%s", (int)bytes, name,
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

/* Gives symbols, which are the traces' from then on, to a source.  0 or -1. */
static int give(struct traces *traces, struct strata_ctf_trace *trace,
		const struct strata_shown_source *source, struct strata_symbols *symbols,
		struct strata_error *error)
{
	struct strata_symbols **more =
		reallocarray(traces->symbols, traces->nr_symbols + 1, sizeof(*more));

	if (!more) {
		strata_symbols_free(symbols);
		return strata_fail(error, "out of memory");
	}
	traces->symbols = more;
	more[traces->nr_symbols++] = symbols;
	trace->symbols.own = symbols;
	if (strcmp(source->layer, "kernel") != 0 || source->domain == STRATA_SHOWN_UNKNOWN)
		return 0;
	return add_to_hypervisor(traces, trace, source->domain, symbols, error);
}

/* The symbols that a recording has of this source, its dom0's kernel.  NULL: none, which is told if
 * something is wrong with them. */
static struct strata_symbols *load_recorded(struct traces *traces,
					    const struct strata_ctf_trace *trace,
					    const struct strata_shown_source *source)
{
	const char *slash = strrchr(trace->path, '/');
	struct strata_symbols *symbols;
	struct strata_error error;
	char path[4096];

	if (!trace->recording || !slash || source->domain != 0 ||
	    strcmp(source->layer, "kernel") != 0 ||
	    snprintf(path, sizeof(path), "%.*s/" STRATA_RECORDING_KALLSYMS,
		     (int)(slash - trace->path), trace->path) >= (int)sizeof(path))
		return NULL;
	symbols = strata_symbols_load_recorded(path, &error);
	if (!symbols && *error.text)
		traces_remark(traces, error.text);
	return symbols;
}

/* Whether two files are of one kernel that ran: what begins its code is at one place. */
static int compare(const struct strata_symbols *given, const struct strata_symbols *recorded,
		   const char *source, const char *path, struct strata_error *error)
{
	static const char *const begins[] = { "_stext", "_text", "schedule" };
	uint64_t here, there;
	size_t i;

	for (i = 0; i < sizeof(begins) / sizeof(begins[0]); i++) {
		if (strata_symbols_find(given, begins[i], &here) &&
		    strata_symbols_find(recorded, begins[i], &there) && here != there)
			return strata_fail(
				error,
				"--symbols: %s: not of %s's kernel as it ran: its %s is at "
				"%#" PRIx64 ", the recording's at %#" PRIx64
				"; without it, the recording's own symbols are used",
				path, source, begins[i], here, there);
	}
	return 0;
}

/* Loads the file that is given for a source.  NULL with the reason. */
static struct strata_symbols *load_given(struct traces *traces,
					 const struct strata_ctf_trace *trace,
					 const struct strata_shown_source *source, const char *path,
					 struct strata_error *error)
{
	struct strata_symbols *symbols = strata_symbols_load(path, error), *recorded;

	if (!symbols) {
		strata_fail_in(error, "--symbols");
		return NULL;
	}
	recorded = load_recorded(traces, trace, source);
	if (recorded && compare(symbols, recorded, source->name, path, error)) {
		strata_symbols_free(symbols);
		symbols = NULL;
	}
	strata_symbols_free(recorded);
	return symbols;
}

static int add_given(struct traces *traces, const struct strata_shown *shown, const char *option,
		     struct strata_error *error)
{
	const char *file = strchr(option, '=');
	const size_t at = find_source(shown, option, (size_t)(file - option), error);
	const struct strata_shown_source *source = &shown->sources[at];
	struct strata_symbols *symbols;
	struct strata_ctf_trace *trace;

	if (at == shown->nr_sources)
		return -1;
	trace = traces->set.traces[at];
	if (strcmp(source->layer, "kernel") != 0 && strcmp(source->layer, "xen") != 0)
		return strata_fail(error,
				   "--symbols: %s is neither a kernel nor a hypervisor: its events "
				   "hold no addresses that are known to be of its code",
				   source->name);
	if (trace->symbols.own)
		return strata_fail(error, "--symbols: %s is given twice", source->name);
	symbols = load_given(traces, trace, source, file + 1, error);
	return symbols ? give(traces, trace, source, symbols, error) : -1;
}

int traces_add_symbols(struct traces *traces, const struct strata_shown *shown,
		       const char *const *options, size_t nr, struct strata_error *error)
{
	struct strata_symbols *symbols;
	size_t i;

	for (i = 0; i < nr; i++) {
		if (add_given(traces, shown, options[i], error))
			return -1;
	}
	for (i = 0; i < shown->nr_sources; i++) {
		struct strata_ctf_trace *trace = traces->set.traces[i];

		symbols = trace->symbols.own ? NULL
					     : load_recorded(traces, trace, &shown->sources[i]);
		if (symbols && give(traces, trace, &shown->sources[i], symbols, error))
			return -1;
	}
	return 0;
}
