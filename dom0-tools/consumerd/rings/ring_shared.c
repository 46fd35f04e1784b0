// SPDX-License-Identifier: GPL-2.0-or-later
/* ring_shared.c - see ring_shared.h. */
#include "consumerd/rings/ring_shared.h"

int ring_get_shared(struct ring *ring, struct strata_error *error)
{
	(void)error;
	return strata_reader_get(&ring->reader) && ring->reader.read_count <= RING_READ_COUNT_MAX;
}

int ring_put_shared(struct ring *ring, struct strata_error *error)
{
	(void)error;
	strata_reader_put(&ring->reader);
	return 0;
}
