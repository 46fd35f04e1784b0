// SPDX-License-Identifier: GPL-2.0-or-later
/* find.c - see find.h. */
#include "inputs/find.h"

#include <errno.h>
#include <fts.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "escape.h"
#include "recording.h"

#define DEPTH_MAX 64

static bool has_file(const char *dir, const char *name)
{
	char path[4096];
	struct stat status;

	return snprintf(path, sizeof(path), "%s/%s", dir, name) < (int)sizeof(path) &&
	       !stat(path, &status) && S_ISREG(status.st_mode);
}

/* A name that no other input has: the named path's last part and what is below; numbered if need
 * be. */
static char *make_name(const struct strata_inputs *inputs, const char *root, const char *path)
{
	const char *slash = strrchr(root, '/'), *from = path + (slash ? slash + 1 - root : 0);
	char escaped[1024], name[1100];
	unsigned int number;
	size_t i;

	strata_escape_name(escaped, sizeof(escaped), *from ? from : path);
	snprintf(name, sizeof(name), "%s", escaped);
	for (number = 2, i = 0; i < inputs->nr; i++) {
		if (strcmp(inputs->inputs[i].name, name) != 0)
			continue;
		snprintf(name, sizeof(name), "%s-%u", escaped, number++);
		i = (size_t)-1;
	}
	return strdup(name);
}

static int add(struct strata_inputs *inputs, enum strata_input_kind kind, const char *root,
	       const FTSENT *entry)
{
	const struct stat *status = entry->fts_statp;
	const char *path = entry->fts_path;
	struct strata_input *more;
	size_t i;

	for (i = 0; i < inputs->nr; i++) {
		if (inputs->inputs[i].device == status->st_dev &&
		    inputs->inputs[i].inode == status->st_ino)
			return 0;
	}
	more = realloc(inputs->inputs, (inputs->nr + 1) * sizeof(*inputs->inputs));
	if (!more)
		return -1;
	inputs->inputs = more;
	more += inputs->nr;
	more->kind = kind;
	more->device = status->st_dev;
	more->inode = status->st_ino;
	more->path = strdup(path);
	more->name = make_name(inputs, root, path);
	if (!more->path || !more->name) {
		free(more->path);
		free(more->name);
		return -1;
	}
	inputs->nr++;
	return 0;
}

static int compare(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static void say(void (*complain)(void *data, const char *message), void *data, const char *path,
		const char *what)
{
	char message[5000];

	if (!complain)
		return;
	snprintf(message, sizeof(message), "%s: %s", path, what);
	complain(data, message);
}

/* A directory that was looked into. */
struct visit {
	dev_t device;
	ino_t inode;
};

static int compare_visits(const void *a, const void *b)
{
	const struct visit *x = a, *y = b;

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	return x->inode < y->inode ? -1 : x->inode > y->inode;
}

/* Notes a directory.  1; 0: it was there before; -1: out of memory.  A few links can lead to it in
 * more ways than anybody can walk. */
static int note_visit(void **visits, const struct stat *status)
{
	struct visit *visit = malloc(sizeof(*visit)), **noted;

	if (!visit)
		return -1;
	visit->device = status->st_dev;
	visit->inode = status->st_ino;
	noted = tsearch(visit, visits, compare_visits);
	if (noted && *noted == visit)
		return 1;
	free(visit);
	return noted ? 0 : -1;
}

/* Looks at one place of the walk. @any: set if a trace is there. 0 or -1: out of memory. */
static int look(struct strata_inputs *inputs, void **visits, FTS *walk, FTSENT *entry,
		const char *root, bool *any, void (*complain)(void *data, const char *message),
		void *data)
{
	enum strata_input_kind kind;
	int is_new;

	switch (entry->fts_info) {
	case FTS_D:
		is_new = note_visit(visits, entry->fts_statp);
		if (is_new <= 0) {
			fts_set(walk, entry, FTS_SKIP);
			return is_new;
		}
		if (has_file(entry->fts_path, STRATA_RECORDING_FILE)) {
			kind = STRATA_INPUT_RECORDING;
		} else if (has_file(entry->fts_path, "metadata")) {
			kind = STRATA_INPUT_CTF;
		} else {
			if (entry->fts_level >= DEPTH_MAX)
				fts_set(walk, entry, FTS_SKIP);
			return 0;
		}
		fts_set(walk, entry, FTS_SKIP);
		*any = true;
		return add(inputs, kind, root, entry);
	case FTS_DC:
		say(complain, data, entry->fts_path, "a link leads back to where it is; left out");
		return 0;
	case FTS_DNR:
	case FTS_ERR:
	case FTS_NS:
		/* What was named itself is the caller's to report. */
		if (entry->fts_level > 0)
			say(complain, data, entry->fts_path, strerror(entry->fts_errno));
		return 0;
	default:
		return 0;
	}
}

int strata_inputs_find(struct strata_inputs *inputs, const char *path,
		       void (*complain)(void *data, const char *message), void *data,
		       struct strata_error *error)
{
	char *const roots[] = { strdup(path), NULL };
	struct stat status;
	void *visits = NULL;
	FTSENT *entry;
	FTS *walk;
	bool any = false;
	int result = 0;

	if (!roots[0])
		return strata_fail(error, "out of memory");
	while (strlen(roots[0]) > 1 && roots[0][strlen(roots[0]) - 1] == '/')
		roots[0][strlen(roots[0]) - 1] = '\0';
	if (stat(path, &status)) {
		free(roots[0]);
		return strata_fail(error, "%s: %s", path, strerror(errno));
	}
	walk = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, compare);
	if (!walk) {
		free(roots[0]);
		return strata_fail(error, "%s: %s", path, strerror(errno));
	}
	while (!result && (errno = 0, entry = fts_read(walk)))
		result = look(inputs, &visits, walk, entry, roots[0], &any, complain, data);
	if (result)
		strata_fail(error, "out of memory");
	fts_close(walk);
	tdestroy(visits, free);
	free(roots[0]);
	if (!result && !any)
		return strata_fail(error,
				   "%s: no trace is in here: no directory with CTF metadata, nor a "
				   "recording of Strata's",
				   path);
	return result;
}

void strata_inputs_clear(struct strata_inputs *inputs)
{
	size_t i;

	for (i = 0; i < inputs->nr; i++) {
		free(inputs->inputs[i].path);
		free(inputs->inputs[i].name);
	}
	free(inputs->inputs);
	memset(inputs, 0, sizeof(*inputs));
}
