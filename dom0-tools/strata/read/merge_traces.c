// SPDX-License-Identifier: GPL-2.0-or-later
/* merge_traces.c - see merge_traces.h. */
#include "strata/read/merge_traces.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/exit_status.h"
#include "recording/recording.h"
#include "files/safe_dir.h"
#include "strata/read/traces_write.h"

#define PATH_BYTES 4096u

bool merge_is_of_recording(char *const *paths, size_t nr)
{
	char table[PATH_BYTES];

	return nr == 1 &&
	       snprintf(table, sizeof(table), "%s/" STRATA_RECORDING_FILE, paths[0]) <
		       (int)sizeof(table) &&
	       access(table, F_OK) == 0;
}

static int failed(const char *path, const char *why)
{
	fprintf(stderr, "strata: merge: %s: %s; name a directory that can be made with -o\n", path,
		why);
	return STRATA_STATUS_FAILED;
}

/* Writes them in the forms, with no filter. */
static int write_forms(struct write_options *forms, size_t nr_forms, char *const *paths, size_t nr)
{
	struct strata_filter *none = strata_filter_new();
	int status;
	size_t i;

	if (!none)
		return failed(forms[0].out, "out of memory");
	for (i = 0; i < nr_forms; i++) {
		forms[i].filter = none;
		forms[i].colours = COLOURS_NEVER;
		forms[i].threads = traces_threads();
	}
	status = write_traces("merge", forms, nr_forms, paths, nr);
	strata_filter_free(none);
	return status;
}

int merge_make_out(const char *out, bool force, struct strata_error *error)
{
	static const char *const names[] = { "ctf", "timeline.txt", "summary.json" };
	struct strata_dir dir;
	int result = 0;
	size_t i;

	if (strata_dir_make(&dir, out, 0755, NULL, error))
		return -1;
	for (i = 0; i < sizeof(names) / sizeof(names[0]) && !force && !result; i++)
		if (strata_dir_has(&dir, names[i]))
			result = strata_fail(
				error,
				"%s: already holds a merge: %s (use --force, or another "
				"-o)",
				out, names[i]);
	strata_dir_close(&dir);
	return result;
}

/* What an earlier merge of a recording says is not about this one. */
static void remove_summary(const char *out)
{
	struct strata_error ignored;
	struct strata_dir dir;

	if (strata_dir_open(&dir, out, &ignored))
		return;
	strata_dir_remove(&dir, "summary.json");
	strata_dir_close(&dir);
}

/* Of nothing that could be merged nothing is left, if it was empty. */
static void remove_out(const char *out)
{
	char name[STRATA_DIR_NAME_BYTES];
	struct strata_error ignored;
	struct strata_dir parent;

	if (strata_dir_walk_beside(&parent, out, name, &ignored))
		return;
	unlinkat(parent.fd, name, AT_REMOVEDIR);
	strata_dir_close(&parent);
}

int merge_traces(const char *tcp_map, char *const *paths, size_t nr, const char *out,
		 const char *format, bool force)
{
	char ctf[PATH_BYTES], text[PATH_BYTES];
	struct write_options forms[] = {
		{ .format = "ctf", .out = ctf, .force = force, .tcp_map = tcp_map },
		{ .format = "columns", .out = text, .force = force, .tcp_map = tcp_map }
	};
	struct strata_error error;
	int status;

	if (format) {
		forms[0].format = strcmp(format, "ctf") == 0 ? "ctf" : "columns";
		forms[0].out = out;
		return write_forms(forms, 1, paths, nr);
	}
	if (snprintf(ctf, sizeof(ctf), "%s/ctf", out) >= (int)sizeof(ctf) ||
	    snprintf(text, sizeof(text), "%s/timeline.txt", out) >= (int)sizeof(text))
		return failed(out, "the path is too long");
	if (merge_make_out(out, force, &error)) {
		fprintf(stderr, "strata: merge: %s\n", error.text);
		return STRATA_STATUS_FAILED;
	}
	status = write_forms(forms, 2, paths, nr);
	if (status == STRATA_STATUS_FAILED)
		remove_out(out);
	else {
		remove_summary(out);
		fprintf(stderr, "Merged:  %s (babeltrace2 reads it), %s\n", ctf, text);
	}
	return status;
}
