/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_memory.h - memory for an application's rings that belongs to the kernel: an array map of
 * BPF that can be mapped (BPF_F_MMAPABLE, Linux 5.5), of which no BPF program knows.
 *
 * The pages of a file in memory are in the page cache.  Whoever has such a file can hold its locks,
 * and those of its pages, for minutes (map it a million times, then fallocate() or MADV_PAGEOUT at
 * the lowest priority), and with them whoever seals, reads or unmaps it.  The pages of such a map
 * are not: all of them exist from the beginning, nobody can take them out, replace, swap or
 * truncate them, and a mapping of them never faults.
 *
 * Called by app_memory.c and memory_return.c.
 */
#ifndef STRATA_CONSUMERD_KERNEL_MEMORY_H
#define STRATA_CONSUMERD_KERNEL_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Makes such memory, of zeros.  It counts as the recorder's, in its control group.
 * @bytes: rounded up to whole pages
 * @id:    OUT, its number, never 0
 * Returns a descriptor that can be mapped and given away; or -1 with errno.  EPERM, EACCES,
 * ENOSYS, EINVAL: this process may not have such memory, or this kernel has none.
 */
int kernel_memory_make(size_t bytes, uint32_t *id);

/* Whether a descriptor or mapping of that memory still exists. True also if the kernel does not
 * say. */
bool kernel_memory_exists(uint32_t id);

#endif /* STRATA_CONSUMERD_KERNEL_MEMORY_H */
