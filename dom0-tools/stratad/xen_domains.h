/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xen_domains.h - adds the rules of --xen-domain: users name domains, Xen knows their numbers. */
#ifndef STRATA_STRATAD_XEN_DOMAINS_H
#define STRATA_STRATAD_XEN_DOMAINS_H

#include "consumerd/xen/guest.h"
#include "stratad/select/select_xen.h"

/*
 * @guests:   the domains that run
 * @may_come: names of others are accepted
 * 0 or -1.
 */
int choose_xen_domains(struct xen_selection *selection, const char *words,
		       const struct guest *guests, size_t nr, bool may_come,
		       struct strata_error *error);

#endif /* STRATA_STRATAD_XEN_DOMAINS_H */
