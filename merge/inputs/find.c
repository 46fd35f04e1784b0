// SPDX-License-Identifier: GPL-2.0-or-later
/* find.c - see find.h. */
#include "inputs/find.h"

#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/escape.h"
#include "recording/recording.h"

#define DEPTH_MAX 64

/* @owner: OUT, of the file */
static bool has_file(const char *dir, const char *name, uid_t *owner)
{
	char path[4096];
	struct stat status;

	if (snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path) ||
	    stat(path, &status) || !S_ISREG(status.st_mode))
		return false;
	*owner = status.st_uid;
	return true;
}

/* A name that an input has. */
struct taken_name {
	unsigned int numbers; /* given to other inputs that would have the same name */
};

/* Makes a unique name: the last part of the named path and what is below it, numbered if
 * necessary. NULL: out of memory. */
static char *make_name(struct strata_inputs *inputs, const char *root, const char *path)
{
	const char *slash = strrchr(root, '/'), *from = path + (slash ? slash + 1 - root : 0);
	char escaped[1024], name[1100];
	struct taken_name *first, *taken;
	uint64_t id;

	strata_escape_name(escaped, sizeof(escaped), *from ? from : path);
	snprintf(name, sizeof(name), "%s", escaped);
	id = strata_identity_add_text(0, name, strlen(name));
	for (first = taken = strata_id_rows_find(&inputs->names, id); taken;
	     taken = strata_id_rows_find(&inputs->names, id)) {
		snprintf(name, sizeof(name), "%s-%u", escaped, ++first->numbers + 1);
		id = strata_identity_add_text(0, name, strlen(name));
	}
	return strata_id_rows_add(&inputs->names, id, sizeof(*taken)) ? strdup(name) : NULL;
}

/* Returns 1: the directory was found before; 0: it is new; -1: out of memory. */
static int note_place(struct strata_inputs *inputs, const struct stat *status)
{
	const uint64_t id =
		strata_identity_add(strata_identity_add(0, status->st_dev), status->st_ino);

	if (strata_id_rows_find(&inputs->places, id))
		return 1;
	return strata_id_rows_add(&inputs->places, id, 1) ? 0 : -1;
}

static int add(struct strata_inputs *inputs, enum strata_input_kind kind, uid_t owner,
	       const char *root, const FTSENT *entry)
{
	const struct stat *status = entry->fts_statp;
	const char *path = entry->fts_path;
	const int known = note_place(inputs, status);
	struct strata_input *input;

	if (known)
		return known < 0 ? -1 : 0;
	if (!STRATA_GROW(inputs->inputs, inputs->nr, inputs->room))
		return -1;
	input = &inputs->inputs[inputs->nr];
	input->kind = kind;
	input->owner = owner;
	input->path = strdup(path);
	input->name = make_name(inputs, root, path);
	if (!input->path || !input->name) {
		free(input->path);
		free(input->name);
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

static bool is_in(const char *path, const char *dir)
{
	const size_t length = strlen(dir);

	return strncmp(path, dir, length) == 0 &&
	       (path[length] == '\0' || path[length] == '/' || dir[length - 1] == '/');
}

/*
 * Reports a link below a named path if it leads out of the path, or to a directory that contains
 * it.  Links are not followed: targets below the path are found anyway, and others were not named.
 */
static void look_at_link(const FTSENT *entry, const char *root,
			 void (*complain)(void *data, const char *message), void *data)
{
	char *target = realpath(entry->fts_path, NULL), *tree = realpath(root, NULL);
	char *parent = strndup(entry->fts_path, entry->fts_pathlen - entry->fts_namelen);
	char *place = parent ? realpath(parent, NULL) : NULL;
	struct stat status;

	if (target && tree && place && !stat(target, &status) && S_ISDIR(status.st_mode)) {
		if (is_in(place, target))
			say(complain, data, entry->fts_path,
			    "the link leads to a directory that contains it; left out");
		else if (!is_in(target, tree))
			say(complain, data, entry->fts_path,
			    "the link leads out of the named paths; left out: name its "
			    "target, too");
	}
	free(target);
	free(tree);
	free(place);
	free(parent);
}

/* Visits one entry of the walk.  @any: set if it is a trace. 0 or -1: out of memory. */
static int look(struct strata_inputs *inputs, FTS *walk, FTSENT *entry, const char *root, bool *any,
		void (*complain)(void *data, const char *message), void *data)
{
	enum strata_input_kind kind;
	uid_t owner;

	switch (entry->fts_info) {
	case FTS_D:
		if (has_file(entry->fts_path, STRATA_RECORDING_FILE, &owner)) {
			kind = STRATA_INPUT_RECORDING;
		} else if (has_file(entry->fts_path, "metadata", &owner)) {
			kind = STRATA_INPUT_CTF;
		} else {
			if (entry->fts_level >= DEPTH_MAX)
				fts_set(walk, entry, FTS_SKIP);
			return 0;
		}
		fts_set(walk, entry, FTS_SKIP);
		*any = true;
		return add(inputs, kind, owner, root, entry);
	case FTS_SL:
		look_at_link(entry, root, complain, data);
		return 0;
	case FTS_DNR:
	case FTS_ERR:
	case FTS_NS:
		/* The caller reports errors of the named path itself. */
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
	FTSENT *entry;
	FTS *walk;
	bool any = false;
	int result = 0, unreadable = 0;

	if (!roots[0])
		return strata_fail(error, "out of memory");
	while (strlen(roots[0]) > 1 && roots[0][strlen(roots[0]) - 1] == '/')
		roots[0][strlen(roots[0]) - 1] = '\0';
	if (stat(path, &status)) {
		free(roots[0]);
		return strata_fail(error, "%s: %s", path, strerror(errno));
	}
	walk = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, compare);
	if (!walk) {
		free(roots[0]);
		return strata_fail(error, "%s: %s", path, strerror(errno));
	}
	while (!result && (errno = 0, entry = fts_read(walk))) {
		if (entry->fts_info == FTS_DNR && entry->fts_level == 0)
			unreadable = entry->fts_errno;
		result = look(inputs, walk, entry, roots[0], &any, complain, data);
	}
	if (result)
		strata_fail(error, "out of memory");
	fts_close(walk);
	free(roots[0]);
	if (!result && !any && unreadable)
		return strata_fail(error, "%s: %s", path, strerror(unreadable));
	if (!result && !any)
		return strata_fail(error,
				   "%s: contains no trace: neither a directory with CTF metadata "
				   "nor a recording of Strata",
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
	strata_id_rows_clear(&inputs->places, NULL);
	strata_id_rows_clear(&inputs->names, NULL);
	memset(inputs, 0, sizeof(*inputs));
}
