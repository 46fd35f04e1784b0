/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * own_proc.h - a /proc that no other process can watch or lock.
 *
 * Any user may have the kernel report each access to a file that he may read (inotify), also to
 * most files of /proc.  The kernel does so in the process that accesses the file, and wakes all who
 * wait for the report: a user who waits millions of times delays that process by seconds.  And any
 * user may keep a directory locked that he may read (files/apart.h): then no process can look up
 * /proc/PID of a process that nobody has looked up before, not even its own.
 *
 * Watches and locks belong to one instance of the file system.  So we read an instance of our own,
 * which is mounted nowhere, and reach it by its descriptor: the path /proc/self/fd leads through
 * the /proc of all.
 */
#ifndef STRATA_CONSUMERD_OWN_PROC_H
#define STRATA_CONSUMERD_OWN_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * As open(); @name is relative to that /proc ("self/status"), or an absolute path of any file.  The
 * first call opens the instance.  Linux 5.8 and the right to mount are needed: without them, it is
 * the /proc of all.
 */
int own_proc_open(const char *name, int flags);

/* The same as fopen() for reading. */
FILE *own_proc_file(const char *name);

/* Reads a link of it as a string.  False, and an empty string: it cannot be read. */
bool own_proc_link(const char *name, char *target, size_t bytes);

/* Opens the instance again, for a process whose inherited files were closed. */
void own_proc_again(void);

#endif /* STRATA_CONSUMERD_OWN_PROC_H */
