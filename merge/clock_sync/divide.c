// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * divide.c - where the model fails.
 */
#include "edge.h"

bool strata_edge_divide(struct strata_edge *edge, struct strata_polygon_room *room,
			struct strata_breaches *breaches)
{
	(void)breaches;
	return strata_windows_settle(&edge->windows, room, &edge->model);
}
