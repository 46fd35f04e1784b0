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
#include "consumerd/xen/grant_call.h"
#include "consumerd/xen/guest_map_rings.h"

/* How far a guest's lists have been read. */
struct guest_reading {
	uint32_t domain;
	bool with_rings;
	struct strata_guest_root root; /* checked */
	uint32_t directory_pages;      /* that were read */
	uint32_t *refs;                /* out of these */
	uint32_t table_pages;          /* that were read */
	unsigned char *table;          /* out of these */
};

int guest_copy_pages(xengnttab_handle *gnttab, uint32_t domain, const uint32_t *refs, uint32_t nr,
		     void *to, size_t bytes, const char *what, struct strata_error *error)
{
	uint32_t list[GRANT_CALL_PAGES];
	void *pages;

	memcpy(list, refs, nr * sizeof(*list));
	pages = xengnttab_map_domain_grant_refs(gnttab, nr, domain, list, PROT_READ);
	if (!pages)
		return strata_fail(error, "mapping %s (%u pages): %s", what, nr, strerror(errno));
	memcpy(to, pages, bytes);
	xengnttab_unmap(gnttab, pages, nr);
	return 0;
}

/* The references that rings need by the root page.  0: it describes no rings. */
static uint64_t refs_of_rings(const struct strata_guest_root *root, struct strata_error *error)
{
	const struct strata_ring_geometry geo = { root->subbuf_bits, root->nr_subbufs_bits };

	if (strata_geometry_valid(geo) && !root->tsc_khz)
		return strata_guest_refs(root->table_bytes, root->nr_rings, geo);
	strata_fail(error, "bad root page: sub-buffers of 2^%u bytes, 2^%u of them, TSC of %u kHz",
		    geo.subbuf_bits, geo.nr_subbufs_bits, root->tsc_khz);
	return 0;
}

/* The same of tables. */
static uint64_t refs_of_tables(const struct strata_guest_root *root,
			       const struct strata_aggregate_spec *spec, struct strata_error *error)
{
	if (!root->subbuf_bits && !root->nr_subbufs_bits && !root->header_forms && root->tsc_khz)
		return strata_guest_aggregate_refs(root->table_bytes, root->nr_rings, spec);
	strata_fail(error, "bad root page: it is of rings, not of tables to count in");
	return 0;
}

/* Copies the root page and checks every number in it. */
static int read_root(xengnttab_handle *gnttab, const struct guest *guest,
		     const struct strata_aggregate_spec *spec, struct strata_guest_root *root,
		     struct strata_error *error)
{
	uint64_t refs;

	if (guest_copy_pages(gnttab, guest->domain, &guest->root_ref, 1, root, sizeof(*root),
			     "its root", error))
		return -1;
	if (root->magic != STRATA_GUEST_MAGIC)
		return strata_fail(error, "bad root page: magic %#x", root->magic);
	if (root->version != STRATA_GUEST_ABI_VERSION)
		return strata_fail(error, "its root page has version %u, but this tool needs %u",
				   root->version, STRATA_GUEST_ABI_VERSION);
	if (root->header_forms & ~STRATA_HEADER_FORMS_ALL)
		return strata_fail(error, "bad root page: header forms %#x (this tool knows %#x)",
				   root->header_forms, STRATA_HEADER_FORMS_ALL);
	if (root->nonce != guest->nonce)
		return strata_fail(error,
				   "its root page is of another load (nonce %" PRIx64
				   ", xenstore says %" PRIx64 ")",
				   root->nonce, guest->nonce);
	if (root->nr_events == 0 || root->nr_events > STRATA_GUEST_EVENTS_MAX ||
	    root->nr_rings == 0 || root->nr_rings > STRATA_GUEST_RINGS_MAX)
		return strata_fail(error, "bad root page: %u events, %u rings", root->nr_events,
				   root->nr_rings);
	if (root->table_bytes == 0 || root->table_bytes > STRATA_GUEST_TABLE_BYTES_MAX)
		return strata_fail(error, "bad root page: an event table of %u bytes",
				   root->table_bytes);
	refs = spec ? refs_of_tables(root, spec, error) : refs_of_rings(root, error);
	if (!refs)
		return -1;
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

/* Pages of @all that are copied next, of which @done were copied; @bytes: OUT, in them, of
 * @size bytes in all. */
static uint32_t next_pages(uint32_t all, uint32_t done, size_t size, size_t *bytes)
{
	const uint32_t nr = all - done < GRANT_CALL_PAGES ? all - done : GRANT_CALL_PAGES;
	const size_t left = size - (size_t)done * STRATA_PAGE_BYTES;

	*bytes = (size_t)nr * STRATA_PAGE_BYTES < left ? (size_t)nr * STRATA_PAGE_BYTES : left;
	return nr;
}

/* Copies references out of directory pages.  1: there are more; 0, or -1. */
static int read_directory(xengnttab_handle *gnttab, struct guest_reading *reading,
			  struct strata_error *error)
{
	const struct strata_guest_root *root = &reading->root;
	const uint32_t done = reading->directory_pages;
	const uint32_t all =
		(root->nr_refs + STRATA_GUEST_REFS_PER_PAGE - 1) / STRATA_GUEST_REFS_PER_PAGE;
	size_t bytes;
	const uint32_t nr = next_pages(all, done, root->nr_refs * sizeof(*reading->refs), &bytes);

	if (!nr)
		return 0;
	if (guest_copy_pages(gnttab, reading->domain, root->directory_ref + done, nr,
			     reading->refs + (size_t)done * STRATA_GUEST_REFS_PER_PAGE, bytes,
			     "its directory", error))
		return -1;
	reading->directory_pages += nr;
	return done + nr == all && check_distinct(reading->refs, root->nr_refs, error) ? -1 : 1;
}

/* Copies the event table, then unpacks the copy. 1: there is more; 0, or -1. */
static int read_events(struct guest_map *map, struct strata_error *error)
{
	struct guest_reading *reading = map->reading;
	const struct strata_guest_root *root = &reading->root;
	const uint32_t done = reading->table_pages;
	const uint32_t all = strata_guest_table_pages(root->table_bytes);
	size_t bytes;
	const uint32_t nr = next_pages(all, done, root->table_bytes, &bytes);
	struct strata_event_desc *events;

	if (!nr)
		return 0;
	if (guest_copy_pages(map->gnttab, reading->domain, reading->refs + done, nr,
			     reading->table + (size_t)done * STRATA_PAGE_BYTES, bytes,
			     "its event table", error))
		return -1;
	reading->table_pages += nr;
	if (done + nr < all)
		return 1;
	events = event_table_parse(reading->table, root->table_bytes, root->nr_events,
				   EVENT_TABLE_WITHOUT_FORMATS, error);
	if (!events)
		return -1;
	free(map->events);
	map->events = events;
	map->nr_events = root->nr_events;
	return 1;
}

static void end_reading(struct guest_map *map)
{
	if (map->reading) {
		free(map->reading->refs);
		free(map->reading->table);
	}
	free(map->reading);
	map->reading = NULL;
}

/* Reads the root page, and allocates memory for what it lists. 0 or -1. */
static int begin_reading(struct guest_map *map, const struct guest *guest, bool with_rings,
			 const struct strata_aggregate_spec *spec, uint32_t pages,
			 struct strata_error *error)
{
	struct guest_reading *reading = calloc(1, sizeof(*reading));
	struct strata_guest_root *root;

	map->reading = reading;
	if (!reading)
		return strata_fail(error, "out of memory");
	root = &reading->root;
	reading->domain = guest->domain;
	reading->with_rings = with_rings;
	if (read_root(map->gnttab, guest, spec, root, error))
		return -1;
	if (root->nr_refs > pages)
		return strata_fail(error,
				   "its root page lists %u references now, but listed %u before",
				   root->nr_refs, pages);
	reading->refs = malloc(root->nr_refs * sizeof(*reading->refs));
	reading->table = malloc(root->table_bytes);
	if (!reading->refs || !reading->table)
		return strata_fail(error, "out of memory");
	return check_distinct(root->directory_ref,
			      (root->nr_refs + STRATA_GUEST_REFS_PER_PAGE - 1) /
				      STRATA_GUEST_REFS_PER_PAGE,
			      error);
}

static int begin_or_nothing(struct guest_map *map, xengnttab_handle *gnttab,
			    const struct guest *guest, bool with_rings, uint32_t pages,
			    struct strata_error *error)
{
	const struct strata_guest_root *root;

	*map = (struct guest_map){ .gnttab = gnttab };
	if (begin_reading(map, guest, with_rings, NULL, pages, error)) {
		guest_unmap(map);
		return -1;
	}
	root = &map->reading->root;
	map->nr_granted_rings = root->nr_rings;
	map->geometry = (struct strata_ring_geometry){ .subbuf_bits = root->subbuf_bits,
						       .nr_subbufs_bits = root->nr_subbufs_bits };
	map->header_forms = root->header_forms;
	memcpy(map->counters, root->counters, sizeof(map->counters));
	return 0;
}

int guest_map_step(struct guest_map *map, struct strata_error *error)
{
	struct guest_reading *reading = map->reading;
	int more = read_directory(map->gnttab, reading, error);

	if (!more)
		more = read_events(map, error);
	if (!more && reading->with_rings && !map->pages)
		more = guest_map_rings_begin(map, reading->domain, error);
	if (!more && reading->with_rings)
		more = guest_map_rings_step(
			map, reading->refs + strata_guest_table_pages(reading->root.table_bytes),
			error);
	if (!more)
		end_reading(map);
	return more;
}

int guest_map_begin(struct guest_map *map, xengnttab_handle *gnttab, const struct guest *guest,
		    uint32_t pages, struct strata_error *error)
{
	return begin_or_nothing(map, gnttab, guest, true, pages, error);
}

int guest_map(struct guest_map *map, xengnttab_handle *gnttab, const struct guest *guest,
	      bool with_rings, struct strata_error *error)
{
	int more = 1;

	if (begin_or_nothing(map, gnttab, guest, with_rings, UINT32_MAX, error))
		return -1;
	while (more > 0)
		more = guest_map_step(map, error);
	if (more)
		guest_unmap(map);
	return more;
}

int guest_map_tables(struct guest_map *map, xengnttab_handle *gnttab, const struct guest *guest,
		     const struct strata_aggregate_spec *spec, struct guest_tables *tables,
		     struct strata_error *error)
{
	int more = 1;

	*map = (struct guest_map){ .gnttab = gnttab };
	if (begin_reading(map, guest, false, spec, UINT32_MAX, error))
		more = -1;
	while (more > 0) {
		more = read_directory(gnttab, map->reading, error);
		if (!more)
			more = read_events(map, error);
	}
	if (!more) {
		const struct strata_guest_root *root = &map->reading->root;
		const uint32_t first = strata_guest_table_pages(root->table_bytes);

		tables->nr_refs = root->nr_refs - first;
		tables->nr_cpus = root->nr_rings;
		tables->nr_events = root->nr_events;
		tables->tsc_khz = root->tsc_khz;
		tables->refs = malloc(tables->nr_refs * sizeof(*tables->refs));
		if (tables->refs)
			memcpy(tables->refs, map->reading->refs + first,
			       tables->nr_refs * sizeof(*tables->refs));
		else
			more = strata_fail(error, "out of memory");
	}
	end_reading(map);
	if (more)
		guest_unmap(map);
	return more;
}

uint32_t guest_map_pages(xengnttab_handle *gnttab, const struct guest *guest,
			 struct strata_error *error)
{
	struct strata_guest_root root;

	return read_root(gnttab, guest, NULL, &root, error) ? 0 : root.nr_refs;
}

enum strata_header_form guest_map_form(const struct guest_map *map)
{
	uint8_t form = strata_read_once(&map->rings[0].reader.writer->form);

	return form < STRATA_NR_HEADER_FORMS ? (enum strata_header_form)form : STRATA_HEADER_FULL;
}

int guest_map_counters(struct guest_map *map, const struct guest *guest, struct strata_error *error)
{
	struct strata_guest_root root;

	if (read_root(map->gnttab, guest, NULL, &root, error))
		return -1;
	memcpy(map->counters, root.counters, sizeof(map->counters));
	return 0;
}

uint32_t guest_map_contexts(const struct guest_map *map)
{
	return strata_read_once(&map->rings[0].reader.writer->contexts) &
	       (STRATA_CONTEXTS_ALL | STRATA_COUNTERS_ALL);
}

int guest_map_events_begin(struct guest_map *map, const struct guest *guest, uint32_t pages,
			   struct strata_error *error)
{
	if (!begin_reading(map, guest, false, NULL, pages, error))
		return 0;
	end_reading(map);
	return -1;
}

bool guest_unmap_step(struct guest_map *map)
{
	if (map->pages && !guest_unmap_rings_step(map))
		return false;
	end_reading(map);
	free(map->rings);
	free(map->events);
	memset(map, 0, sizeof(*map));
	return true;
}

void guest_unmap(struct guest_map *map)
{
	while (!guest_unmap_step(map))
		;
}
