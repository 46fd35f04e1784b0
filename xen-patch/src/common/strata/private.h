/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * private.h - what the files of Strata share: the ring of a CPU, and who may
 * touch it.
 *
 * A ring is reached through strata_rings[] only:
 *
 *   a probe        between strata_probe_begin() and strata_probe_end(), on the
 *                  ring's own CPU; interrupts and NMIs nest
 *   flush          on the ring's own CPU, or on another while that is offline
 *   the reader     under the sysctl lock, on any CPU; touches its area, and
 *                  of the core's what strata_ring_get() reads
 *   make and free  under the sysctl lock, or while its CPU is being brought up;
 *                  a ring is freed when no CPU is in a probe and the gate is
 *                  shut (see gate.c)
 */

#ifndef __COMMON_STRATA_PRIVATE_H__
#define __COMMON_STRATA_PRIVATE_H__

#include <xen/cache.h>
#include <xen/cpumask.h>
#include <xen/mm.h>
#include <xen/time.h>
#include <xen/strata.h>
#include <xen/trace.h>

#include <strata/abi/hypervisor.h>
#include <strata/ring_home.h>

struct strata_cpu_ring {
    struct strata_ring_reader_area reader; /* its half, moved by hypercall */
    unsigned int spare;        /* the page that is the reader's */
    bool taken;                /* overwrite mode: between GET and PUT */
    unsigned long refused;     /* events beyond their domains' budgets */
    unsigned long refused_seen; /* of which the domains' shares were told */
    /* It left its guest for an interrupt, and has not entered it again. */
    const struct vcpu *interrupted;
    struct strata_hv_pcpu_skew skew; /* as measured last; see skew.c */
    s_time_t switched;         /* when it was handed over half full, last */
    unsigned int nr_frames;
    mfn_t *frames;             /* writer area, then data */
    void *mapping;             /* the same frames, contiguous */

    /* Written at every event, hence on cache lines of its own. */
    struct strata_ring core __cacheline_aligned;
};

/*
 * The ring of each physical CPU, or NULL.  Outlives CPU hotplug.  A CPU that is
 * added gets its ring while the sysctl lock may be held by others: what is done
 * under that lock alone looks for rings with strata_ring_of().
 */
extern struct strata_cpu_ring *strata_rings[NR_CPUS];

static always_inline struct strata_cpu_ring *strata_ring_of(unsigned int cpu)
{
    struct strata_cpu_ring *ring = read_atomic(&strata_rings[cpu]);

    smp_rmb(); /* pairs with smp_wmb() of publish() in rings.c */

    return ring;
}

/*
 * Every CPU present has its ring, and one that is added gets it, if Xen has the
 * memory.  Changes under the sysctl lock and with the CPU maps held: either
 * suffices to read it.
 */
extern bool strata_rings_complete;

/* Events of CPUs that have no ring: Xen had no memory when they were added. */
extern unsigned long strata_unringed;

/*
 * Counts a probe as under way on this CPU.  NULL: nothing is to be recorded, as
 * the gate (TB_STRATA in tb_init_done) is shut or there is no ring.  Must be
 * paired with strata_probe_end() either way.  Any context.
 */
struct strata_cpu_ring *strata_probe_begin(void);
void strata_probe_end(struct strata_cpu_ring *ring);

/* Is this CPU in a probe, below us?  Interrupts off. */
bool strata_probe_under_way(void);

/*
 * Writes a record, in a probe; or with the gate shut, into the ring of a CPU
 * that has no probe under way.
 */
void strata_ring_write(struct strata_cpu_ring *ring, uint32_t id,
                       const void *data, unsigned int bytes);

/*
 * Records one of Strata's own events.  Any context, though the callers' data
 * make most of them shun NMIs.
 */
void strata_record_own(enum strata_hv_own_event id, const void *data,
                       unsigned int bytes);

/*
 * Hands over what this CPU has recorded, unless a probe is under way here
 * below us: then false.  On return of true, every probe that began earlier on
 * this CPU has ended.  Interrupts off.
 */
bool strata_flush_this_cpu(void);

/* The same for a CPU that is offline and stays so; it has no probes. */
void strata_flush_offline_cpu(unsigned int cpu);

/* How often strata_switch() hands over; 0: never.  In its limits. */
void strata_set_switch_period(uint32_t ms);

/*
 * Measures how far each CPU's TSC is from one CPU's, and records that.
 * Interrupts on; the caller holds the CPU maps and the sysctl lock.  0, or
 * -ERESTART: to be called again, also after the CPU maps were let go.
 */
int strata_measure_skew(void);

/*
 * Records what was measured last.  False: some CPU that is online was not part
 * of that.  Likewise.
 */
bool strata_record_skew(void);

/*
 * Makes a ring in steps: strata_ring_begin() returns an empty one or NULL
 * without memory, strata_ring_make() adds its pages.  0, -ENOMEM, or -ERESTART:
 * to be called again.  A ring in any state is freed by strata_ring_free(), also
 * NULL: 0 or likewise -ERESTART, and then nothing else may be done with it.
 * Frames that dom0 maps live on until it lets them go.  Interrupts on.
 */
struct strata_cpu_ring *strata_ring_begin(struct strata_ring_geometry geo);
int strata_ring_make(struct strata_cpu_ring *ring, unsigned int cpu,
                     struct strata_ring_geometry geo, bool overwrite);
int strata_ring_free(struct strata_cpu_ring *ring);

#ifdef STRATA_TEST

/* flood.c: a record is reserved and not written yet; one could not be.  Any
 * context.  And the sub-operations that only a hypervisor for tests has. */
void strata_flood_reserved(struct strata_slot *slot);
void strata_flood_lost(uint32_t id);
int strata_flood_sysctl(struct strata_hv_op *hv_op);

#else /* STRATA_TEST */

#define strata_flood_reserved(slot) ((void)(slot))
#define strata_flood_lost(id) ((void)(id))
#define strata_flood_sysctl(hv_op) (-EINVAL)

#endif /* STRATA_TEST */

#endif /* __COMMON_STRATA_PRIVATE_H__ */

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
