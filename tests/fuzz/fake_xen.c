// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fake_xen.c - grant mapping, event channels and the sysctl as the recorder
 * calls them.
 *
 * A range of mapped pages lies between two that nobody may touch, and shares its
 * memory with the guest's own view and with every other mapping of the page.
 * The hypervisor is trusted: its side is in fake_hypervisor.c.
 */
#define __XEN_TOOLS__ 1 /* before any header of Xen: it opens the sysctl interface */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <xen/xen.h>
#include <xen/sysctl.h>

#include <xencall.h>
#include <xenevtchn.h>
#include <xenforeignmemory.h>
#include <xengnttab.h>
#include <xentoollog.h>

#include "consumerd/xen/grant_call.h"

#include "fake_fds.h"
#include "fake_host.h"
#include "fake_hypervisor.h"

#define MAPPINGS_MAX            1024u
#define FAKE_MAPPED_AT_ONCE_MAX 256u

static struct {
	unsigned char *address; /* of the first page */
	uint32_t nr;
	struct fake_guest *guest;
	bool is_placed; /* where the recorder wanted it, between its own pages */
	uint8_t page[FAKE_MAPPED_AT_ONCE_MAX]; /* which of the guest's each is */
} mappings[MAPPINGS_MAX];

static uint32_t mappings_end; /* behind the last that was ever used */

/* Handles are not distinguished: each library has one. */
static void *open_handle(void)
{
	fake_host.open_handles++;
	return &fake_host;
}

static int close_handle(void)
{
	fake_host.open_handles--;
	return 0;
}

static struct fake_guest *guest_of(uint32_t domain)
{
	size_t i;

	for (i = 0; i < fake_host.nr_guests; i++)
		if (fake_host.guests[i].domain == domain &&
		    fake_guest_has_nodes(&fake_host.guests[i]))
			return &fake_host.guests[i];
	return NULL;
}

/* Grants ------------------------------------------------------------------------------------- */

xengnttab_handle *xengnttab_open(struct xentoollog_logger *logger, unsigned int flags)
{
	(void)logger;
	(void)flags;
	return open_handle();
}

int xengnttab_close(xengnttab_handle *handle)
{
	(void)handle;
	return close_handle();
}

void *fake_own_view(const void *address, struct fake_guest **guest)
{
	const unsigned char *byte = address;
	uint32_t slot;

	for (slot = 0; slot < mappings_end; slot++) {
		size_t offset = (size_t)(byte - mappings[slot].address);

		if (!mappings[slot].address || byte < mappings[slot].address ||
		    offset >= (size_t)mappings[slot].nr * STRATA_PAGE_BYTES)
			continue;
		*guest = mappings[slot].guest;
		return (*guest)->pages +
		       (size_t)mappings[slot].page[offset / STRATA_PAGE_BYTES] * STRATA_PAGE_BYTES +
		       offset % STRATA_PAGE_BYTES;
	}
	return NULL;
}

/* Puts the pages behind @refs in place; runs of neighbours in one piece.  False: not all can be. */
static bool place(const struct fake_guest *guest, unsigned char *area, const uint32_t *refs,
		  uint32_t nr, int protection, uint8_t *pages)
{
	uint32_t i, run, end;

	for (i = 0; i < nr;) {
		int page = fake_guest_page(guest, refs[i], protection & PROT_WRITE);

		if (page < 0)
			return false;
		for (run = 1; i + run < nr; run++)
			if (fake_guest_page(guest, refs[i + run], protection & PROT_WRITE) !=
			    page + (int)run)
				break;
		if (mmap(area + (size_t)i * STRATA_PAGE_BYTES, (size_t)run * STRATA_PAGE_BYTES,
			 protection, MAP_SHARED | MAP_FIXED, guest->memory,
			 (off_t)page * STRATA_PAGE_BYTES) == MAP_FAILED)
			return false;
		for (end = i + run; i < end; i++)
			pages[i] = (uint8_t)(page++);
	}
	return true;
}

static void unplace(unsigned char *address, uint32_t nr)
{
	munmap(address - STRATA_PAGE_BYTES, (size_t)(nr + 2) * STRATA_PAGE_BYTES);
}

/* Finds room for a mapping, and the guest.  The slot, or -1 with errno. */
static int find_slot(uint32_t nr, uint32_t domain, struct fake_guest **guest)
{
	uint32_t slot = 0;

	fake_host.between(fake_host.data);
	*guest = guest_of(domain);
	while (slot < MAPPINGS_MAX && mappings[slot].address)
		slot++;
	errno = !*guest ? ESRCH : ENOSPC;
	if (!*guest || slot == MAPPINGS_MAX || nr == 0 ||
	    nr > FAKE_MAPPED_PAGES_MAX - fake_host.mapped_pages || nr > FAKE_MAPPED_AT_ONCE_MAX)
		return -1;
	return (int)slot;
}

static void note_mapping(int slot, unsigned char *area, uint32_t nr, struct fake_guest *guest)
{
	mappings[slot].address = area;
	mappings[slot].nr = nr;
	mappings[slot].guest = guest;
	if ((uint32_t)slot >= mappings_end)
		mappings_end = (uint32_t)slot + 1;
	fake_host.mappings++;
	if (!fake_host.mapped_from || (uintptr_t)area < fake_host.mapped_from)
		fake_host.mapped_from = (uintptr_t)area;
	if ((uintptr_t)area + (size_t)nr * STRATA_PAGE_BYTES > fake_host.mapped_to)
		fake_host.mapped_to = (uintptr_t)area + (size_t)nr * STRATA_PAGE_BYTES;
	fake_host.mapped_pages += nr;
	fake_host.ns += nr * guest->page_ns;
}

void *xengnttab_map_domain_grant_refs(xengnttab_handle *handle, uint32_t nr, uint32_t domain,
				      uint32_t *refs, int protection)
{
	struct fake_guest *guest;
	unsigned char *area;
	int slot = find_slot(nr, domain, &guest);

	(void)handle;
	if (slot < 0)
		return NULL;
	area = mmap(NULL, (size_t)(nr + 2) * STRATA_PAGE_BYTES, PROT_NONE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (area == MAP_FAILED)
		abort();
	area += STRATA_PAGE_BYTES;
	if (!place(guest, area, refs, nr, protection, mappings[slot].page)) {
		unplace(area, nr);
		errno = EINVAL;
		return NULL;
	}
	mappings[slot].is_placed = false;
	note_mapping(slot, area, nr, guest);
	return area;
}

int grant_call_map(xengnttab_handle *handle, void *address, uint32_t nr, uint32_t domain,
		   const uint32_t *refs, int protection)
{
	struct fake_guest *guest;
	int slot = find_slot(nr, domain, &guest);
	const int reason = errno;

	(void)handle;
	if (slot < 0 || !place(guest, address, refs, nr, protection, mappings[slot].page)) {
		munmap(address, (size_t)nr * STRATA_PAGE_BYTES);
		errno = slot < 0 ? reason : EINVAL;
		return -1;
	}
	mappings[slot].is_placed = true;
	note_mapping(slot, address, nr, guest);
	return 0;
}

int xengnttab_unmap(xengnttab_handle *handle, void *address, uint32_t nr)
{
	uint32_t slot = 0;

	(void)handle;
	while (slot < MAPPINGS_MAX && mappings[slot].address != address)
		slot++;
	if (!address || slot == MAPPINGS_MAX || mappings[slot].nr != nr) {
		fake_host.misuse = "it unmaps what is not mapped so";
		errno = EINVAL;
		return -1;
	}
	mappings[slot].address = NULL;
	if (mappings[slot].is_placed)
		munmap(address, (size_t)nr * STRATA_PAGE_BYTES);
	else
		unplace(address, nr);
	fake_host.mappings--;
	fake_host.mapped_pages -= nr;
	fake_host.ns += 2 * nr * mappings[slot].guest->page_ns;
	return 0;
}

/* Event channels ----------------------------------------------------------------------------- */

xenevtchn_handle *xenevtchn_open(struct xentoollog_logger *logger, unsigned int flags)
{
	(void)logger;
	(void)flags;
	return open_handle();
}

int xenevtchn_close(xenevtchn_handle *handle)
{
	(void)handle;
	return close_handle();
}

int xenevtchn_fd(xenevtchn_handle *handle)
{
	(void)handle;
	return FAKE_FD_EVTCHN;
}

/* Our ports are the guests' places; Xen's own cannot be bound, so its rings are polled. */
xenevtchn_port_or_error_t xenevtchn_bind_interdomain(xenevtchn_handle *handle, uint32_t domain,
						     evtchn_port_t port)
{
	struct fake_guest *guest;

	(void)handle;
	fake_host.between(fake_host.data);
	if (domain == DOMID_SELF) {
		errno = ENOSYS;
		return -1;
	}
	guest = guest_of(domain);
	if (!guest || guest->bound || port != guest->port) {
		errno = EINVAL;
		return -1;
	}
	guest->bound = true;
	guest->pending = true; /* as Xen does */
	guest->masked = false;
	return (int)(guest - fake_host.guests);
}

int xenevtchn_unbind(xenevtchn_handle *handle, evtchn_port_t port)
{
	(void)handle;
	if (port >= fake_host.nr_guests || !fake_host.guests[port].bound) {
		fake_host.misuse = "it unbinds a port that is not bound";
		errno = EINVAL;
		return -1;
	}
	fake_host.guests[port].bound = false;
	return 0;
}

static bool due(const struct fake_guest *guest)
{
	return guest->bound && guest->pending && !guest->masked;
}

bool fake_evtchn_readable(void)
{
	size_t i;

	for (i = 0; i < fake_host.nr_guests; i++)
		if (due(&fake_host.guests[i]))
			return true;
	return false;
}

xenevtchn_port_or_error_t xenevtchn_pending(xenevtchn_handle *handle)
{
	size_t i;

	(void)handle;
	fake_host.between(fake_host.data);
	for (i = 0; i < fake_host.nr_guests; i++) {
		if (!due(&fake_host.guests[i]))
			continue;
		fake_host.guests[i].pending = false;
		fake_host.guests[i].masked = true;
		return (int)i;
	}
	errno = EAGAIN;
	return -1;
}

int xenevtchn_unmask(xenevtchn_handle *handle, evtchn_port_t port)
{
	(void)handle;
	if (port >= fake_host.nr_guests) {
		fake_host.misuse = "it unmasks a port that is not its own";
		errno = EINVAL;
		return -1;
	}
	fake_host.guests[port].masked = false;
	return 0;
}

/* The hypervisor ----------------------------------------------------------------------------- */

xencall_handle *xencall_open(struct xentoollog_logger *logger, unsigned int flags)
{
	(void)logger;
	(void)flags;
	return open_handle();
}

int xencall_close(xencall_handle *handle)
{
	(void)handle;
	return close_handle();
}

void *xencall_alloc_buffer(xencall_handle *handle, size_t bytes)
{
	(void)handle;
	return calloc(1, bytes);
}

void xencall_free_buffer(xencall_handle *handle, void *buffer)
{
	(void)handle;
	free(buffer);
}

static uint32_t domain_flags(const struct fake_guest *guest)
{
	switch (guest->life) {
	case FAKE_PAUSED:
		return XEN_DOMINF_paused;
	case FAKE_SHUT_DOWN:
		return XEN_DOMINF_shutdown | (uint32_t)guest->reason << XEN_DOMINF_shutdownshift;
	case FAKE_DYING:
		return XEN_DOMINF_dying;
	default:
		return XEN_DOMINF_running;
	}
}

/* In order of their numbers, as the hypervisor does. */
static int list_domains(struct xen_sysctl_getdomaininfolist *list)
{
	uint32_t from = list->first_domain;

	for (list->num_domains = 0; list->num_domains < list->max_domains; list->num_domains++) {
		const struct fake_guest *next = NULL;
		size_t i;

		for (i = 0; i < fake_host.nr_guests; i++) {
			const struct fake_guest *guest = &fake_host.guests[i];

			if (guest->life != FAKE_GONE && guest->domain >= from &&
			    (!next || guest->domain < next->domain))
				next = guest;
		}
		if (!next)
			break;
		list->buffer.p[list->num_domains].domain = (domid_t)next->domain;
		list->buffer.p[list->num_domains].flags = domain_flags(next);
		/* Its place: a domain that comes again has another number. */
		list->buffer.p[list->num_domains].handle[0] =
			(uint8_t)(1 + (next - fake_host.guests));
		from = next->domain + 1;
	}
	return 0;
}

int xencall1(xencall_handle *handle, unsigned int number, uint64_t argument)
{
	struct xen_sysctl *sysctl = (struct xen_sysctl *)(uintptr_t)argument;
	struct strata_hv_op op;
	int result;

	(void)handle;
	if (number == __HYPERVISOR_sysctl && sysctl->cmd == XEN_SYSCTL_getdomaininfolist)
		return list_domains(&sysctl->u.getdomaininfolist);
	if (number != __HYPERVISOR_sysctl || sysctl->cmd != XEN_SYSCTL_strata_op) {
		errno = ENOSYS;
		return -1;
	}
	memcpy(&op, &sysctl->u, sizeof(op));
	result = fake_hypervisor_call(&op);
	memcpy(&sysctl->u, &op, sizeof(op));
	return result;
}

xenforeignmemory_handle *xenforeignmemory_open(struct xentoollog_logger *logger, unsigned int flags)
{
	(void)logger;
	(void)flags;
	return open_handle();
}

int xenforeignmemory_close(xenforeignmemory_handle *handle)
{
	(void)handle;
	return close_handle();
}

xentoollog_logger_stdiostream *xtl_createlogger_stdiostream(FILE *file, xentoollog_level level,
							    unsigned int flags)
{
	(void)file;
	(void)level;
	(void)flags;
	return open_handle();
}

void xtl_logger_destroy(struct xentoollog_logger *logger)
{
	if (logger)
		close_handle();
}
