/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory_limit.h - how much memory this process may use: the machine's, or less if its control
 * group has a limit.
 *
 * The recorder brings in pages of rings that their programs never touched, and the kernel charges
 * them to the recorder's group. A group without memory kills the recorder, so the shares of users
 * are parts of the group's limit.
 *
 * Called by principal.c.
 */
#ifndef STRATA_CONSUMERD_MEMORY_LIMIT_H
#define STRATA_CONSUMERD_MEMORY_LIMIT_H

#include <stdint.h>

/* Returns the smallest memory limit, in bytes, of the groups named in @list (/proc/self/cgroup) and
 * of those above them, under @mount (/sys/fs/cgroup), of either version of control groups;
 * UINT64_MAX: none has a limit, or the files cannot be read. */
uint64_t memory_limit_of_groups(const char *list, const char *mount);

/* Returns the bytes of memory that this process may use. */
uint64_t memory_limit(void);

#endif /* STRATA_CONSUMERD_MEMORY_LIMIT_H */
