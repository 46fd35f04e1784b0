/* SPDX-License-Identifier: GPL-2.0-or-later */
/* machines_found.h - finds the machines of a set of traces by the built-in map of TCP's events. */
#ifndef STRATA_TESTS_MACHINES_FOUND_H
#define STRATA_TESTS_MACHINES_FOUND_H

#include <string.h>

#include "inputs/machines.h"
#include "inputs/tcp/tcp_map.h"

/* As strata_machines_find_by(). */
static inline int machines_found(struct strata_machines *machines, struct strata_trace_set *set,
				 strata_complain_fn *complain, void *data,
				 struct strata_error *error)
{
	struct strata_tcp_map map;
	int status;

	memset(machines, 0, sizeof(*machines));
	status = strata_tcp_map_make(&map, NULL, NULL, error);
	if (!status)
		status = strata_machines_find_by(machines, set, &map, complain, data, error);
	strata_tcp_map_clear(&map);
	return status;
}

#endif /* STRATA_TESTS_MACHINES_FOUND_H */
