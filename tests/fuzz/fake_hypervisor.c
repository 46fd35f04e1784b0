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
#define RING_WORDS    512u
#define MAPPINGS_MAX  (2u * NR_CPUS)
#define CHANNEL_PAGES (NR_CPUS * PAGES_MAX)
#define ALL_PAGES     (STRATA_HV_CHANNELS * CHANNEL_PAGES)
#define PAYLOAD_WORDS 7u

/* The owner of rings that are there before the recorder. */
static const char another[STRATA_HV_OWNER_BYTES] = "another";

struct fake_channel {
	uint32_t state, flags;
	struct strata_ring_geometry geo;
	char owner[STRATA_HV_OWNER_BYTES];
	uint64_t ring_words[NR_CPUS][RING_WORDS];
	struct strata_ring_reader_area reader[NR_CPUS];
	unsigned int spare[NR_CPUS];
	bool has[NR_CPUS]; /* the recorder has a sub-buffer, and has not put it back */
	bool drafted;
	uint64_t records;
};

static struct {
	struct fake_channel channel[STRATA_HV_CHANNELS];
	int memory;           /* frames of all rings, a memfd */
	unsigned char *pages; /* the hypervisor's own view */
} xen = { .memory = -1 };

static struct {
	void *address;
	size_t nr;
} mapped[MAPPINGS_MAX];

static struct strata_ring *ring_of(struct fake_channel *channel, uint32_t cpu)
{
	return (struct strata_ring *)channel->ring_words[cpu];
}

/* The first page of a ring, among those of all rings. */
static uint32_t first_page(const struct fake_channel *channel, uint32_t cpu)
{
	return (uint32_t)(channel - xen.channel) * CHANNEL_PAGES + cpu * PAGES_MAX;
}

static unsigned char *pages_of(const struct fake_channel *channel, uint32_t cpu)
{
	return xen.pages + (size_t)first_page(channel, cpu) * STRATA_PAGE_BYTES;
}

static void make_memory(void)
{
	size_t bytes = (size_t)ALL_PAGES * STRATA_PAGE_BYTES;

	xen.memory = memfd_create("xen", MFD_CLOEXEC);
	if (xen.memory < 0 || ftruncate(xen.memory, (off_t)bytes))
		abort();
	xen.pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, xen.memory, 0);
	if (xen.pages == MAP_FAILED)
		abort();
}

static void make_rings(struct fake_channel *channel, struct strata_ring_geometry geo,
		       uint32_t flags)
{
	uint32_t cpu;

	if (strata_ring_bytes(geo) > sizeof(channel->ring_words[0]) ||
	    strata_data_pages(geo) + STRATA_WRITER_AREA_PAGES > PAGES_MAX)
		abort();
	memset(pages_of(channel, 0), 0, (size_t)CHANNEL_PAGES * STRATA_PAGE_BYTES);
	memset(channel->ring_words, 0, sizeof(channel->ring_words));
	memset(channel->reader, 0, sizeof(channel->reader));
	for (cpu = 0; cpu < NR_CPUS; cpu++) {
		unsigned char *area = pages_of(channel, cpu);

		strata_ring_init(ring_of(channel, cpu), geo,
				 area + STRATA_WRITER_AREA_PAGES * STRATA_PAGE_BYTES, (void *)area,
				 &channel->reader[cpu], cpu, 0);
		ring_of(channel, cpu)->overwrite = flags & STRATA_HV_OVERWRITE;
		channel->spare[cpu] = (unsigned int)strata_nr_subbufs(geo);
		channel->has[cpu] = false;
	}
	channel->geo = geo;
	channel->flags = flags;
	channel->state = STRATA_HV_STOPPED;
	channel->records = 0;
}

void fake_hypervisor_reset(bool left, bool left_overwrite)
{
	struct fake_channel *first = &xen.channel[fake_host.recorders];

	if (xen.memory < 0)
		make_memory();
	memset(xen.channel, 0, sizeof(xen.channel));
	if (!left)
		return;
	make_rings(first, FAKE_XEN_GEOMETRY, left_overwrite ? STRATA_HV_OVERWRITE : 0);
	memcpy(first->owner, another, sizeof(another));
	first->state = STRATA_HV_STARTED;
}

static int fail(int number)
{
	errno = number;
	return -1;
}

static int create(struct fake_channel *channel, struct strata_hv_op *op)
{
	struct strata_ring_geometry geo = { (uint8_t)op->u.create.subbuf_bits,
					    (uint8_t)op->u.create.nr_subbufs_bits };

	if (channel->state != STRATA_HV_IDLE) {
		memcpy(op->u.create.owner, channel->owner, sizeof(channel->owner));
		return fail(EBUSY);
	}
	make_rings(channel, geo, op->u.create.flags);
	memcpy(channel->owner, op->u.create.owner, sizeof(channel->owner));
	return 0;
}

static int query(struct fake_channel *channel, struct strata_hv_op *op)
{
	memset(&op->u.query, 0, sizeof(op->u.query));
	op->u.query.state = channel->state;
	op->u.query.nr_cpus = NR_CPUS;
	op->u.query.tsc_khz = 1000000;
	if (channel->state == STRATA_HV_IDLE)
		return 0;
	op->u.query.subbuf_bits = channel->geo.subbuf_bits;
	op->u.query.nr_subbufs_bits = channel->geo.nr_subbufs_bits;
	op->u.query.flags = channel->flags;
	memcpy(op->u.query.owner, channel->owner, sizeof(channel->owner));
	return 0;
}

static int frames(struct fake_channel *channel, struct strata_hv_op *op)
{
	uint32_t total = STRATA_WRITER_AREA_PAGES + strata_data_pages(channel->geo);
	uint32_t first = op->u.frames.first, i;

	if (op->u.frames.cpu >= NR_CPUS)
		return fail(ENOENT);
	if (first >= total)
		return fail(EINVAL);
	op->u.frames.total = total;
	op->u.frames.nr = total - first < STRATA_HV_FRAMES_PER_CALL ? total - first
								    : STRATA_HV_FRAMES_PER_CALL;
	for (i = 0; i < op->u.frames.nr; i++)
		op->u.frames.mfn[i] =
			FIRST_FRAME + first_page(channel, op->u.frames.cpu) + first + i;
	return 0;
}

static int get(struct fake_channel *channel, struct strata_hv_op *op)
{
	uint32_t cpu = op->u.subbuf.cpu;
	int page = cpu < NR_CPUS ? strata_ring_get(ring_of(channel, cpu), &channel->spare[cpu])
				 : -1;

	if (page < 0)
		return fail(EAGAIN);
	if (channel->has[cpu])
		fake_host.misuse = "it asks Xen for another sub-buffer before it puts one back";
	channel->has[cpu] = true;
	op->u.subbuf.page = (uint32_t)page;
	op->u.subbuf.position = channel->reader[cpu].read_count;
	return 0;
}

static int put(struct fake_channel *channel, const struct strata_hv_op *op)
{
	uint32_t cpu = op->u.subbuf.cpu;

	if (cpu >= NR_CPUS || op->u.subbuf.position != channel->reader[cpu].read_count ||
	    ((channel->flags & STRATA_HV_OVERWRITE) && !channel->has[cpu])) {
		fake_host.misuse = "it puts back a sub-buffer of Xen's that it has not";
		return fail(EINVAL);
	}
	strata_ring_put(ring_of(channel, cpu));
	channel->has[cpu] = false;
	return 0;
}

static void flush(struct fake_channel *channel)
{
	uint32_t cpu;

	for (cpu = 0; cpu < NR_CPUS; cpu++)
		strata_ring_flush(ring_of(channel, cpu));
}

static int select_rules(struct fake_channel *channel, const struct strata_hv_op *op)
{
	if (op->u.select.flags & STRATA_HV_SELECT_BEGIN)
		channel->drafted = true;
	if (!channel->drafted || op->u.select.nr > STRATA_HV_RULES_PER_CALL)
		return fail(EINVAL);
	if (op->u.select.flags & STRATA_HV_SELECT_APPLY)
		channel->drafted = false;
	return 0;
}

int fake_hypervisor_call(struct strata_hv_op *op)
{
	struct fake_channel *channel;

	if (op->abi_version != STRATA_HV_ABI_VERSION)
		return fail(EOPNOTSUPP);
	if (op->channel >= STRATA_HV_CHANNELS || op->reserved)
		return fail(EINVAL);
	channel = &xen.channel[op->channel];
	if (op->operation == STRATA_HV_QUERY)
		return query(channel, op);
	if (op->operation == STRATA_HV_CREATE)
		return create(channel, op);
	if (channel->state == STRATA_HV_IDLE)
		return fail(ENOENT);
	switch (op->operation) {
	case STRATA_HV_START:
		channel->state = STRATA_HV_STARTED;
		return 0;
	case STRATA_HV_STOP:
		channel->state = STRATA_HV_STOPPED;
		flush(channel);
		return 0;
	case STRATA_HV_FLUSH:
		flush(channel);
		return 0;
	case STRATA_HV_FRAMES:
		return frames(channel, op);
	case STRATA_HV_GET:
		return get(channel, op);
	case STRATA_HV_PUT:
		return put(channel, op);
	case STRATA_HV_SELECT:
		return select_rules(channel, op);
	case STRATA_HV_DESTROY:
		channel->state = STRATA_HV_IDLE;
		return 0;
	default:
		return fail(EINVAL);
	}
}

/* One of Xen's trace points, with some words. */
static void write_record(struct fake_channel *channel, uint32_t cpu, struct randomness *random)
{
	uint32_t nr_words = random_below(random, PAYLOAD_WORDS + 1), i, word;
	uint32_t id = nr_words << STRATA_HV_ID_WORDS_SHIFT | (0x21000u + random_below(random, 8));
	struct strata_hv_context context = { .domain = (uint16_t)random_below(random, 4) };
	struct strata_slot slot;

	if (!strata_ring_reserve(ring_of(channel, cpu), id,
				 (uint32_t)sizeof(context) + nr_words * 4u, &slot))
		return;
	memcpy(slot.payload, &context, sizeof(context));
	for (i = 0; i < nr_words; i++) {
		word = (uint32_t)random_next(random);
		memcpy(slot.payload + sizeof(context) + i * 4u, &word, sizeof(word));
	}
	strata_ring_commit(ring_of(channel, cpu), &slot);
	channel->records++;
}

void fake_hypervisor_write(struct randomness *random, uint32_t nr)
{
	uint32_t number, cpu, i;

	for (number = 0; number < STRATA_HV_CHANNELS; number++)
		for (cpu = 0; xen.channel[number].state == STRATA_HV_STARTED && cpu < NR_CPUS;
		     cpu++)
			for (i = random_below(random, nr + 1); i > 0; i--)
				write_record(&xen.channel[number], cpu, random);
}

static bool is_anothers(const struct fake_channel *channel)
{
	return !memcmp(channel->owner, another, sizeof(another));
}

uint64_t fake_hypervisor_records(void)
{
	uint64_t records = 0;
	uint32_t number;

	for (number = 0; number < STRATA_HV_CHANNELS; number++)
		if (!is_anothers(&xen.channel[number]))
			records += xen.channel[number].records;
	return records;
}

uint64_t fake_hypervisor_ring_bytes(void)
{
	uint64_t bytes = 0;
	uint32_t number;

	for (number = 0; number < STRATA_HV_CHANNELS; number++) {
		const struct fake_channel *channel = &xen.channel[number];

		if (channel->state != STRATA_HV_IDLE && !is_anothers(channel))
			bytes += NR_CPUS * strata_nr_subbufs(channel->geo) *
				 strata_subbuf_bytes(channel->geo);
	}
	return bytes;
}

bool fake_hypervisor_freed(void)
{
	uint32_t number;

	for (number = 0; number < STRATA_HV_CHANNELS; number++) {
		const struct fake_channel *channel = &xen.channel[number];

		if (channel->state != STRATA_HV_IDLE &&
		    !(is_anothers(channel) && (channel->flags & STRATA_HV_OVERWRITE)))
			return false;
	}
	return true;
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
		if (list[i] < FIRST_FRAME || list[i] >= FIRST_FRAME + ALL_PAGES ||
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
