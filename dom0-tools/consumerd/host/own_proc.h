/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * own_proc.h - a /proc that no other process can watch.
 *
 * Any user may have the kernel report each access to a file that he may read (inotify), also to
 * most files of /proc.  The kernel does so in the process that accesses the file, and wakes all who
 * wait for the report: a user who waits millions of times delays that process by seconds.  Watches
 * belong to one instance of the file system, so we read an instance of our own, which is mounted
 * nowhere.
 */
#ifndef STRATA_CONSUMERD_OWN_PROC_H
#define STRATA_CONSUMERD_OWN_PROC_H

/* The path of that /proc; opens it at the first call.  Linux 5.8 and the right to mount are needed:
 * without them, it is the /proc of all. */
const char *own_proc(void);

/* Opens it again, for a process whose inherited files were closed. */
void own_proc_again(void);

#endif /* STRATA_CONSUMERD_OWN_PROC_H */
