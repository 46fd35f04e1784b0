// SPDX-License-Identifier: GPL-2.0-or-later
/* guest_map.c - see guest_map.h. */
#include "consumerd/xen/guest_map.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <strata/abi/guest.h>

#include "consumerd/rings/event_table.h"
#include "recording/recording.h"
#include "consumerd/xen/guest_map_rings.h"

/* Copies the root page and checks every number in it. */
static int read_root(xengnttab_handle *gnttab, const struct guest *guest,
		     struct strata_guest_root *root, struct strata_error *error)
{
	uint32_t ref = guest->root_ref;
	void *page = guest_map_refs(gnttab, guest->domain, &ref, 1, PROT_READ, "its root", error);
	struct strata_ring_geometry geo;
	uint64_t refs;

	if (!page)
		return -1;
	memcpy(root, page, sizeof(*root));
	xengnttab_unmap(gnttab, page, 1);
	if (root->magic != STRATA_GUEST_MAGIC)
		return strata_fail(error, "bad root page: magic %#x", root->magic);
	if (root->version != STRATA_GUEST_ABI_VERSION)
		return strata_fail(error, "its root page has version %u, but this tool needs %u",
				   root->version, STRATA_GUEST_ABI_VERSION);
	if (root->reserved1 || root->reserved2 || root->header_forms & ~STRATA_HEADER_FORMS_ALL)
		return strata_fail(error,
				   "bad root page: reserved words %#x and %#x, header forms %#x "
				   "(this tool knows %#x)",
				   root->reserved1, root->reserved2, root->header_forms,
				   STRATA_HEADER_FORMS_ALL);
	if (root->nonce != guest->nonce)
		return strata_fail(error,
				   "its root page is of another load (nonce %" PRIx64
				   ", xenstore says %" PRIx64 ")",
				   root->nonce, guest->nonce);
	geo.subbuf_bits = root->subbuf_bits;
	geo.nr_subbufs_bits = root->nr_subbufs_bits;
	if (!strata_geometry_valid(geo))
		return strata_fail(error, "bad root page: sub-buffers of 2^%u bytes, 2^%u of them",
				   geo.subbuf_bits, geo.nr_subbufs_bits);
	if (root->nr_events == 0 || root->nr_events > STRATA_GUEST_EVENTS_MAX ||
	    root->nr_rings == 0 || root->nr_rings > STRATA_GUEST_RINGS_MAX)
		return strata_fail(error, "bad root page: %u events, %u rings", root->nr_events,
				   root->nr_rings);
	if (root->table_bytes == 0 || root->table_bytes > STRATA_GUEST_TABLE_BYTES_MAX)
		return strata_fail(error, "bad root page: an event table of %u bytes",
				   root->table_bytes);
	refs = strata_guest_refs(root->table_bytes, root->nr_rings, geo);
	if (refs != root->nr_refs || refs > STRATA_GUEST_REFS_MAX)
		return strata_fail(error,
				   "bad root page: it lists %u references, its sizes ask for "
				   "%" PRIu64 " (at most %u are taken)",
				   root->nr_refs, refs, STRATA_GUEST_REFS_MAX);
	return 0;
}

static int by_number(const void *a, const void *b)
{
	const uint32_t *first = a, *second = b;

	return (*first > *second) - (*first < *second);
}

/*
 * Each mapped page costs dom0 and Xen memory that all guests share: so a guest
 * pays for each with a page and a grant of its own, and lists none twice.
 */
static int check_distinct(const uint32_t *refs, uint32_t nr, struct strata_error *error)
{
	uint32_t *sorted = malloc((size_t)nr * sizeof(*sorted));
	int result = 0;
	uint32_t i;

	if (!sorted)
		return strata_fail(error, "out of memory");
	memcpy(sorted, refs, (size_t)nr * sizeof(*sorted));
	qsort(sorted, nr, sizeof(*sorted), by_number);
	for (i = 1; i < nr && !result; i++)
		if (sorted[i] == sorted[i - 1])
			result = strata_fail(error, "bad directory: it lists reference %u twice",
					     sorted[i]);
	free(sorted);
	return result;
}

/* Copies the references out of the directory pages. */
static uint32_t *read_directory(xengnttab_handle *gnttab, const struct guest *guest,
				struct strata_guest_root *root, struct strata_error *error)
{
	uint32_t nr_pages =
		(root->nr_refs + STRATA_GUEST_REFS_PER_PAGE - 1) / STRATA_GUEST_REFS_PER_PAGE;
	uint32_t *refs;
	void *pages;

	if (check_distinct(root->directory_ref, nr_pages, error))
		return NULL;
	refs = malloc((size_t)root->nr_refs * sizeof(*refs));
	if (!refs) {
		strata_fail(error, "out of memory");
		return NULL;
	}
	pages = guest_map_refs(gnttab, guest->domain, root->directory_ref, nr_pages, PROT_READ,
			       "its directory", error);
	if (!pages) {
		free(refs);
		return NULL;
	}
	memcpy(refs, pages, (size_t)root->nr_refs * sizeof(*refs));
	xengnttab_unmap(gnttab, pages, nr_pages);
	if (check_distinct(refs, root->nr_refs, error)) {
		free(refs);
		return NULL;
	}
	return refs;
}

/* Copies the event table, then takes the copy apart. */
static int read_events(struct guest_map *map, const struct guest *guest,
		       const struct strata_guest_root *root, uint32_t *refs,
		       struct strata_error *error)
{
	uint32_t nr_pages = strata_guest_table_pages(root->table_bytes);
	struct strata_event_desc *events = NULL;
	unsigned char *copy;
	void *pages;

	pages = guest_map_refs(map->gnttab, guest->domain, refs, nr_pages, PROT_READ,
			       "its event table", error);
	if (!pages)
		return -1;
	copy = malloc(root->table_bytes);
	if (copy) {
		memcpy(copy, pages, root->table_bytes);
		events = event_table_parse(copy, root->table_bytes, root->nr_events, error);
		free(copy);
	} else {
		strata_fail(error, "out of memory");
	}
	xengnttab_unmap(map->gnttab, pages, nr_pages);
	if (!events)
		return -1;
	free(map->events);
	map->events = events;
	map->nr_events = root->nr_events;
	return 0;
}

/* Reads root and directory.  @refs: OUT, the caller's to free().  0 or -1. */
static int read_lists(xengnttab_handle *gnttab, const struct guest *guest,
		      struct strata_guest_root *root, uint32_t **refs, struct strata_error *error)
{
	if (read_root(gnttab, guest, root, error))
		return -1;
	*refs = read_directory(gnttab, guest, root, error);
	return *refs ? 0 : -1;
}

static int map_all(struct guest_map *map, xengnttab_handle *gnttab, const struct guest *guest,
		   bool with_rings, uint32_t pages, struct strata_error *error)
{
	struct strata_guest_root root;
	uint32_t *refs;
	int result;

	memset(map, 0, sizeof(*map));
	map->gnttab = gnttab;
	if (read_lists(gnttab, guest, &root, &refs, error))
		return -1;
	map->header_forms = root.header_forms;
	if (root.nr_refs > pages)
		result = strata_fail(error,
				     "its root page lists %u references now, but listed %u before",
				     root.nr_refs, pages);
	else
		result = read_events(map, guest, &root, refs, error);
	if (!result && with_rings)
		result = guest_map_rings(map, guest, &root,
					 refs + strata_guest_table_pages(root.table_bytes), error);
	free(refs);
	if (result)
		guest_unmap(map);
	return result;
}

int guest_map(struct guest_map *map, xengnttab_handle *gnttab, const struct guest *guest,
	      bool with_rings, struct strata_error *error)
{
	return map_all(map, gnttab, guest, with_rings, UINT32_MAX, error);
}

int guest_map_within(struct guest_map *map, xengnttab_handle *gnttab, const struct guest *guest,
		     uint32_t pages, struct strata_error *error)
{
	return map_all(map, gnttab, guest, true, pages, error);
}

uint32_t guest_map_pages(xengnttab_handle *gnttab, const struct guest *guest,
			 struct strata_error *error)
{
	struct strata_guest_root root;

	return read_root(gnttab, guest, &root, error) ? 0 : root.nr_refs;
}

enum strata_header_form guest_map_form(const struct guest_map *map)
{
	uint8_t form = strata_read_once(&map->rings[0].reader.writer->form);

	return form < STRATA_NR_HEADER_FORMS ? (enum strata_header_form)form : STRATA_HEADER_FULL;
}

int guest_map_events_again(struct guest_map *map, const struct guest *guest,
			   struct strata_error *error)
{
	struct strata_guest_root root;
	uint32_t *refs;
	int result;

	if (read_lists(map->gnttab, guest, &root, &refs, error))
		return -1;
	result = read_events(map, guest, &root, refs, error);
	free(refs);
	return result;
}

void guest_unmap(struct guest_map *map)
{
	if (map->pages)
		guest_unmap_rings(map);
	free(map->rings);
	free(map->events);
	memset(map, 0, sizeof(*map));
}
