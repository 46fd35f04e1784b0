/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proc_text.h - reads short files of a /proc that nobody else can watch or lock (own_proc.h).
 *
 * Reading one of another user's process may take as long as that user likes (peer_look.h).
 */
#ifndef STRATA_CONSUMERD_PROC_TEXT_H
#define STRATA_CONSUMERD_PROC_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Reads the beginning of a file as a string; @path is relative to that /proc, or absolute.  False,
 * and an empty string: it cannot be read. */
bool proc_text_at(const char *path, char *text, size_t bytes);

/* The same of /proc/@pid/@name. */
bool proc_text_read(pid_t pid, const char *name, char *text, size_t bytes);

/* Reads /proc/@pid/stat, and returns what follows the program's name: a space and the letter of its
 * state.  A process chooses its name, but nothing after the last bracket.  NULL: it is gone. */
const char *proc_text_stat(pid_t pid, char *text, size_t bytes);

struct proc_uids {
	uint32_t real;
	uint32_t effective;
};

/* Reads the users of a process.  False: the process is gone. */
bool proc_text_uids(pid_t pid, struct proc_uids *uids);

/* Whether a process descends from @ancestor. */
bool proc_text_descends(pid_t pid, pid_t ancestor);

#endif /* STRATA_CONSUMERD_PROC_TEXT_H */
