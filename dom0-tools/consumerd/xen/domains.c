// SPDX-License-Identifier: GPL-2.0-or-later
/* domains.c - XEN_SYSCTL_getdomaininfolist; see domains.h.  libxenctrl has that call, too, but is
 * another library with each version of Xen: the programs would not even start beside another one.
 */
#define __XEN_TOOLS__ 1 /* before any header of Xen: it opens the sysctl interface */

#include "consumerd/xen/domains.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <xencall.h>

#include <xen/xen.h>
#include <xen/sysctl.h>

#include "consumerd/xen/strata_sysctl.h"

#define PER_CALL    256u
#define DOMAINS_MAX 0x7ff0u /* DOMID_FIRST_RESERVED */

struct domains {
	struct strata_sysctl sysctl;
	xen_domctl_getdomaininfo_t *buffer; /* PER_CALL, in memory that the hypercall may use */
	struct domain_state *states;
	size_t capacity;
};

struct domains *domains_open(struct strata_error *error)
{
	struct domains *domains = calloc(1, sizeof(*domains));

	if (!domains) {
		strata_fail(error, "out of memory");
		return NULL;
	}
	if (strata_sysctl_open(&domains->sysctl, error) != HYPERVISOR_OK) {
		free(domains);
		return NULL;
	}
	domains->buffer =
		xencall_alloc_buffer(domains->sysctl.call, PER_CALL * sizeof(*domains->buffer));
	if (!domains->buffer) {
		strata_fail(error, "out of memory for a list of domains: %s", strerror(errno));
		domains_close(domains);
		return NULL;
	}
	return domains;
}

void domains_close(struct domains *domains)
{
	if (!domains)
		return;
	if (domains->buffer)
		xencall_free_buffer(domains->sysctl.call, domains->buffer);
	strata_sysctl_close(&domains->sysctl);
	free(domains->states);
	free(domains);
}

static void take_state(struct domain_state *state, const xen_domctl_getdomaininfo_t *info)
{
	state->domain = info->domain;
	memcpy(state->uuid, info->handle, sizeof(state->uuid));
	state->reason = (uint8_t)(info->flags >> XEN_DOMINF_shutdownshift);
	if (info->flags & XEN_DOMINF_dying)
		state->life = DOMAIN_DYING;
	else if (info->flags & XEN_DOMINF_shutdown)
		state->life = DOMAIN_SHUT_DOWN;
	else if (info->flags & XEN_DOMINF_paused)
		state->life = DOMAIN_PAUSED;
	else
		state->life = DOMAIN_RUNS;
}

/* Asks for domains from @first on.  Their number, or -1. */
static int list_some(struct domains *domains, uint32_t first, struct strata_error *error)
{
	struct xen_sysctl *op = domains->sysctl.buffer;
	int result;

	memset(op, 0, sizeof(*op));
	op->cmd = XEN_SYSCTL_getdomaininfolist;
	op->interface_version = XEN_SYSCTL_INTERFACE_VERSION;
	op->u.getdomaininfolist.first_domain = (domid_t)first;
	op->u.getdomaininfolist.max_domains = PER_CALL;
	set_xen_guest_handle(op->u.getdomaininfolist.buffer, domains->buffer);
	do {
		result = xencall1(domains->sysctl.call, __HYPERVISOR_sysctl,
				  (uint64_t)(uintptr_t)op);
	} while (result < 0 && errno == EINTR);
	if (result < 0)
		return strata_fail(error, "Xen does not list its domains: %s", strerror(errno));
	return op->u.getdomaininfolist.num_domains <= PER_CALL
		       ? (int)op->u.getdomaininfolist.num_domains
		       : strata_fail(error, "Xen lists more domains than it was asked for");
}

static int make_room(struct domains *domains, size_t nr, struct strata_error *error)
{
	struct domain_state *states;

	if (nr <= domains->capacity)
		return 0;
	states = reallocarray(domains->states, nr, sizeof(*states));
	if (!states)
		return strata_fail(error, "out of memory");
	domains->states = states;
	domains->capacity = nr;
	return 0;
}

int domains_list(struct domains *domains, const struct domain_state **states, size_t *nr,
		 struct strata_error *error)
{
	uint32_t first = 0;
	int listed, i;

	*nr = 0;
	do {
		if (make_room(domains, *nr + PER_CALL, error))
			return -1;
		listed = list_some(domains, first, error);
		if (listed < 0)
			return -1;
		for (i = 0; i < listed; i++)
			take_state(&domains->states[(*nr)++], &domains->buffer[i]);
		if (listed)
			first = domains->states[*nr - 1].domain + 1;
	} while (listed == (int)PER_CALL && first < DOMAINS_MAX);
	*states = domains->states;
	return 0;
}
