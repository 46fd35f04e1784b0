// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * scribble DOMAIN MS - writes what cannot be over all that dom0 shares writable with a guest: where
 * its rings were read to, and which page each sub-buffer lies in.  For that time, without a pause;
 * then says so, and until it is ended writes one lie, which the guest will find when it looks: the
 * recorder, which goes on, writes the truth over it.
 *
 * Test scripts start it in dom0, beside `strata record` and after it: a dom0 page that lies to its
 * guest.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <strata/platform/user.h>

#include "consumerd/xen/guest_map.h"

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Numbers of all sizes, near what is true and far from it. */
static strata_count_t lie(const struct ring *ring)
{
	strata_count_t truth = ring->reader.read_count, wide = (strata_count_t)random() << 31;

	switch (random() % 4) {
	case 0:
		return truth + (strata_count_t)(random() % 65536) - 32768;
	case 1:
		return (strata_count_t)random() % 512;
	case 2:
		return wide ^ (strata_count_t)random() ^ (wide << 31);
	default:
		return random() % 2 ? ~0ul : 0;
	}
}

static void scribble(struct ring *ring)
{
	struct strata_ring_reader_area *area = ring->reader.shared;
	unsigned int i;

	strata_write_once(&area->read_count, lie(ring));
	for (i = 0; i < STRATA_NR_SUBBUFS_MAX; i++)
		strata_write_once(&area->table[i], lie(ring));
}

int main(int argc, char **argv)
{
	struct xs_handle *xenstore = xs_open(0);
	xengnttab_handle *gnttab = xengnttab_open(NULL, 0);
	struct strata_error error = { "" };
	uint64_t times = 0, end;
	struct guest guest;
	struct guest_map map;
	size_t i;

	if (argc != 3 || !xenstore || !gnttab) {
		fprintf(stderr, "usage: scribble DOMAIN MILLISECONDS, as root in dom0\n");
		return 1;
	}
	guest_look(xenstore, (uint32_t)atoi(argv[1]), 0, &guest);
	if (guest_map(&map, gnttab, &guest, true, &error)) {
		fprintf(stderr, "scribble: %s\n", error.text);
		return 1;
	}
	for (end = now_ms() + strtoull(argv[2], NULL, 10); now_ms() < end; times++)
		for (i = 0; i < map.nr_rings; i++)
			scribble(&map.rings[i]);
	printf("scribble: %llu times over %zu rings\n", (unsigned long long)times, map.nr_rings);
	fflush(stdout);
	/* Neither just read, nor within a buffer of what was written. */
	for (;;)
		for (i = 0; i < map.nr_rings; i++)
			strata_write_once(&map.rings[i].reader.shared->read_count, ~0ul / 2);
}
