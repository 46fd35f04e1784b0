// SPDX-License-Identifier: GPL-2.0-or-later
/* aggregated_xen.c - see aggregated_xen.h. */
#include "stratad/domains/aggregated_xen.h"

#include <stdio.h>

#include <strata/platform/user.h>

#include "consumerd/xen/hypervisor.h"

int aggregated_xen_make(struct aggregated_xen *xen, const char *owner, struct strata_error *error)
{
	xen->domains = domains_open(error);
	return xen->domains ? hypervisor_aggregate(xen->hypervisor, &xen->spec, owner, error) : -1;
}

int aggregated_xen_start(struct aggregated_xen *xen, struct strata_error *error)
{
	if (hypervisor_start(xen->hypervisor, 0, error))
		return -1;
	xen->start_ticks = xen->rows[0].ticks = xen->rows[1].ticks = strata_clock();
	return 0;
}

/* Takes note of the domains that exist, and of the names of new ones. */
static int see_domains(struct aggregated_xen *xen, struct strata_error *error)
{
	const struct domain_state *states;
	size_t nr, i;

	if (domains_list(xen->domains, &states, &nr, error) ||
	    aggregate_totals_see(&xen->totals, states, nr, error))
		return -1;
	for (i = 0; i < xen->totals.nr; i++) {
		struct counted_domain *one = &xen->totals.domains[i];

		/* One that is being built has no name yet. */
		if (one->exists && !one->name[0] &&
		    !guest_read_name(xen->xenstore, one->domain, one->name))
			one->name[0] = '\0';
	}
	return 0;
}

static int read_table(struct aggregated_xen *xen, struct strata_error *error)
{
	return hypervisor_read_aggregate(xen->hypervisor, &xen->spec, false, &xen->table, error);
}

/* Whether the table that was read refuses events a row, or soon might. */
static bool is_pressed(const struct aggregated_xen *xen)
{
	return xen->table.others[STRATA_AGGREGATE_NO_ROW] > xen->refused ||
	       xen->table.nr > strata_aggregate_rows(&xen->spec) / 4 * 3;
}

/* Has Xen count in new tables; with more rows, if most of them are of domains that exist.  1: it
 * has no memory for them. */
static int renew(struct aggregated_xen *xen, struct strata_error *error)
{
	const struct strata_aggregate_spec old = xen->spec;
	const uint32_t most = old.kind == STRATA_AGGREGATE_TIME
				      ? STRATA_AGGREGATE_TIME_ROW_BITS_MAX
				      : STRATA_AGGREGATE_COUNT_ROW_BITS_MAX;
	struct strata_aggregate_spec spec = old;

	if (2 * aggregate_totals_living(&xen->totals, &old, &xen->table) > xen->table.nr &&
	    old.row_bits < most)
		spec.row_bits++;
	if (hypervisor_renew_aggregate(xen->hypervisor, &spec, error))
		return 1;
	xen->spec = spec;
	xen->refused = 0;
	/* Domains that have come since the last look are not taken for ended ones. */
	if (hypervisor_read_aggregate(xen->hypervisor, &old, true, &xen->table, error) ||
	    see_domains(xen, error))
		return -1;
	return aggregate_totals_renewed(&xen->totals, &old, &xen->table, &xen->rows[xen->newest],
					error);
}

int aggregated_xen_keep_room(struct aggregated_xen *xen, struct strata_error *error)
{
	int result;

	if (see_domains(xen, error) || read_table(xen, error))
		return -1;
	if (!is_pressed(xen))
		return 0;
	result = renew(xen, error);
	if (result > 0) {
		xen->refused = xen->table.others[STRATA_AGGREGATE_NO_ROW];
		if (!xen->no_memory)
			fprintf(stderr, "strata: %s; new events and domains may find no row\n",
				error->text);
		xen->no_memory = true;
		return 0;
	}
	return result ? -1 : read_table(xen, error);
}

int aggregated_xen_read(struct aggregated_xen *xen, struct strata_error *error)
{
	struct aggregate_rows *now = &xen->rows[!xen->newest];
	struct aggregate_rows table;

	if (aggregated_xen_keep_room(xen, error))
		return -1;
	/* The older look is replaced by the table, with the totals of those of before. */
	table = xen->table;
	xen->table = *now;
	*now = table;
	now->ticks = strata_clock();
	if (aggregate_totals_add(&xen->totals, &xen->spec, now, error))
		return -1;
	aggregate_totals_owners(&xen->totals, &xen->spec, &xen->rows[xen->newest]);
	xen->newest = !xen->newest;
	return 0;
}

void aggregated_xen_clear(struct aggregated_xen *xen)
{
	domains_close(xen->domains);
	aggregate_rows_clear(&xen->table);
	aggregate_rows_clear(&xen->rows[0]);
	aggregate_rows_clear(&xen->rows[1]);
	aggregate_totals_clear(&xen->totals);
}
