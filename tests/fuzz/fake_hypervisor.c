// SPDX-License-Identifier: GPL-2.0-or-later
/* fake_hypervisor.c - see fake_hypervisor.h; fake_xen.c calls it for the recorder. */
#include "fake_hypervisor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xenforeignmemory.h>

#include <strata/ring_home.h>

#include "fake_host.h"

#define NR_CPUS       2u
#define PAGES_MAX     16u /* of one CPU's ring */
#define FIRST_FRAME   0x4000u
#define RING_WORDS    256u
#define MAPPINGS_MAX  (2u * NR_CPUS)
#define PAYLOAD_WORDS 7u

static struct {
	uint32_t state, flags;
	struct strata_ring_geometry geo;
	char owner[STRATA_HV_OWNER_BYTES];
	int memory;           /* frames of all rings, a memfd */
	unsigned char *pages; /* the hypervisor's own view */
	uint64_t ring_words[NR_CPUS][RING_WORDS];
	struct strata_ring_reader_area reader[NR_CPUS];
	unsigned int spare[NR_CPUS];
	bool has[NR_CPUS]; /* the recorder has a sub-buffer, and has not put it back */
	bool drafted;
	uint64_t records;
} xen = { .memory = -1 };

static struct {
	void *address;
	size_t nr;
} mapped[MAPPINGS_MAX];

static struct strata_ring *ring_of(uint32_t cpu)
{
	return (struct strata_ring *)xen.ring_words[cpu];
}

static unsigned char *pages_of(uint32_t cpu)
{
	return xen.pages + (size_t)cpu * PAGES_MAX * STRATA_PAGE_BYTES;
}

static void make_memory(void)
{
	size_t bytes = (size_t)NR_CPUS * PAGES_MAX * STRATA_PAGE_BYTES;

	xen.memory = memfd_create("xen", MFD_CLOEXEC);
	if (xen.memory < 0 || ftruncate(xen.memory, (off_t)bytes))
		abort();
	xen.pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, xen.memory, 0);
	if (xen.pages == MAP_FAILED)
		abort();
}

static void make_rings(struct strata_ring_geometry geo, uint32_t flags)
{
	uint32_t cpu;

	if (strata_ring_bytes(geo) > sizeof(xen.ring_words[0]) ||
	    strata_data_pages(geo) + STRATA_WRITER_AREA_PAGES > PAGES_MAX)
		abort();
	memset(xen.pages, 0, (size_t)NR_CPUS * PAGES_MAX * STRATA_PAGE_BYTES);
	memset(xen.ring_words, 0, sizeof(xen.ring_words));
	memset(xen.reader, 0, sizeof(xen.reader));
	for (cpu = 0; cpu < NR_CPUS; cpu++) {
		unsigned char *area = pages_of(cpu);

		strata_ring_init(ring_of(cpu), geo,
				 area + STRATA_WRITER_AREA_PAGES * STRATA_PAGE_BYTES, (void *)area,
				 &xen.reader[cpu], cpu, 0);
		ring_of(cpu)->overwrite = flags & STRATA_HV_OVERWRITE;
		xen.spare[cpu] = (unsigned int)strata_nr_subbufs(geo);
		xen.has[cpu] = false;
	}
	xen.geo = geo;
	xen.flags = flags;
	xen.state = STRATA_HV_STOPPED;
	xen.records = 0;
}

void fake_hypervisor_reset(bool left, bool left_overwrite)
{
	if (xen.memory < 0)
		make_memory();
	xen.state = STRATA_HV_IDLE;
	xen.drafted = false;
	xen.owner[0] = '\0';
	if (!left)
		return;
	make_rings(FAKE_XEN_GEOMETRY, left_overwrite ? STRATA_HV_OVERWRITE : 0);
	memcpy(xen.owner, "another", sizeof("another"));
	xen.state = STRATA_HV_STARTED;
}

static int fail(int number)
{
	errno = number;
	return -1;
}

static int create(struct strata_hv_op *op)
{
	struct strata_ring_geometry geo = { (uint8_t)op->u.create.subbuf_bits,
					    (uint8_t)op->u.create.nr_subbufs_bits };

	if (xen.state != STRATA_HV_IDLE) {
		memcpy(op->u.create.owner, xen.owner, sizeof(xen.owner));
		return fail(EBUSY);
	}
	make_rings(geo, op->u.create.flags);
	memcpy(xen.owner, op->u.create.owner, sizeof(xen.owner));
	return 0;
}

static int query(struct strata_hv_op *op)
{
	memset(&op->u.query, 0, sizeof(op->u.query));
	op->u.query.state = xen.state;
	op->u.query.nr_cpus = NR_CPUS;
	op->u.query.tsc_khz = 1000000;
	if (xen.state == STRATA_HV_IDLE)
		return 0;
	op->u.query.subbuf_bits = xen.geo.subbuf_bits;
	op->u.query.nr_subbufs_bits = xen.geo.nr_subbufs_bits;
	op->u.query.flags = xen.flags;
	memcpy(op->u.query.owner, xen.owner, sizeof(xen.owner));
	return 0;
}

static int frames(struct strata_hv_op *op)
{
	uint32_t total = STRATA_WRITER_AREA_PAGES + strata_data_pages(xen.geo);
	uint32_t first = op->u.frames.first, i;

	if (op->u.frames.cpu >= NR_CPUS)
		return fail(ENOENT);
	if (first >= total)
		return fail(EINVAL);
	op->u.frames.total = total;
	op->u.frames.nr = total - first < STRATA_HV_FRAMES_PER_CALL ? total - first
								    : STRATA_HV_FRAMES_PER_CALL;
	for (i = 0; i < op->u.frames.nr; i++)
		op->u.frames.mfn[i] = FIRST_FRAME + op->u.frames.cpu * PAGES_MAX + first + i;
	return 0;
}

static int get(struct strata_hv_op *op)
{
	uint32_t cpu = op->u.subbuf.cpu;
	int page = cpu < NR_CPUS ? strata_ring_get(ring_of(cpu), &xen.spare[cpu]) : -1;

	if (page < 0)
		return fail(EAGAIN);
	if (xen.has[cpu])
		fake_host.misuse = "it asks Xen for another sub-buffer before it puts one back";
	xen.has[cpu] = true;
	op->u.subbuf.page = (uint32_t)page;
	op->u.subbuf.position = xen.reader[cpu].read_count;
	return 0;
}

static int put(const struct strata_hv_op *op)
{
	uint32_t cpu = op->u.subbuf.cpu;

	if (cpu >= NR_CPUS || op->u.subbuf.position != xen.reader[cpu].read_count ||
	    ((xen.flags & STRATA_HV_OVERWRITE) && !xen.has[cpu])) {
		fake_host.misuse = "it puts back a sub-buffer of Xen's that it has not";
		return fail(EINVAL);
	}
	strata_ring_put(ring_of(cpu));
	xen.has[cpu] = false;
	return 0;
}

static void flush(void)
{
	uint32_t cpu;

	for (cpu = 0; cpu < NR_CPUS; cpu++)
		strata_ring_flush(ring_of(cpu));
}

static int select_rules(const struct strata_hv_op *op)
{
	if (op->u.select.flags & STRATA_HV_SELECT_BEGIN)
		xen.drafted = true;
	if (!xen.drafted || op->u.select.nr > STRATA_HV_RULES_PER_CALL)
		return fail(EINVAL);
	if (op->u.select.flags & STRATA_HV_SELECT_APPLY)
		xen.drafted = false;
	return 0;
}

int fake_hypervisor_call(struct strata_hv_op *op)
{
	if (op->abi_version != STRATA_HV_ABI_VERSION)
		return fail(EOPNOTSUPP);
	if (op->operation == STRATA_HV_QUERY)
		return query(op);
	if (op->operation == STRATA_HV_CREATE)
		return create(op);
	if (xen.state == STRATA_HV_IDLE)
		return fail(ENOENT);
	switch (op->operation) {
	case STRATA_HV_START:
		xen.state = STRATA_HV_STARTED;
		return 0;
	case STRATA_HV_STOP:
		xen.state = STRATA_HV_STOPPED;
		flush();
		return 0;
	case STRATA_HV_FLUSH:
		flush();
		return 0;
	case STRATA_HV_FRAMES:
		return frames(op);
	case STRATA_HV_GET:
		return get(op);
	case STRATA_HV_PUT:
		return put(op);
	case STRATA_HV_SELECT:
		return select_rules(op);
	case STRATA_HV_DESTROY:
		xen.state = STRATA_HV_IDLE;
		return 0;
	default:
		return fail(EINVAL);
	}
}

/* One of Xen's trace points, with some words. */
static void write_record(uint32_t cpu, struct randomness *random)
{
	uint32_t nr_words = random_below(random, PAYLOAD_WORDS + 1), i, word;
	uint32_t id = nr_words << STRATA_HV_ID_WORDS_SHIFT | (0x21000u + random_below(random, 8));
	struct strata_hv_context context = { .domain = (uint16_t)random_below(random, 4) };
	struct strata_slot slot;

	if (!strata_ring_reserve(ring_of(cpu), id, (uint32_t)sizeof(context) + nr_words * 4u,
				 &slot))
		return;
	memcpy(slot.payload, &context, sizeof(context));
	for (i = 0; i < nr_words; i++) {
		word = (uint32_t)random_next(random);
		memcpy(slot.payload + sizeof(context) + i * 4u, &word, sizeof(word));
	}
	strata_ring_commit(ring_of(cpu), &slot);
	xen.records++;
}

void fake_hypervisor_write(struct randomness *random, uint32_t nr)
{
	uint32_t cpu, i;

	if (xen.state != STRATA_HV_STARTED)
		return;
	for (cpu = 0; cpu < NR_CPUS; cpu++)
		for (i = random_below(random, nr + 1); i > 0; i--)
			write_record(cpu, random);
}

uint64_t fake_hypervisor_records(void)
{
	return xen.records;
}

bool fake_hypervisor_idle(void)
{
	return xen.state == STRATA_HV_IDLE;
}

/* Mapping its frames -------------------------------------------------------------------------- */

void *xenforeignmemory_map(xenforeignmemory_handle *handle, uint32_t domain, int protection,
			   size_t nr, const xen_pfn_t *list, int *errors)
{
	size_t slot = 0, i;
	unsigned char *area;

	(void)handle;
	while (slot < MAPPINGS_MAX && mapped[slot].address)
		slot++;
	if (domain != DOMID_XEN || protection != PROT_READ || slot == MAPPINGS_MAX) {
		fake_host.misuse = "it maps frames of Xen otherwise than to read them";
		errno = EINVAL;
		return NULL;
	}
	area = mmap(NULL, (nr + 2) * STRATA_PAGE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0);
	if (area == MAP_FAILED)
		abort();
	area += STRATA_PAGE_BYTES;
	for (i = 0; i < nr; i++) {
		errors[i] = 0;
		if (list[i] < FIRST_FRAME || list[i] >= FIRST_FRAME + NR_CPUS * PAGES_MAX ||
		    mmap(area + i * STRATA_PAGE_BYTES, STRATA_PAGE_BYTES, PROT_READ,
			 MAP_SHARED | MAP_FIXED, xen.memory,
			 (off_t)(list[i] - FIRST_FRAME) * STRATA_PAGE_BYTES) == MAP_FAILED)
			errors[i] = -EINVAL;
	}
	mapped[slot].address = area;
	mapped[slot].nr = nr;
	fake_host.mappings++;
	fake_host.mapped_pages += (uint32_t)nr;
	return area;
}

int xenforeignmemory_unmap(xenforeignmemory_handle *handle, void *address, size_t nr)
{
	size_t slot = 0;

	(void)handle;
	while (slot < MAPPINGS_MAX && mapped[slot].address != address)
		slot++;
	if (!address || slot == MAPPINGS_MAX || mapped[slot].nr != nr) {
		fake_host.misuse = "it unmaps frames that it never had";
		errno = EINVAL;
		return -1;
	}
	mapped[slot].address = NULL;
	munmap((unsigned char *)address - STRATA_PAGE_BYTES, (nr + 2) * STRATA_PAGE_BYTES);
	fake_host.mappings--;
	fake_host.mapped_pages -= (uint32_t)nr;
	return 0;
}
