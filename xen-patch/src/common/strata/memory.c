/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * memory.c - the memory of the rings: pages that belong to dom_xen, which dom0
 * may map and only read, and which outlive their ring while they are mapped.
 *
 * The counters of a ring stay in Xen's own heap.  Nothing that lies in a page
 * made here is ever read by Xen, so it does not matter what a dom0 manages to
 * write there (a PVH dom0's foreign mappings are writable whatever we say).
 */

#include <xen/domain_page.h>
#include <xen/errno.h>
#include <xen/lib.h>
#include <xen/numa.h>
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

    /* Not what some domain left there. */
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

    /* Nobody knows of this page: if this fails, it is safer to leak it. */
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

void strata_ring_free(struct strata_cpu_ring *ring)
{
    if ( !ring )
        return;

    if ( ring->mapping )
        vunmap(ring->mapping);
    while ( ring->nr_frames )
        free_page(mfn_to_page(ring->frames[--ring->nr_frames]));
    vfree(ring->frames);
    xfree(ring);
}

int strata_ring_make(unsigned int cpu, struct strata_ring_geometry geo,
                     bool overwrite)
{
    unsigned int nr = STRATA_WRITER_AREA_PAGES + strata_data_pages(geo);
    struct strata_cpu_ring *ring;

    BUILD_BUG_ON(STRATA_PAGE_BYTES != PAGE_SIZE);
    BUILD_BUG_ON(sizeof(struct strata_ring_writer_area) >
                 STRATA_WRITER_AREA_PAGES * PAGE_SIZE);

    ring = _xzalloc(offsetof(struct strata_cpu_ring, core) +
                    strata_ring_bytes(geo), __alignof__(*ring));
    if ( !ring )
        return -ENOMEM;

    ring->frames = vzalloc(nr * sizeof(*ring->frames));
    if ( !ring->frames )
        goto fail;

    for ( ; ring->nr_frames < nr; ring->nr_frames++ )
    {
        struct page_info *pg = make_page(cpu);

        if ( !pg )
            goto fail;
        ring->frames[ring->nr_frames] = page_to_mfn(pg);
    }

    ring->mapping = vmap(ring->frames, nr);
    if ( !ring->mapping )
        goto fail;

    strata_ring_init(&ring->core, geo,
                     ring->mapping + STRATA_WRITER_AREA_PAGES * PAGE_SIZE,
                     ring->mapping, &ring->reader, cpu, 0);
    ring->core.overwrite = overwrite;
    ring->spare = strata_nr_subbufs(geo);

    /* The gate is shut; probes look here after it was opened. */
    strata_rings[cpu] = ring;

    return 0;

 fail:
    strata_ring_free(ring);

    return -ENOMEM;
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
