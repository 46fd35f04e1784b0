// SPDX-License-Identifier: GPL-2.0-or-later
/* guest_map_rings.c - maps the areas of a guest's rings, many rings in one range; see
 * guest_map_rings.h. */
#include "consumerd/xen/guest_map_rings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "consumerd/rings/ring_shared.h"
#include "recording/recording.h"

/* Data pages of several rings that are mapped as one range; more only if one ring has more. */
#define DATA_PAGES_AT_ONCE 512u

/*
 * What is mapped of all rings.  Each range costs system calls and hypercalls, which a guest of many
 * rings must not multiply: so ranges hold the areas of many rings.
 */
struct guest_ring_pages {
	void *writers;
	void *readers;          /* NULL: they are no longer mapped */
	unsigned char *private; /* what took their place */
	uint32_t data_pages;    /* of a ring */
	uint32_t rings_in_range;
	uint32_t nr_ranges;
	void **data; /* ranges */
};

void *guest_map_refs(xengnttab_handle *gnttab, uint32_t domain, uint32_t *refs, uint32_t nr,
		     int protection, const char *what, struct strata_error *error)
{
	void *address = xengnttab_map_domain_grant_refs(gnttab, nr, domain, refs, protection);

	if (!address)
		strata_fail(error, "mapping %s (%u pages): %s", what, nr, strerror(errno));
	return address;
}

static const char *refusal_text(enum strata_reader_refusal refusal)
{
	switch (refusal) {
	case STRATA_READER_BAD_MAGIC:
		return "it has no ring header";
	case STRATA_READER_OTHER_VERSION:
		return "its layout has another version; load the strata.ko of these sources";
	case STRATA_READER_OTHER_WIDTH:
		return "its counters have another width (a 32-bit kernel?)";
	default:
		return "it contradicts the sizes in the root page";
	}
}

/* Rings from @ring on that share a range of data. */
static uint32_t rings_in_range(const struct guest_map *map, uint32_t ring)
{
	const uint32_t left = (uint32_t)map->nr_rings - ring;

	return left < map->pages->rings_in_range ? left : map->pages->rings_in_range;
}

/* Maps @pages of each of @nr rings as one range; @refs: the first of the first ring's. */
static void *map_areas(const struct guest_map *map, const struct guest *guest, const uint32_t *refs,
		       uint32_t nr, uint32_t pages, int protection, const char *what,
		       struct strata_error *error)
{
	const uint32_t step =
		STRATA_WRITER_AREA_PAGES + STRATA_READER_AREA_PAGES + map->pages->data_pages;
	uint32_t *list = malloc((size_t)nr * pages * sizeof(*list));
	void *address;
	uint32_t i;

	if (!list) {
		strata_fail(error, "out of memory");
		return NULL;
	}
	for (i = 0; i < nr; i++)
		memcpy(list + (size_t)i * pages, refs + (size_t)i * step, pages * sizeof(*list));
	address = guest_map_refs(map->gnttab, guest->domain, list, nr * pages, protection, what,
				 error);
	free(list);
	return address;
}

static int map_all_areas(struct guest_map *map, const struct guest *guest, const uint32_t *refs,
			 struct strata_error *error)
{
	const uint32_t *reader_refs = refs + STRATA_WRITER_AREA_PAGES;
	const uint32_t *data_refs = reader_refs + STRATA_READER_AREA_PAGES;
	struct guest_ring_pages *pages = map->pages;
	const uint32_t nr = (uint32_t)map->nr_rings;
	const uint32_t step = (uint32_t)(data_refs - refs) + pages->data_pages;
	uint32_t ring, in_range;

	pages->writers = map_areas(map, guest, refs, nr, STRATA_WRITER_AREA_PAGES, PROT_READ,
				   "its writer areas", error);
	if (!pages->writers)
		return -1;
	pages->readers = map_areas(map, guest, reader_refs, nr, STRATA_READER_AREA_PAGES,
				   PROT_READ | PROT_WRITE, "its reader areas", error);
	if (!pages->readers)
		return -1;
	for (ring = 0; ring < nr; ring += in_range) {
		in_range = rings_in_range(map, ring);
		pages->data[pages->nr_ranges] =
			map_areas(map, guest, data_refs + (size_t)ring * step, in_range,
				  pages->data_pages, PROT_READ, "its rings' data", error);
		if (!pages->data[pages->nr_ranges])
			return -1;
		pages->nr_ranges++;
	}
	return 0;
}

/* Where area @index of @pages pages each lies. */
static void *area_at(void *range, uint32_t index, uint32_t pages)
{
	return (unsigned char *)range + (size_t)index * pages * STRATA_PAGE_BYTES;
}

static int open_ring(struct guest_map *map, uint32_t index, struct strata_ring_geometry geo,
		     struct strata_error *error)
{
	const struct guest_ring_pages *pages = map->pages;
	struct strata_ring_writer_area *writer =
		area_at(pages->writers, index, STRATA_WRITER_AREA_PAGES);
	struct ring *ring = &map->rings[index];
	enum strata_reader_refusal refusal;

	ring->get = ring_get_shared;
	ring->put = ring_put_shared;
	ring->cpu = strata_read_once(&writer->cpu);
	if (ring->cpu > STRATA_CPU_MAX)
		return strata_fail(error, "bad CPU number %u (at most %u)", ring->cpu,
				   STRATA_CPU_MAX);
	refusal = strata_reader_init(&ring->reader, geo, writer,
				     area_at(pages->readers, index, STRATA_READER_AREA_PAGES),
				     area_at(pages->data[index / pages->rings_in_range],
					     index % pages->rings_in_range, pages->data_pages));
	if (refusal != STRATA_READER_OK)
		return strata_fail(error, "%s", refusal_text(refusal));
	strata_reader_resume(&ring->reader);
	if (ring->reader.read_count > RING_READ_COUNT_MAX)
		return strata_fail(error, "it claims to have been read up to %#lx",
				   ring->reader.read_count);
	return 0;
}

/* Two rings of one CPU would share a stream file. */
static int check_cpus(const struct guest_map *map, struct strata_error *error)
{
	size_t i, j;

	for (i = 0; i < map->nr_rings; i++)
		for (j = 0; j < i; j++)
			if (map->rings[i].cpu == map->rings[j].cpu)
				return strata_fail(error, "rings %zu and %zu are both of CPU %u", j,
						   i, map->rings[i].cpu);
	return 0;
}

int guest_map_rings(struct guest_map *map, const struct guest *guest,
		    const struct strata_guest_root *root, const uint32_t *refs,
		    struct strata_error *error)
{
	struct strata_ring_geometry geo = { .subbuf_bits = root->subbuf_bits,
					    .nr_subbufs_bits = root->nr_subbufs_bits };
	struct guest_ring_pages *pages = calloc(1, sizeof(*pages));
	uint32_t i;

	map->pages = pages;
	map->rings = calloc(root->nr_rings, sizeof(*map->rings));
	if (!pages || !map->rings)
		return strata_fail(error, "out of memory");
	pages->data = calloc(root->nr_rings, sizeof(*pages->data));
	if (!pages->data)
		return strata_fail(error, "out of memory");
	map->nr_rings = root->nr_rings;
	pages->data_pages = strata_data_pages(geo);
	pages->rings_in_range = DATA_PAGES_AT_ONCE / pages->data_pages;
	if (!pages->rings_in_range)
		pages->rings_in_range = 1;
	if (map_all_areas(map, guest, refs, error))
		return -1;
	for (i = 0; i < root->nr_rings; i++)
		if (open_ring(map, i, geo, error))
			return strata_fail_in(error, "ring %u", i);
	return check_cpus(map, error);
}

int guest_map_detach(struct guest_map *map, struct strata_error *error)
{
	const uint32_t nr_pages = (uint32_t)map->nr_rings * STRATA_READER_AREA_PAGES;
	struct guest_ring_pages *pages = map->pages;
	size_t i;

	if (!pages || !pages->readers)
		return 0;
	pages->private = malloc((size_t)nr_pages * STRATA_PAGE_BYTES);
	if (pages->private)
		memcpy(pages->private, pages->readers, (size_t)nr_pages * STRATA_PAGE_BYTES);
	for (i = 0; i < map->nr_rings; i++) {
		map->rings[i].reader.shared = pages->private ? area_at(pages->private, (uint32_t)i,
								       STRATA_READER_AREA_PAGES)
							     : NULL;
		map->rings[i].broken |= !pages->private;
	}
	xengnttab_unmap(map->gnttab, pages->readers, nr_pages);
	pages->readers = NULL;
	return pages->private ? 0 : strata_fail(error, "out of memory");
}

void guest_unmap_rings(struct guest_map *map)
{
	struct guest_ring_pages *pages = map->pages;
	const uint32_t nr = (uint32_t)map->nr_rings;
	uint32_t i;

	if (pages->writers)
		xengnttab_unmap(map->gnttab, pages->writers, nr * STRATA_WRITER_AREA_PAGES);
	if (pages->readers)
		xengnttab_unmap(map->gnttab, pages->readers, nr * STRATA_READER_AREA_PAGES);
	for (i = 0; i < pages->nr_ranges; i++)
		xengnttab_unmap(map->gnttab, pages->data[i],
				rings_in_range(map, i * pages->rings_in_range) * pages->data_pages);
	free(pages->private);
	free(pages->data);
	free(pages);
}
