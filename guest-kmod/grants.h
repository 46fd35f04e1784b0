/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * grants.h - the pages that this kernel shares with domain 0.
 */
#ifndef STRATA_KMOD_GRANTS_H
#define STRATA_KMOD_GRANTS_H

#include <linux/mm_types.h>
#include <linux/types.h>
#include <xen/grant_table.h>

#include <strata/abi/guest.h>

/* Pages in the order in which the directory lists them, and the reference that grants each. */
struct strata_grants {
	struct page **page;
	grant_ref_t *ref;
	bool *writable;
	u32 nr_borrowed; /* the first ones: another list's, which outlives this one */
	u32 nr;
	u32 capacity;
};

/*
 * Makes an empty list with space for @nr_listed pages that the directory will list, and for
 * directory and root. 0 or -ENOMEM.  May sleep.
 */
int strata_grants_init(struct strata_grants *grants, u32 nr_listed);

/*
 * Adds @nr zeroed pages on NUMA node @node and grants them to domain 0.
 * Returns the first one's index in the list, -ENOSPC (no references left), or after
 * a message -ENOMEM or -E2BIG; pages added before stay.  May sleep.
 */
int strata_grants_add(struct strata_grants *grants, u32 nr, int node, bool writable);

/* Lists the first @nr pages of @from in the empty @grants, too: another directory can list them. */
void strata_grants_borrow(struct strata_grants *grants, const struct strata_grants *from, u32 nr);

/*
 * Adds the directory of all pages so far, and the root page, of which @root
 * gives everything but nr_refs and directory_ref.  Returns the place of the root
 * page, or as strata_grants_add().  May sleep.
 */
int strata_grants_add_root(struct strata_grants *grants, const struct strata_guest_root *root);

/*
 * Grants all pages again under the same references: after a restore the domain's
 * grant table is new and empty.  Any context; domain 0 maps none of the pages.
 */
void strata_grants_renew(const struct strata_grants *grants);

/*
 * Ends the grants of pages that domain 0 may write, of those that it does not map.  Returns how
 * many are left.  The pages stay.  May sleep.
 */
u32 strata_grants_end_writable(struct strata_grants *grants);

/*
 * Keeps an eighth of all references from strata_grants_add(), for this kernel's own devices, which
 * would wait for ever without any.  Returns 0, or -ENOSPC after a message.
 * strata_grants_give_back() releases them.
 */
int strata_grants_hold_back(void);
void strata_grants_give_back(void);

/*
 * Ends all grants and releases all pages.  A page that domain 0 still maps is
 * freed by the kernel some time after it was unmapped.  The caller has no mapping
 * of the pages left.  Also undoes a half-made list.  May sleep.
 */
void strata_grants_release(struct strata_grants *grants);

#endif /* STRATA_KMOD_GRANTS_H */
