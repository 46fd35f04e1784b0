// SPDX-License-Identifier: GPL-2.0-or-later
/* xen_domains.c - see xen_domains.h. */
#include "stratad/xen_domains.h"

#include <stdlib.h>

int choose_xen_domains(struct xen_selection *selection, const char *words,
		       const struct guest *guests, size_t nr, bool may_come,
		       struct strata_error *error)
{
	struct xen_domain *domains = calloc(nr + 1, sizeof(*domains));
	size_t i;
	int result;

	for (i = 0; domains && i < nr; i++)
		domains[i] = (struct xen_domain){ guests[i].domain, guests[i].name };
	result = domains ? select_xen_domains(selection, words, domains, nr, may_come, error)
			 : strata_fail(error, "out of memory");
	free(domains);
	return result;
}
