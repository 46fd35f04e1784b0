// SPDX-License-Identifier: GPL-2.0-or-later
/* guest_map_rings.c - see guest_map_rings.h. */
#include "consumerd/xen/guest_map_rings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "consumerd/rings/ring_shared.h"
#include "consumerd/xen/grant_range.h"
#include "recording/recording.h"

/* The mappings of all rings: each kind of area in one range, ring after ring. */
struct guest_ring_pages {
	struct grant_range writers, readers, data;
	unsigned char *private; /* takes the readers' place */
};

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

/* Maps the next piece of an area of all rings. @refs: of all rings; @skip: those of a ring that
 * come before the area.  1, 0: all is mapped; or -1. */
static int map_piece(const struct guest_map *map, struct grant_range *range, const uint32_t *refs,
		     uint32_t skip, struct strata_error *error)
{
	const struct guest_ring_pages *pages = map->pages;
	const uint32_t nr_rings = (uint32_t)map->nr_rings, of_ring = range->nr / nr_rings;
	const uint32_t step = (pages->writers.nr + pages->readers.nr + pages->data.nr) / nr_rings;
	const uint32_t nr = grant_range_next(range);
	uint32_t list[GRANT_CALL_PAGES], i, at;

	for (i = 0; i < nr; i++) {
		at = range->mapped + i;
		list[i] = refs[(size_t)(at / of_ring) * step + skip + at % of_ring];
	}
	return !nr ? 0 : grant_range_map(range, list, error) ? -1 : 1;
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
		area_at(pages->writers.address, index, STRATA_WRITER_AREA_PAGES);
	struct ring *ring = &map->rings[index];
	enum strata_reader_refusal refusal;

	ring->get = ring_get_shared;
	ring->put = ring_put_shared;
	ring->cpu = strata_read_once(&writer->cpu);
	if (ring->cpu > STRATA_CPU_MAX)
		return strata_fail(error, "bad CPU number %u (at most %u)", ring->cpu,
				   STRATA_CPU_MAX);
	refusal =
		strata_reader_init(&ring->reader, geo, writer,
				   area_at(pages->readers.address, index, STRATA_READER_AREA_PAGES),
				   area_at(pages->data.address, index, strata_data_pages(geo)));
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

/* Reserves addresses for an area of @pages in each ring. 0 or -1. */
static int make_range(const struct guest_map *map, struct grant_range *range, uint32_t domain,
		      uint32_t pages, int protection, const char *what, struct strata_error *error)
{
	*range = (struct grant_range){ .gnttab = map->gnttab,
				       .domain = domain,
				       .protection = protection,
				       .what = what,
				       .nr = (uint32_t)map->nr_rings * pages };
	return grant_range_make(range, error);
}

int guest_map_rings_begin(struct guest_map *map, uint32_t domain, struct strata_error *error)
{
	struct guest_ring_pages *pages = calloc(1, sizeof(*pages));

	map->pages = pages;
	map->rings = calloc(map->nr_granted_rings, sizeof(*map->rings));
	if (!pages || !map->rings)
		return strata_fail(error, "out of memory");
	map->nr_rings = map->nr_granted_rings;
	if (make_range(map, &pages->writers, domain, STRATA_WRITER_AREA_PAGES, PROT_READ,
		       "its writer areas", error) ||
	    make_range(map, &pages->readers, domain, STRATA_READER_AREA_PAGES,
		       PROT_READ | PROT_WRITE, "its reader areas", error))
		return -1;
	return make_range(map, &pages->data, domain, strata_data_pages(map->geometry), PROT_READ,
			  "its rings' data", error);
}

/* Opens all rings, which are mapped.  0 or -1. */
static int open_rings(struct guest_map *map, struct strata_ring_geometry geo,
		      struct strata_error *error)
{
	uint32_t i;

	for (i = 0; i < map->nr_rings; i++)
		if (open_ring(map, i, geo, error))
			return strata_fail_in(error, "ring %u", i);
	return check_cpus(map, error);
}

int guest_map_rings_step(struct guest_map *map, const uint32_t *refs, struct strata_error *error)
{
	struct guest_ring_pages *pages = map->pages;
	int more = map_piece(map, &pages->writers, refs, 0, error);

	if (!more)
		more = map_piece(map, &pages->readers, refs, STRATA_WRITER_AREA_PAGES, error);
	if (!more)
		more = map_piece(map, &pages->data, refs,
				 STRATA_WRITER_AREA_PAGES + STRATA_READER_AREA_PAGES, error);
	return more ? more : open_rings(map, map->geometry, error);
}

int guest_map_detach(struct guest_map *map, struct strata_error *error)
{
	struct guest_ring_pages *pages = map->pages;
	size_t bytes, i;

	/* Nothing is written to rings while they are mapped, or the event table is read again. */
	if (!pages || map->reading || pages->private)
		return 0;
	bytes = (size_t)pages->readers.nr * STRATA_PAGE_BYTES;
	pages->private = malloc(bytes);
	if (pages->private)
		memcpy(pages->private, pages->readers.address, bytes);
	for (i = 0; i < map->nr_rings; i++) {
		map->rings[i].reader.shared = pages->private ? area_at(pages->private, (uint32_t)i,
								       STRATA_READER_AREA_PAGES)
							     : NULL;
		map->rings[i].broken |= !pages->private;
	}
	return pages->private ? 0 : strata_fail(error, "out of memory");
}

bool guest_unmap_readers_step(struct guest_map *map)
{
	return !map->pages || grant_range_unmap(&map->pages->readers);
}

bool guest_unmap_rings_step(struct guest_map *map)
{
	struct guest_ring_pages *pages = map->pages;

	if (!grant_range_unmap(&pages->readers) || !grant_range_unmap(&pages->writers) ||
	    !grant_range_unmap(&pages->data))
		return false;
	free(pages->private);
	free(pages);
	map->pages = NULL;
	return true;
}
