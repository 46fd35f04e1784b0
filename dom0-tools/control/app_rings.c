// SPDX-License-Identifier: GPL-2.0-or-later
/* app_rings.c - see app_rings.h. */
#include "control/app_rings.h"

#include <stdint.h>
#include <sys/sysinfo.h>

#include <strata/ring_layout.h>

#define PROGRAM_BYTES (16u << 20)

/* As many sub-buffers, and as large ones, as a program needs that writes often. */
#define NR_BITS         4
#define NR_BITS_MIN     2
#define SUBBUF_BITS     16
#define SUBBUF_BITS_MIN STRATA_SUBBUF_BITS_MIN

static uint64_t program_bytes(unsigned int nr_cpus, struct strata_ring_geometry geometry)
{
	return (uint64_t)nr_cpus << (geometry.subbuf_bits + geometry.nr_subbufs_bits);
}

struct strata_ring_geometry app_rings_default(unsigned int nr_cpus)
{
	struct strata_ring_geometry geometry = { SUBBUF_BITS, NR_BITS };

	if (!nr_cpus)
		nr_cpus = (unsigned int)get_nprocs_conf();
	while (program_bytes(nr_cpus, geometry) > PROGRAM_BYTES &&
	       geometry.nr_subbufs_bits > NR_BITS_MIN)
		geometry.nr_subbufs_bits--;
	while (program_bytes(nr_cpus, geometry) > PROGRAM_BYTES &&
	       geometry.subbuf_bits > SUBBUF_BITS_MIN)
		geometry.subbuf_bits--;
	return geometry;
}
