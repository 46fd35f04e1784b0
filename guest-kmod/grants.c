// SPDX-License-Identifier: GPL-2.0-only
/*
 * grants.c - allocates pages, grants them to domain 0, and lists the grants in
 * directory pages that one root page lists (strata/abi/guest.h).
 *
 * Pages are single ones, never compound: at the end each is given to gnttab_end_foreign_access(),
 * which owns it from then on and frees it when domain 0 no longer maps it, even after this module
 * is unloaded.
 *
 * Not thread-safe: called when the module loads, when the domain was restored, and
 * when the module unloads.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/errno.h>
#include <linux/gfp.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/numa.h>
#include <linux/sched.h>
#include <xen/page.h>

#include "grants.h"

#define DOMAIN_0 0

/* No reference of ours: the kernel keeps the first ones. */
#define ENDED 0

static grant_ref_t held_back; /* the first of a list */

static_assert(PAGE_SIZE == STRATA_PAGE_BYTES, "a grant covers a page of 4096 bytes");
static_assert(sizeof(struct strata_guest_root) <= STRATA_PAGE_BYTES, "the root is one page");

static u32 directory_pages(u32 nr_refs)
{
	return DIV_ROUND_UP(nr_refs, STRATA_GUEST_REFS_PER_PAGE);
}

int strata_grants_init(struct strata_grants *grants, u32 nr_listed)
{
	grants->nr = 0;
	grants->nr_borrowed = 0;
	grants->capacity = nr_listed + directory_pages(nr_listed) + 1;
	grants->page = kvcalloc(grants->capacity, sizeof(*grants->page), GFP_KERNEL);
	grants->ref = kvcalloc(grants->capacity, sizeof(*grants->ref), GFP_KERNEL);
	grants->writable = kvcalloc(grants->capacity, sizeof(*grants->writable), GFP_KERNEL);
	if (grants->page && grants->ref && grants->writable)
		return 0;
	pr_err("no memory for a list of %u pages\n", grants->capacity);
	strata_grants_release(grants);
	return -ENOMEM;
}

static int add_page(struct strata_grants *grants, int node, bool writable)
{
	struct page *page;
	int ref;

	/* Fail rather than have the OOM killer make room for a trace. */
	page = alloc_pages_node(node, GFP_KERNEL | __GFP_ZERO | __GFP_RETRY_MAYFAIL | __GFP_NOWARN,
				0);
	if (!page) {
		pr_err("no memory for page %u of %u; choose a smaller subbuf_kb or nr_subbufs\n",
		       grants->nr + 1, grants->capacity);
		return -ENOMEM;
	}
	ref = gnttab_grant_foreign_access(DOMAIN_0, xen_page_to_gfn(page), !writable);
	if (ref < 0) {
		__free_page(page);
		return ref;
	}
	grants->page[grants->nr] = page;
	grants->ref[grants->nr] = ref;
	grants->writable[grants->nr] = writable;
	grants->nr++;
	return 0;
}

int strata_grants_add(struct strata_grants *grants, u32 nr, int node, bool writable)
{
	u32 first = grants->nr;
	int err;

	if (nr > grants->capacity - first)
		return -E2BIG;
	while (grants->nr < first + nr) {
		err = add_page(grants, node, writable);
		if (err)
			return err;
		cond_resched();
	}
	return first;
}

void strata_grants_borrow(struct strata_grants *grants, const struct strata_grants *from, u32 nr)
{
	memcpy(grants->page, from->page, nr * sizeof(*grants->page));
	memcpy(grants->ref, from->ref, nr * sizeof(*grants->ref));
	grants->nr_borrowed = nr;
	grants->nr = nr;
}

int strata_grants_add_root(struct strata_grants *grants, const struct strata_guest_root *root)
{
	u32 nr_refs = grants->nr;
	u32 nr_directories = directory_pages(nr_refs);
	struct strata_guest_root *shared;
	int first, place;
	u32 i;

	first = strata_grants_add(grants, nr_directories, NUMA_NO_NODE, false);
	if (first < 0)
		return first;
	for (i = 0; i < nr_refs; i++) {
		struct page *page = grants->page[first + i / STRATA_GUEST_REFS_PER_PAGE];
		u32 *refs = page_address(page);

		refs[i % STRATA_GUEST_REFS_PER_PAGE] = grants->ref[i];
	}
	place = strata_grants_add(grants, 1, NUMA_NO_NODE, false);
	if (place < 0)
		return place;
	shared = page_address(grants->page[place]);
	*shared = *root;
	shared->nr_refs = nr_refs;
	for (i = 0; i < nr_directories; i++)
		shared->directory_ref[i] = grants->ref[first + i];
	return place;
}

void strata_grants_renew(const struct strata_grants *grants)
{
	u32 i;

	/* The kernel's list of free references was restored; only Xen's table was not. */
	for (i = grants->nr_borrowed; i < grants->nr; i++)
		gnttab_grant_foreign_access_ref(grants->ref[i], DOMAIN_0,
						xen_page_to_gfn(grants->page[i]),
						!grants->writable[i]);
}

u32 strata_grants_end_writable(struct strata_grants *grants)
{
	u32 left = 0, i;

	for (i = 0; i < grants->nr; i++) {
		if (!grants->writable[i] || grants->ref[i] == ENDED)
			continue;
		if (gnttab_try_end_foreign_access(grants->ref[i]))
			grants->ref[i] = ENDED;
		else
			left++;
	}
	return left;
}

int strata_grants_hold_back(void)
{
	u32 nr = gnttab_max_grant_frames() * (PAGE_SIZE / sizeof(struct grant_entry_v1)) / 8;
	int err = gnttab_alloc_grant_references(nr, &held_back);

	if (err)
		pr_err("fewer than %u grant references are left in this domain; give it a larger max_grant_frames\n",
		       nr);
	return err;
}

void strata_grants_give_back(void)
{
	gnttab_free_grant_references(held_back);
}

void strata_grants_release(struct strata_grants *grants)
{
	u32 i;

	for (i = grants->nr_borrowed; i < grants->nr; i++) {
		if (grants->ref[i] == ENDED)
			__free_page(grants->page[i]);
		else
			gnttab_end_foreign_access(grants->ref[i], grants->page[i]);
		cond_resched();
	}
	kvfree(grants->page);
	kvfree(grants->ref);
	kvfree(grants->writable);
	*grants = (struct strata_grants){};
}
