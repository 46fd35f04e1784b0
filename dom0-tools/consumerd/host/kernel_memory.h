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
 * Called by memory_maker.c, which makes it, and by memory_return.c.
 */
#ifndef STRATA_CONSUMERD_KERNEL_MEMORY_H
#define STRATA_CONSUMERD_KERNEL_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kernel_memory {
	int fd; /* can be mapped and given away; -1: none */
	uint32_t id;
	size_t bytes;
};

/*
 * Makes such memory, of zeros.  It counts for the control group of the calling process, also when
 * it is unmapped, as long as the kernel uses its pages: in pipes, in sockets, for input and output.
 * @bytes: rounded up to whole pages
 * Returns 0, or -1 with errno.
 */
int kernel_memory_make(size_t bytes, struct kernel_memory *memory);

/* Whether this process may have such memory, and this kernel has it.  Makes some, and frees it. */
bool kernel_memory_is_possible(void);

/* Whether a descriptor or mapping of that memory still exists. True also if the kernel does not
 * say. */
bool kernel_memory_exists(uint32_t id);

#endif /* STRATA_CONSUMERD_KERNEL_MEMORY_H */
