/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * find.h - what there is to be read under the paths that a user names: directories
 * are searched, without following the links in them; what was named twice is there once.
 */
#ifndef STRATA_MERGE_INPUTS_FIND_H
#define STRATA_MERGE_INPUTS_FIND_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"

enum strata_input_kind {
	STRATA_INPUT_RECORDING, /* a directory with Strata's table; its traces are its own */
	STRATA_INPUT_CTF,       /* a directory with CTF metadata */
};

struct strata_input {
	enum strata_input_kind kind;
	dev_t device; /* with the inode: the directory, whatever leads there */
	ino_t inode;
	char *path;
	char *name; /* unique, short, fit to be shown: the path below what the user named */
};

struct strata_inputs {
	struct strata_input *inputs; /* by path, in the order of what was named */
	size_t nr;
};

/*
 * Adds what is found at @path and below.  @complain: told of what cannot be looked into; may be
 * NULL 0; -1: there is nothing, with what to do, or out of memory.
 */
int strata_inputs_find(struct strata_inputs *inputs, const char *path,
		       void (*complain)(void *data, const char *message), void *data,
		       struct strata_error *error);

void strata_inputs_clear(struct strata_inputs *inputs);

#endif /* STRATA_MERGE_INPUTS_FIND_H */
