// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hypervisor.c - makes and maps the rings inside Xen; see hypervisor.h.
 *
 * The hypervisor is trusted (it could do anything to us); its answers are still checked where a
 * wrong one would cause a wrong mapping.
 */
#include "consumerd/xen/hypervisor.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <xencall.h>
#include <xenforeignmemory.h>

#include <xen/xen.h>

#include "consumerd/xen/strata_sysctl.h"

struct mapping {
	void *writer; /* STRATA_WRITER_AREA_PAGES */
	void *data;
	size_t data_pages;
};

struct hypervisor {
	struct strata_sysctl sysctl;
	void *buffer; /* of hypervisor_buffer() */
	xenforeignmemory_handle *memory;
	uint32_t channel;
	bool created;
	bool overwrite;
	struct strata_ring_geometry geometry;
	/* One for each CPU that the host can have: they stay where they are. */
	struct mapping *mappings;
	struct ring *rings;
	uint32_t nr_cpus;
	size_t nr_rings; /* that are mapped */
};

int hypervisor_operate(struct hypervisor *hypervisor, struct strata_hv_op *op)
{
	op->channel = hypervisor->channel;
	return strata_sysctl_call(&hypervisor->sysctl, op);
}

static void unmap(struct hypervisor *hypervisor, struct mapping *mapping)
{
	if (mapping->writer)
		xenforeignmemory_unmap(hypervisor->memory, mapping->writer,
				       STRATA_WRITER_AREA_PAGES);
	if (mapping->data)
		xenforeignmemory_unmap(hypervisor->memory, mapping->data, mapping->data_pages);
	*mapping = (struct mapping){ 0 };
}

static void release(struct hypervisor *hypervisor)
{
	size_t i;

	for (i = 0; i < hypervisor->nr_rings; i++)
		unmap(hypervisor, &hypervisor->mappings[i]);
	free(hypervisor->mappings);
	free(hypervisor->rings);
	hypervisor->mappings = NULL;
	hypervisor->rings = NULL;
	hypervisor->nr_rings = 0;
}

void hypervisor_close(struct hypervisor *hypervisor)
{
	struct strata_hv_op op = { .operation = STRATA_HV_DESTROY };

	if (!hypervisor)
		return;
	release(hypervisor);
	if (hypervisor->created && hypervisor_operate(hypervisor, &op))
		fprintf(stderr,
			"strata: Xen did not free its rings (%s); the next recording frees them\n",
			strerror(errno));
	if (hypervisor->memory)
		xenforeignmemory_close(hypervisor->memory);
	if (hypervisor->buffer)
		xencall_free_buffer(hypervisor->sysctl.call, hypervisor->buffer);
	strata_sysctl_close(&hypervisor->sysctl);
	free(hypervisor);
}

enum hypervisor_support hypervisor_open(struct hypervisor **hypervisor, struct strata_error *error)
{
	struct hypervisor *new_one = calloc(1, sizeof(*new_one));
	enum hypervisor_support support;

	*hypervisor = NULL;
	if (!new_one) {
		strata_fail(error, "out of memory");
		return HYPERVISOR_NO_RIGHT;
	}
	support = strata_sysctl_open(&new_one->sysctl, error);
	if (support == HYPERVISOR_OK) {
		new_one->memory = xenforeignmemory_open(new_one->sysctl.quiet, 0);
		if (!new_one->memory) {
			strata_fail(error,
				    "Xen's memory cannot be mapped: %s; run strata as root in "
				    "dom0",
				    strerror(errno));
			support = HYPERVISOR_NO_RIGHT;
		}
	}
	if (support != HYPERVISOR_OK) {
		hypervisor_close(new_one);
		return support;
	}
	*hypervisor = new_one;
	return HYPERVISOR_OK;
}

int hypervisor_query(struct hypervisor *hypervisor, struct strata_hv_op *op,
		     struct strata_error *error)
{
	memset(op, 0, sizeof(*op));
	op->operation = STRATA_HV_QUERY;
	if (hypervisor_operate(hypervisor, op))
		return strata_fail(error, "Xen does not describe its rings: %s", strerror(errno));
	op->u.query.owner[STRATA_HV_OWNER_BYTES - 1] = '\0';
	return 0;
}

static int get_subbuf(struct ring *ring, struct strata_error *error)
{
	struct strata_hv_op op = { .operation = STRATA_HV_GET };
	struct hypervisor *hypervisor = ring->owner;

	/* The mapped words show whether the call is needed; in discard mode they suffice. */
	if (!strata_reader_ready(&ring->reader))
		return 0;
	if (!ring->reader.overwrite)
		return strata_reader_get(&ring->reader);
	op.u.subbuf.cpu = ring->cpu;
	if (hypervisor_operate(hypervisor, &op)) {
		if (errno == EAGAIN)
			return 0;
		return strata_fail(error, "Xen does not hand over a sub-buffer of CPU %u: %s",
				   ring->cpu, strerror(errno));
	}
	if (op.u.subbuf.page > strata_nr_subbufs(ring->reader.geo))
		return strata_fail(error, "Xen returned page %u of CPU %u, which has %lu",
				   op.u.subbuf.page, ring->cpu,
				   strata_nr_subbufs(ring->reader.geo) + 1);
	ring->reader.read_count = op.u.subbuf.position;
	ring->reader.page = op.u.subbuf.page;
	return 1;
}

static int put_subbuf(struct ring *ring, struct strata_error *error)
{
	struct strata_hv_op op = { .operation = STRATA_HV_PUT };
	struct hypervisor *hypervisor = ring->owner;

	op.u.subbuf.cpu = ring->cpu;
	op.u.subbuf.position = ring->reader.read_count;
	if (hypervisor_operate(hypervisor, &op))
		return strata_fail(error, "Xen does not take sub-buffer %#llx of CPU %u back: %s",
				   (unsigned long long)op.u.subbuf.position, ring->cpu,
				   strerror(errno));
	strata_reader_put(&ring->reader);
	return 0;
}

/* Asks for all frames of a CPU's ring.  Returns their number, 0 if it has no ring, or -1. */
static long list_frames(struct hypervisor *hypervisor, uint32_t cpu, xen_pfn_t *frames,
			uint32_t expected, struct strata_error *error)
{
	uint32_t have = 0;
	uint32_t i;

	while (have < expected) {
		struct strata_hv_op op = { .operation = STRATA_HV_FRAMES };

		op.u.frames.cpu = cpu;
		op.u.frames.first = have;
		if (hypervisor_operate(hypervisor, &op)) {
			if (errno == ENOENT && have == 0)
				return 0;
			return strata_fail(error, "Xen does not list the frames of CPU %u: %s", cpu,
					   strerror(errno));
		}
		if (op.u.frames.total != expected || op.u.frames.nr == 0 ||
		    op.u.frames.nr > STRATA_HV_FRAMES_PER_CALL || op.u.frames.nr > expected - have)
			return strata_fail(
				error,
				"Xen lists %u of %u frames for the ring of CPU %u, whose size "
				"needs %u",
				op.u.frames.nr, op.u.frames.total, cpu, expected);
		for (i = 0; i < op.u.frames.nr; i++)
			frames[have++] = op.u.frames.mfn[i];
	}
	return (long)have;
}

/* Maps frames read-only.  The call answers with a pointer even if every page failed. */
static void *map_frames(struct hypervisor *hypervisor, const xen_pfn_t *frames, size_t nr,
			struct strata_error *error)
{
	int *errors = calloc(nr, sizeof(*errors));
	void *address;
	size_t i;

	if (!errors) {
		strata_fail(error, "out of memory");
		return NULL;
	}
	address =
		xenforeignmemory_map(hypervisor->memory, DOMID_XEN, PROT_READ, nr, frames, errors);
	if (!address)
		strata_fail(error, "mapping %zu frames of Xen: %s", nr, strerror(errno));
	for (i = 0; address && i < nr; i++) {
		if (!errors[i])
			continue;
		strata_fail(error, "mapping frame %zu of %zu of Xen: %s", i, nr,
			    strerror(-errors[i]));
		xenforeignmemory_unmap(hypervisor->memory, address, nr);
		address = NULL;
	}
	free(errors);
	return address;
}

/* Maps @frames.  0, or -1: some may be mapped. */
static int map_memory(struct hypervisor *hypervisor, struct mapping *mapping, struct ring *ring,
		      uint32_t cpu, const xen_pfn_t *frames, struct strata_error *error)
{
	mapping->data_pages = strata_data_pages(hypervisor->geometry);
	mapping->writer = map_frames(hypervisor, frames, STRATA_WRITER_AREA_PAGES, error);
	if (!mapping->writer)
		return -1;
	mapping->data = map_frames(hypervisor, frames + STRATA_WRITER_AREA_PAGES,
				   mapping->data_pages, error);
	if (!mapping->data)
		return -1;
	*ring = (struct ring){
		.cpu = cpu, .get = get_subbuf, .put = put_subbuf, .owner = hypervisor
	};
	if (strata_reader_init(&ring->reader, hypervisor->geometry, mapping->writer, NULL,
			       mapping->data) != STRATA_READER_OK)
		return strata_fail(error,
				   "the ring of CPU %u has a layout that this tool does not know; "
				   "build Xen and strata from the same sources",
				   cpu);
	ring->reader.overwrite = hypervisor->overwrite;
	return 0;
}

/* Maps the ring of a CPU, if it has one.  0 or -1. */
static int map_ring(struct hypervisor *hypervisor, uint32_t cpu, xen_pfn_t *frames,
		    struct strata_error *error)
{
	uint32_t expected = STRATA_WRITER_AREA_PAGES + strata_data_pages(hypervisor->geometry);
	struct mapping *mapping = &hypervisor->mappings[hypervisor->nr_rings];
	struct ring *ring = &hypervisor->rings[hypervisor->nr_rings];
	long listed = list_frames(hypervisor, cpu, frames, expected, error);

	if (listed <= 0)
		return (int)listed;
	if (map_memory(hypervisor, mapping, ring, cpu, frames, error)) {
		unmap(hypervisor, mapping);
		return -1;
	}
	hypervisor->nr_rings++;
	return 0;
}

static bool is_mapped(const struct hypervisor *hypervisor, uint32_t cpu)
{
	size_t i;

	for (i = 0; i < hypervisor->nr_rings; i++)
		if (hypervisor->rings[i].cpu == cpu)
			return true;
	return false;
}

/* Maps the rings that are not mapped yet.  0 or -1. */
static int map_rings(struct hypervisor *hypervisor, struct strata_error *error)
{
	xen_pfn_t *frames =
		calloc(STRATA_WRITER_AREA_PAGES + strata_data_pages(hypervisor->geometry),
		       sizeof(*frames));
	uint32_t cpu;
	int result = 0;

	if (!frames)
		return strata_fail(error, "out of memory");
	for (cpu = 0; !result && cpu < hypervisor->nr_cpus; cpu++)
		if (!is_mapped(hypervisor, cpu))
			result = map_ring(hypervisor, cpu, frames, error);
	free(frames);
	return result;
}

/* Maps the rings of all CPUs, which have been made.  0 or -1. */
static int map_all(struct hypervisor *hypervisor, struct strata_ring_geometry geo, bool overwrite,
		   struct strata_error *error)
{
	struct strata_hv_op op;

	if (hypervisor_query(hypervisor, &op, error))
		return -1;
	if (op.u.query.nr_cpus == 0 || op.u.query.nr_cpus > 4096)
		return strata_fail(error, "Xen says that it has %u CPUs", op.u.query.nr_cpus);
	hypervisor->geometry = geo;
	hypervisor->overwrite = overwrite;
	hypervisor->nr_cpus = op.u.query.nr_cpus;
	hypervisor->mappings = calloc(op.u.query.nr_cpus, sizeof(*hypervisor->mappings));
	hypervisor->rings = calloc(op.u.query.nr_cpus, sizeof(*hypervisor->rings));
	if (!hypervisor->mappings || !hypervisor->rings)
		return strata_fail(error, "out of memory");
	return map_rings(hypervisor, error);
}

int hypervisor_map_new(struct hypervisor *hypervisor, struct strata_error *error)
{
	struct strata_hv_op op;

	if (hypervisor_query(hypervisor, &op, error))
		return -1;
	return op.u.query.nr_rings > hypervisor->nr_rings ? map_rings(hypervisor, error) : 0;
}

void hypervisor_use_channel(struct hypervisor *hypervisor, uint32_t channel)
{
	hypervisor->channel = channel;
}

bool hypervisor_flies(struct hypervisor *hypervisor, struct strata_ring_geometry geo)
{
	struct strata_hv_op op = { .operation = STRATA_HV_QUERY };

	return !hypervisor_operate(hypervisor, &op) && op.u.query.state != STRATA_HV_IDLE &&
	       op.u.query.flags == STRATA_HV_OVERWRITE &&
	       op.u.query.subbuf_bits == geo.subbuf_bits &&
	       op.u.query.nr_subbufs_bits == geo.nr_subbufs_bits;
}

/* Continues where the previous recorder died. */
static int take_over(struct hypervisor *hypervisor, struct strata_ring_geometry geo,
		     struct strata_error *error)
{
	hypervisor->created = true;
	return map_all(hypervisor, geo, true, error) ? -1 : 1;
}

int hypervisor_free_left(struct hypervisor *hypervisor, const char *owner,
			 struct strata_error *error)
{
	struct strata_hv_op destroy = { .operation = STRATA_HV_DESTROY };

	fprintf(stderr, "strata: freeing the rings that \"%s\" left in Xen\n", owner);
	return hypervisor_operate(hypervisor, &destroy)
		       ? strata_fail(error, "Xen did not free them: %s", strerror(errno))
		       : 0;
}

int hypervisor_create(struct hypervisor *hypervisor, struct strata_ring_geometry geo,
		      bool overwrite, bool continues, const char *owner, struct strata_error *error)
{
	struct strata_hv_op op = { .operation = STRATA_HV_CREATE };
	int result;

	op.u.create.subbuf_bits = geo.subbuf_bits;
	op.u.create.nr_subbufs_bits = geo.nr_subbufs_bits;
	op.u.create.flags = overwrite ? STRATA_HV_OVERWRITE : 0;
	snprintf(op.u.create.owner, sizeof(op.u.create.owner), "%s", owner);
	result = hypervisor_operate(hypervisor, &op);
	if (result && errno == EBUSY && continues && hypervisor_flies(hypervisor, geo))
		return take_over(hypervisor, geo, error);
	if (result && errno == EBUSY) {
		op.u.create.owner[STRATA_HV_OWNER_BYTES - 1] = '\0';
		if (hypervisor_free_left(hypervisor, op.u.create.owner, error))
			return -1;
		snprintf(op.u.create.owner, sizeof(op.u.create.owner), "%s", owner);
		result = hypervisor_operate(hypervisor, &op);
	}
	if (result && errno == EBUSY) {
		op.u.create.owner[STRATA_HV_OWNER_BYTES - 1] = '\0';
		return strata_fail(error, "\"%s\" is already recording; wait for it, or stop it",
				   op.u.create.owner);
	}
	if (result && errno == ENOMEM)
		return strata_fail(error,
				   "Xen has too little memory for rings of %lu KiB per CPU; make "
				   "them smaller (--xen-buffer), or give dom0 less memory",
				   strata_buffer_bytes(geo) >> 10);
	if (result)
		return strata_fail(error, "Xen cannot create rings: %s", strerror(errno));
	hypervisor->created = true;
	return map_all(hypervisor, geo, overwrite, error);
}

void hypervisor_created(struct hypervisor *hypervisor)
{
	hypervisor->created = true;
}

void *hypervisor_buffer(struct hypervisor *hypervisor, size_t bytes, struct strata_error *error)
{
	if (!hypervisor->buffer)
		hypervisor->buffer = xencall_alloc_buffer(hypervisor->sysctl.call, bytes);
	if (!hypervisor->buffer)
		strata_fail(error, "out of memory for the hypervisor's answers: %s",
			    strerror(errno));
	return hypervisor->buffer;
}

struct ring *hypervisor_rings(struct hypervisor *hypervisor, size_t *nr)
{
	*nr = hypervisor->nr_rings;
	return hypervisor->rings;
}

int hypervisor_select(struct hypervisor *hypervisor, const struct strata_hv_rule *rules, size_t nr,
		      uint32_t budget_per_s, struct strata_error *error)
{
	size_t sent = 0;

	do {
		struct strata_hv_op op = { .operation = STRATA_HV_SELECT };

		op.u.select.nr = nr - sent < STRATA_HV_RULES_PER_CALL ? (uint32_t)(nr - sent)
								      : STRATA_HV_RULES_PER_CALL;
		/* A channel with nothing but the clocks of guests has no rules, and no array of
		 * them. */
		if (op.u.select.nr)
			memcpy(op.u.select.rules, rules + sent, op.u.select.nr * sizeof(*rules));
		op.u.select.budget_per_s = budget_per_s;
		if (sent == 0)
			op.u.select.flags |= STRATA_HV_SELECT_BEGIN;
		sent += op.u.select.nr;
		if (sent == nr)
			op.u.select.flags |= STRATA_HV_SELECT_APPLY;
		if (!hypervisor_operate(hypervisor, &op))
			continue;
		if (errno == E2BIG)
			return strata_fail(
				error, "more than %u rules for single vCPUs; name whole domains",
				STRATA_HV_VCPU_RULES_MAX);
		return strata_fail(error, "Xen does not take the selection of events: %s",
				   strerror(errno));
	} while (sent < nr);
	return 0;
}

int hypervisor_start(struct hypervisor *hypervisor, uint32_t switch_ms, struct strata_error *error)
{
	struct strata_hv_op op = { .operation = STRATA_HV_START, .u.start.switch_ms = switch_ms };

	if (!hypervisor_operate(hypervisor, &op))
		return 0;
	if (errno == EBUSY)
		return strata_fail(error, "Xen does not start recording: another process destroys "
					  "this channel at the same time; try again");
	return strata_fail(error, "Xen does not start recording: %s", strerror(errno));
}

int hypervisor_flush(struct hypervisor *hypervisor, struct strata_error *error)
{
	struct strata_hv_op op = { .operation = STRATA_HV_FLUSH };

	if (hypervisor_operate(hypervisor, &op))
		return strata_fail(error, "Xen does not flush its rings: %s", strerror(errno));
	return 0;
}

int hypervisor_stop(struct hypervisor *hypervisor, struct strata_error *error)
{
	struct strata_hv_op op = { .operation = STRATA_HV_STOP };

	if (hypervisor_operate(hypervisor, &op))
		return strata_fail(error, "Xen does not stop recording: %s", strerror(errno));
	return 0;
}
