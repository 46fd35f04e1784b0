// SPDX-License-Identifier: GPL-2.0-or-later
/* grant_range.c - see grant_range.h. */
#include "consumerd/xen/grant_range.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include <strata/ring_layout.h>

static size_t bytes_of(uint32_t pages)
{
	return (size_t)pages * STRATA_PAGE_BYTES;
}

int grant_range_make(struct grant_range *range, struct strata_error *error)
{
	unsigned char *address = mmap(NULL, bytes_of(range->nr + 2), PROT_NONE,
				      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (address == MAP_FAILED)
		return strata_fail(error, "no addresses for %s: %s", range->what, strerror(errno));
	range->mapped = 0;
	range->end = range->nr + 1;
	range->address = address + STRATA_PAGE_BYTES;
	return 0;
}

/* Releases the addresses from page @first on permanently: another thread may reuse them
 * immediately. */
static void give_back_from(struct grant_range *range, uint32_t first)
{
	if (range->end > first)
		munmap(range->address + bytes_of(first), bytes_of(range->end - first));
	range->end = range->mapped;
}

int grant_range_map(struct grant_range *range, const uint32_t *refs, struct strata_error *error)
{
	const uint32_t nr = grant_range_next(range);

	if (grant_call_map(range->gnttab, range->address + bytes_of(range->mapped), nr,
			   range->domain, refs, range->protection)) {
		strata_fail(error, "mapping %s (%u pages): %s", range->what, range->nr,
			    strerror(errno));
		/* The piece's own addresses are no longer ours. */
		give_back_from(range, range->mapped + nr);
		return -1;
	}
	/* A child that is blocked in the kernel must not keep it. */
	madvise(range->address + bytes_of(range->mapped), bytes_of(nr), MADV_DONTFORK);
	range->mapped += nr;
	return 0;
}

bool grant_range_unmap(struct grant_range *range)
{
	const uint32_t rest = range->mapped % GRANT_CALL_PAGES;
	const uint32_t nr = rest ? rest : GRANT_CALL_PAGES;

	if (!range->address)
		return true;
	give_back_from(range, range->mapped);
	if (range->mapped) {
		range->mapped -= nr;
		range->end -= nr;
		xengnttab_unmap(range->gnttab, range->address + bytes_of(range->mapped), nr);
		return false;
	}
	munmap(range->address - STRATA_PAGE_BYTES, STRATA_PAGE_BYTES);
	range->address = NULL;
	return true;
}
