/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * memory.c - the memory of the rings: pages of dom_xen, which dom0 may map
 * read-only, and which outlive their ring while they are mapped.
 *
 * The counters of a ring stay in Xen's own heap.  Xen never reads a page made
 * here, so writes of dom0 do no harm (a PVH dom0's foreign mappings are always
 * writable).
 */

#include <xen/domain_page.h>
#include <xen/errno.h>
#include <xen/event.h>
#include <xen/lib.h>
#include <xen/numa.h>
#include <xen/sched.h>
#include <xen/vmap.h>
#include <xen/xmalloc.h>

#include "private.h"

/*
 * One page on the CPU's own node.  The type count pins it as read-only before
 * dom_xen owns it, as share_xen_page_with_guest() does for SHARE_ro; the
 * general reference is ours, beside the one that stands for the allocation.
 */
static struct page_info *make_page(unsigned int cpu)
{
    struct page_info *pg;

    pg = alloc_domheap_page(NULL, MEMF_node(cpu_to_node(cpu)));
    if ( !pg )
        return NULL;

    /* Removes data of the previous owner. */
    clear_domain_page(page_to_mfn(pg));

    pg->u.inuse.type_info = PGT_none | PGT_validated | 1;
    pg->count_info |= PGC_extra;
    if ( assign_page(pg, 0, dom_xen, MEMF_no_refcount) )
    {
        pg->count_info &= ~PGC_extra;
        pg->u.inuse.type_info = 0;
        free_domheap_page(pg);
        return NULL;
    }

    /* The page is in no list: if this fails, it is safer to leak it. */
    if ( unlikely(!get_page(pg, dom_xen)) )
        return NULL;

    return pg;
}

/*
 * Cleared, because the heap does not scrub pages of a living domain and the
 * next owner may be any guest.  A read-only mapping takes no type reference, so
 * ours is the only one and goes with a plain store.  From here on dom0 could
 * map the page writable, and only dom0 would notice.  The last put_page(), here
 * or where dom0 unmaps, frees it.
 */
static void free_page(struct page_info *pg)
{
    clear_domain_page(page_to_mfn(pg));
    write_atomic(&pg->u.inuse.type_info, 0UL);
    put_page_alloc_ref(pg);
    put_page(pg);
}

/* About 50 us of work: clear, and map or unmap. */
#define PAGES_AT_ONCE 64

/* Unmaps and frees the last pages.  False: more pages remain. */
static bool free_pages(struct strata_cpu_ring *ring)
{
    unsigned int nr = min_t(unsigned int, ring->nr_frames, PAGES_AT_ONCE);
    unsigned long end = (unsigned long)ring->mapping +
                        (unsigned long)ring->nr_frames * PAGE_SIZE;

    if ( nr )
        destroy_xen_mappings(end - nr * PAGE_SIZE, end);
    while ( nr-- )
        free_page(mfn_to_page(ring->frames[--ring->nr_frames]));

    return !ring->nr_frames;
}

int strata_ring_free(struct strata_cpu_ring *ring)
{
    if ( !ring )
        return 0;

    while ( !free_pages(ring) )
        if ( general_preempt_check() )
            return -ERESTART;

    if ( ring->mapping )
        vm_free(ring->mapping);
    vfree(ring->frames);
    xfree(ring);

    return 0;
}

struct strata_cpu_ring *strata_ring_begin(struct strata_ring_geometry geo)
{
    unsigned int nr = STRATA_WRITER_AREA_PAGES + strata_data_pages(geo);
    struct strata_cpu_ring *ring;

    BUILD_BUG_ON(STRATA_PAGE_BYTES != PAGE_SIZE);
    BUILD_BUG_ON(sizeof(struct strata_ring_writer_area) >
                 STRATA_WRITER_AREA_PAGES * PAGE_SIZE);

    ring = _xzalloc(offsetof(struct strata_cpu_ring, core) +
                    strata_ring_bytes(geo), __alignof__(*ring));
    if ( !ring )
        return NULL;

    ring->frames = vzalloc(nr * sizeof(*ring->frames));
    ring->mapping = ring->frames ? vm_alloc(nr, 1, VMAP_DEFAULT) : NULL;
    if ( !ring->mapping )
    {
        vfree(ring->frames);
        xfree(ring);
        return NULL;
    }

    return ring;
}

/* Adds pages to @ring until it has @nr.  0, -ENOMEM or -ERESTART. */
static int add_pages(struct strata_cpu_ring *ring, unsigned int cpu,
                     unsigned int nr)
{
    while ( ring->nr_frames < nr )
    {
        unsigned long va = (unsigned long)ring->mapping +
                           (unsigned long)ring->nr_frames * PAGE_SIZE;
        struct page_info *pg = make_page(cpu);

        if ( !pg )
            return -ENOMEM;
        /* Count first: unmapping an unmapped page is harmless. */
        ring->frames[ring->nr_frames++] = page_to_mfn(pg);
        if ( map_pages_to_xen(va, page_to_mfn(pg), 1, PAGE_HYPERVISOR) )
            return -ENOMEM;
        if ( !(ring->nr_frames % PAGES_AT_ONCE) && ring->nr_frames < nr &&
             general_preempt_check() )
            return -ERESTART;
    }

    return 0;
}

int strata_ring_make(struct strata_cpu_ring *ring, unsigned int cpu,
                     struct strata_ring_geometry geo, bool overwrite)
{
    unsigned int nr = STRATA_WRITER_AREA_PAGES + strata_data_pages(geo);
    int rc = add_pages(ring, cpu, nr);

    if ( rc )
        return rc;

    strata_ring_init(&ring->core, geo,
                     ring->mapping + STRATA_WRITER_AREA_PAGES * PAGE_SIZE,
                     ring->mapping, &ring->reader, cpu, 0);
    ring->core.overwrite = overwrite;
    ring->spare = strata_nr_subbufs(geo);

    return 0;
}

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
