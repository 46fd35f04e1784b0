// SPDX-License-Identifier: GPL-2.0-only
/* trace_mm.c - events of memory and of files in it. */
#include "trace_helpers.h"

#include <linux/hash.h>
#include <linux/mm_inline.h>
#include <linux/slab.h>

/* struct compact_control is the page allocator's own. */
struct compact_control;
#define STRATA_SKIP_mm_compaction_migratepages 1
#define STRATA_SKIP_mm_compaction_begin        1
#define STRATA_SKIP_mm_compaction_end          1

/* struct wb_writeback_work is writeback's own. */
struct wb_writeback_work;
#define STRATA_SKIP_writeback_work_class 1
#define STRATA_SKIP_writeback_queue_io   1

/* They look at global_wb_domain, which the kernel does not export; the next one asks
 * get_pfnblock_flags_mask(), likewise. */
#define STRATA_SKIP_global_dirty_state    1
#define STRATA_SKIP_balance_dirty_pages   1
#define STRATA_SKIP_mm_page_alloc_extfrag 1

/* An id for an address space, where the kernel does not export its own hash. */
#define __PTR_TO_HASHVAL
static inline unsigned int mm_ptr_to_hash(const void *ptr)
{
	return hash_ptr(ptr, 32);
}

/* slub_def.h declares the cache, and functions of the allocator about a structure of its own, which
 * nothing here calls. */
struct slab {
	unsigned int objects;
};
static inline void *slab_address(const struct slab *slab)
{
	return NULL;
}
#include <linux/slub_def.h>

#define CREATE_TRACE_POINTS
#include <trace/events/compaction.h>
#include <trace/events/filelock.h>
#include <trace/events/filemap.h>
#include <trace/events/fs_dax.h>
#include <trace/events/huge_memory.h>
#include <trace/events/kmem.h>
#include <trace/events/maple_tree.h>
#include <trace/events/migrate.h>
#include <trace/events/mmap.h>
#include <trace/events/mmap_lock.h>
#include <trace/events/oom.h>
#include <trace/events/page_isolation.h>
#include <trace/events/page_pool.h>
#include <trace/events/pagemap.h>
#include <trace/events/percpu.h>
#include <trace/events/thp.h>
#include <trace/events/tlb.h>
#include <trace/events/vmscan.h>
#include <trace/events/writeback.h>
