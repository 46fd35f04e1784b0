// SPDX-License-Identifier: GPL-2.0-or-later
/* merge_traces.c - see merge_traces.h. */
#include "merge_traces.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands.h"
#include "recording.h"
#include "traces_write.h"

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

int merge_traces(char *const *paths, size_t nr, const char *out, const char *format)
{
	char ctf[PATH_BYTES], text[PATH_BYTES];
	struct write_options forms[] = { { .format = "ctf", .out = ctf },
					 { .format = "columns", .out = text } };
	int status;

	if (format) {
		forms[0].format = strcmp(format, "ctf") == 0 ? "ctf" : "columns";
		forms[0].out = out;
		return write_forms(forms, 1, paths, nr);
	}
	if (snprintf(ctf, sizeof(ctf), "%s/ctf", out) >= (int)sizeof(ctf) ||
	    snprintf(text, sizeof(text), "%s/timeline.txt", out) >= (int)sizeof(text))
		return failed(out, "the path is too long");
	if (mkdir(out, 0755) && errno != EEXIST)
		return failed(out, strerror(errno));
	status = write_forms(forms, 2, paths, nr);
	/* Of nothing that could be merged nothing is left, if it was empty. */
	if (status == STRATA_STATUS_FAILED)
		rmdir(out);
	else
		fprintf(stderr, "Merged:  %s (babeltrace2 reads it), %s\n", ctf, text);
	return status;
}
