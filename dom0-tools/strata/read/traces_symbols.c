// SPDX-License-Identifier: GPL-2.0-or-later
/* traces_symbols.c - see traces_symbols.h. */
#include "strata/read/traces_symbols.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

/* Stores symbols. @file: of a recording; or NULL. False: out of memory, and the symbols are freed.
 */
static bool keep(struct traces_symbols *symbols, struct strata_symbols *of_file,
		 const struct stat *file)
{
	struct traces_symbols_file *more =
		of_file ? reallocarray(symbols->files, symbols->nr + 1, sizeof(*more)) : NULL;

	if (!more) {
		strata_symbols_free(of_file);
		return false;
	}
	symbols->files = more;
	more += symbols->nr++;
	*more = (struct traces_symbols_file){ .symbols = of_file };
	if (file) {
		more->is_recorded = true;
		more->device = file->st_dev;
		more->inode = file->st_ino;
	}
	return true;
}

void traces_symbols_clear(struct traces_symbols *symbols)
{
	size_t i;

	for (i = 0; i < symbols->nr; i++)
		strata_symbols_free(symbols->files[i].symbols);
	free(symbols->files);
	memset(symbols, 0, sizeof(*symbols));
}

/* Uses a kernel's symbols for addresses of its code in the events of its host's hypervisor. */
static int add_to_hypervisor(const struct strata_trace_set *set, const struct strata_ctf_trace *of,
			     uint64_t domain, const struct strata_symbols *symbols,
			     struct strata_error *error)
{
	size_t i;

	for (i = 0; i < set->nr_traces; i++) {
		struct strata_ctf_trace *trace = set->traces[i];
		const char *layer = strata_ctf_env_text(trace, "layer");

		if (layer && strcmp(layer, "xen") == 0 && strata_is_same_host(trace, of) &&
		    strata_event_names_add_symbols(trace, domain, symbols, error))
			return -1;
	}
	return 0;
}

/* Assigns symbols to a source. Returns 0 or -1. */
static int give(const struct strata_shown *shown, size_t at, const struct strata_symbols *symbols,
		struct strata_error *error)
{
	const struct strata_shown_source *source = &shown->sources[at];
	struct strata_ctf_trace *trace = shown->set->traces[at];

	trace->symbols.own = symbols;
	if (strcmp(source->layer, "kernel") != 0 || source->domain == STRATA_SHOWN_UNKNOWN)
		return 0;
	return add_to_hypervisor(shown->set, trace, source->domain, symbols, error);
}

/* Returns symbols that are known already; NULL: none. */
static const struct strata_symbols *find_file(const struct traces_symbols *symbols,
					      const struct stat *file)
{
	size_t i;

	for (i = 0; i < symbols->nr; i++) {
		const struct traces_symbols_file *known = &symbols->files[i];

		if (known->is_recorded && known->device == file->st_dev &&
		    known->inode == file->st_ino)
			return known->symbols;
	}
	return NULL;
}

/*
 * Finds a recording's own symbols for this source, its dom0's kernel; the file is loaded later.
 * The parts of a recording that was rotated are links of one file, which counts for the first.
 * @found: OUT: NULL: none
 * Returns 0, or -1: out of memory.
 */
static int find_recorded(struct traces_symbols *symbols, const struct strata_ctf_trace *trace,
			 const struct strata_shown_source *source,
			 const struct strata_symbols **found, struct strata_error *error)
{
	const char *slash = strrchr(trace->path, '/');
	struct strata_symbols *deferred;
	struct stat file;
	char path[4096];
	bool is_there;

	*found = NULL;
	if (!trace->recording || !slash || source->domain != 0 ||
	    strcmp(source->layer, "kernel") != 0 ||
	    snprintf(path, sizeof(path), "%.*s/" STRATA_RECORDING_KALLSYMS,
		     (int)(slash - trace->path), trace->path) >= (int)sizeof(path))
		return 0;
	is_there = lstat(path, &file) == 0;
	if (!is_there && errno == ENOENT)
		return 0;
	*found = is_there ? find_file(symbols, &file) : NULL;
	if (*found)
		return 0;
	/* A kernel's trace is an owner of its own (timeline/holders.h). */
	deferred = strata_symbols_defer(path, (uintptr_t)trace, &symbols->told);
	if (!keep(symbols, deferred, is_there ? &file : NULL))
		return strata_fail(error, "out of memory for symbols");
	*found = deferred;
	return 0;
}

/* Compares whether two files are of the same running kernel: the start of its code has the same
 * address. */
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

/* Loads the file given for a source. NULL with the reason. */
static const struct strata_symbols *load_given(struct traces_symbols *symbols,
					       const struct strata_ctf_trace *trace,
					       const struct strata_shown_source *source,
					       const char *path, struct strata_error *error)
{
	struct strata_symbols *given = strata_symbols_load(path, error);
	const struct strata_symbols *recorded;

	if (!given) {
		strata_fail_in(error, "--symbols");
		return NULL;
	}
	if (find_recorded(symbols, trace, source, &recorded, error) ||
	    (recorded && compare(given, recorded, source->name, path, error))) {
		strata_symbols_free(given);
		return NULL;
	}
	if (keep(symbols, given, NULL))
		return given;
	strata_fail(error, "out of memory");
	return NULL;
}

static int add_given(struct traces_symbols *symbols, const struct strata_shown *shown,
		     const char *option, struct strata_error *error)
{
	const char *file = strchr(option, '=');
	const size_t at = find_source(shown, option, (size_t)(file - option), error);
	const struct strata_shown_source *source = &shown->sources[at];
	const struct strata_symbols *given;

	if (at == shown->nr_sources)
		return -1;
	if (strcmp(source->layer, "kernel") != 0 && strcmp(source->layer, "xen") != 0)
		return strata_fail(error,
				   "--symbols: %s is neither a kernel nor a hypervisor: no events "
				   "contain addresses of its code",
				   source->name);
	if (shown->set->traces[at]->symbols.own)
		return strata_fail(error, "--symbols: %s is given twice", source->name);
	given = load_given(symbols, shown->set->traces[at], source, file + 1, error);
	return given ? give(shown, at, given, error) : -1;
}

int traces_add_symbols(struct traces_symbols *symbols, const struct strata_shown *shown,
		       const char *const *options, size_t nr, struct strata_error *error)
{
	const struct strata_symbols *recorded;
	size_t i;

	for (i = 0; i < nr; i++) {
		if (add_given(symbols, shown, options[i], error))
			return -1;
	}
	for (i = 0; i < shown->nr_sources; i++) {
		const struct strata_ctf_trace *trace = shown->set->traces[i];

		if (trace->symbols.own)
			continue;
		if (find_recorded(symbols, trace, &shown->sources[i], &recorded, error) ||
		    (recorded && give(shown, i, recorded, error)))
			return -1;
	}
	return 0;
}
