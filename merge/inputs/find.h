/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * find.h - finds the traces under the paths that a user names, without following links; each trace
 * is found once.
 */
#ifndef STRATA_MERGE_INPUTS_FIND_H
#define STRATA_MERGE_INPUTS_FIND_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/id_rows.h"

enum strata_input_kind {
	STRATA_INPUT_RECORDING, /* a directory with recording.json, and the traces below it */
	STRATA_INPUT_CTF,       /* a directory with CTF metadata */
};

struct strata_input {
	enum strata_input_kind kind;
	uid_t owner; /* of its metadata, or of its table */
	char *path;
	char *name; /* unique, short, escaped: the path below the one that the user named */
};

struct strata_inputs {
	struct strata_input *inputs; /* by path, in the order of the names given */
	size_t nr, room;
	/* By device and inode, and by name: what was found is found again without a walk over all.
	 */
	struct strata_id_rows places, names;
};

/*
 * Adds the traces at @path and below.  @complain: reports unreadable places; may be NULL. 0; -1:
 * none found, or out of memory.
 */
int strata_inputs_find(struct strata_inputs *inputs, const char *path,
		       void (*complain)(void *data, const char *message), void *data,
		       struct strata_error *error);

void strata_inputs_clear(struct strata_inputs *inputs);

#endif /* STRATA_MERGE_INPUTS_FIND_H */
