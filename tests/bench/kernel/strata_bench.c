// SPDX-License-Identifier: GPL-2.0-only
/*
 * strata_bench.c - what an event costs in a kernel, in both modes of a ring.
 *
 * Loading it runs the measurement and prints one line; it stays loaded for
 * nothing.  The core is the one of strata.ko, on memory of its own, with no
 * reader on the other side: in discard mode the sub-buffers are put as they
 * become complete, in overwrite mode the writer laps.  Batches run in turns with
 * interrupts off, and the least is taken: the rest is somebody else's.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/vmalloc.h>

#include <strata/ring_home.h>

#define BATCHES      400
#define BATCH_EVENTS 500

static const struct strata_ring_geometry geo = { .subbuf_bits = 16, .nr_subbufs_bits = 4 };

struct bench_ring {
	struct strata_ring *ring;
	void *data, *writer, *reader;
	u64 least; /* ticks of a batch */
};

static void destroy(struct bench_ring *bench)
{
	vfree(bench->ring);
	vfree(bench->data);
	vfree(bench->writer);
	vfree(bench->reader);
}

static int create(struct bench_ring *bench, bool overwrite)
{
	bench->ring = vzalloc(strata_ring_bytes(geo));
	bench->data = vzalloc(strata_data_bytes(geo));
	bench->writer = vzalloc(STRATA_WRITER_AREA_PAGES * STRATA_PAGE_BYTES);
	bench->reader = vzalloc(STRATA_READER_AREA_PAGES * STRATA_PAGE_BYTES);
	bench->least = U64_MAX;
	if (!bench->ring || !bench->data || !bench->writer || !bench->reader)
		return -ENOMEM;
	strata_ring_init(bench->ring, geo, bench->data, bench->writer, bench->reader, 0, 0);
	bench->ring->overwrite = overwrite;
	return 0;
}

static void write_batch(struct strata_ring *ring)
{
	struct strata_slot slot;
	u64 i;

	for (i = 0; i < BATCH_EVENTS; i++) {
		if (!strata_ring_enter(ring))
			continue;
		if (strata_ring_reserve(ring, 1, sizeof(i), &slot)) {
			memcpy(slot.payload, &i, sizeof(i));
			strata_ring_commit(ring, &slot);
		}
		strata_ring_exit(ring);
		if (ring->delivered) {
			ring->delivered = false;
			if (!ring->overwrite)
				strata_ring_put(ring);
		}
	}
}

static void time_batch(struct bench_ring *bench)
{
	unsigned long flags;
	u64 ticks;

	local_irq_save(flags);
	ticks = strata_clock();
	write_batch(bench->ring);
	ticks = strata_clock() - ticks;
	local_irq_restore(flags);
	bench->least = min(bench->least, ticks);
}

static int __init strata_bench_init(void)
{
	struct bench_ring discard = {}, overwrite = {};
	unsigned int batch;
	int err = create(&discard, false) ?: create(&overwrite, true);

	for (batch = 0; !err && batch < BATCHES; batch++) {
		time_batch(&discard);
		time_batch(&overwrite);
		cond_resched();
	}
	if (!err && discard.ring->lost[STRATA_LOST_FULL])
		err = -EIO;
	if (!err)
		pr_info("an event of 8 bytes: discard %llu ticks, overwrite %llu ticks, ratio %llu.%02llu\n",
			discard.least / BATCH_EVENTS, overwrite.least / BATCH_EVENTS,
			overwrite.least / discard.least,
			overwrite.least * 100 / discard.least % 100);
	else
		pr_err("no measurement (error %d)\n", err);
	destroy(&discard);
	destroy(&overwrite);
	return err;
}

static void __exit strata_bench_exit(void)
{
}

module_init(strata_bench_init);
module_exit(strata_bench_exit);

MODULE_AUTHOR("The Strata developers");
MODULE_DESCRIPTION("Strata: measures what an event costs in a kernel");
MODULE_LICENSE("GPL");
