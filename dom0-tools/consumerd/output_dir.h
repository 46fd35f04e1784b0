/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output_dir.h - the directory of a recording: opened by the rules of safe_dir.h, locked
 * against other recorders, with disk space reserved for the tables that are saved last.
 * Called by the recorder.
 *
 * An earlier recording that is replaced is set aside, within the directory, until the new one has
 * begun; if the new one does not begin, it is restored.
 */
#ifndef STRATA_CONSUMERD_OUTPUT_DIR_H
#define STRATA_CONSUMERD_OUTPUT_DIR_H

#include <stdint.h>

#include "files/safe_dir.h"

/* What to do if the directory already holds a recording. */
enum output_place {
	OUTPUT_FREE,    /* refuse */
	OUTPUT_REPLACE, /* replace it */
	OUTPUT_NEW,     /* create a directory of another name, even if this one is free */
};

struct output_dir {
	struct strata_dir dir; /* locked while it is open; its path is the name that was chosen */
	bool made;             /* it did not exist */
	bool aside;            /* an earlier recording waits for output_dir_began() */
	uint64_t reserved;     /* bytes of the disk, for the last tables */
};

/*
 * Makes the directory ready. Refuses a directory that holds anything but a recording, one with a
 * recording in progress, and one with rings of a recorder that died. 0 or -1.
 */
int output_dir_open(struct output_dir *out, const char *path, enum output_place place,
		    struct strata_error *error);

/*
 * Makes the directory in which recordings are made one after the other, closed to others, or takes
 * one that exists as it is.
 * @warning: OUT: "", or that others may open it: whoever can open it can keep its lock, which each
 *           new recording needs
 * 0 or -1.
 */
int output_dir_of_many(const char *path, struct strata_error *warning, struct strata_error *error);

/* Names a directory, which does not exist, for something that begins now:
 * "DIR/recording-20260701-120000", or with "-2" and so on behind it.  0 or -1. */
int output_dir_dated(char path[PATH_MAX], const char *dir, const char *what,
		     struct strata_error *error);

/* The same for one of several recordings, of channels, which begin together:
 * "DIR/recording-20260701-120000/LEAF".  Makes the directory of all of them, unless another channel
 * has done that within this second.  0 or -1. */
int output_dir_dated_leaf(char path[PATH_MAX], const char *dir, const char *what, const char *leaf,
			  struct strata_error *error);

/* The recording has begun: the earlier one is removed. */
void output_dir_began(struct output_dir *out);

/* Gives up the recording, whose sources are removed: restores the earlier contents, and closes the
 * directory. */
void output_dir_give_up(struct output_dir *out);

/*
 * Reserves space for a new copy of tables that had @bytes, which is written beside the old one, and
 * may be a quarter longer.  If the disk has no room for it, what was reserved before stays; call
 * this again after the next save.
 */
void output_dir_reserve(struct output_dir *out, uint64_t bytes);

/* Frees the reserved space: before the last tables are saved, full disk or not. */
void output_dir_free_reserve(struct output_dir *out);

/*
 * Waits until the disk has the tables of a recording whose recorder did not wait for it.  Called by
 * whoever asked that recorder for a snapshot.
 * @path: of the recording
 * 0, or -1: they may be lost if the machine crashes.
 */
int output_dir_await_disk(const char *path, struct strata_error *error);

/* Unlocks and closes the directory: another recorder may record into it from then on. */
void output_dir_close(struct output_dir *out);

#endif /* STRATA_CONSUMERD_OUTPUT_DIR_H */
