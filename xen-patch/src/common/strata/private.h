/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * private.h - declarations shared by Strata's files: the ring of a CPU, and
 * which code may touch it in which context.
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
    unsigned int spare;        /* the page that the reader owns */
    bool taken;                /* overwrite mode: between GET and PUT */
    unsigned long refused;     /* events refused beyond their domains' budgets */
    unsigned long refused_seen; /* refusals already reported by domain */
    /* The vCPU that left its guest for an interrupt, until it enters the guest
     * again. */
    const struct vcpu *interrupted;
    struct strata_hv_pcpu_skew skew; /* of the last measurement; see skew.c */
    s_time_t switched;         /* time of the last switch by timer */
    unsigned int nr_frames;
    mfn_t *frames;             /* writer area, then data */
    void *mapping;             /* the same frames, contiguous */

    /* Written at every event, hence on cache lines of its own. */
    struct strata_ring core __cacheline_aligned;
};

/*
 * The ring of each physical CPU, or NULL.  Outlives CPU hotplug.  An added CPU
 * gets its ring while another CPU may hold the sysctl lock: code that holds
 * only that lock reads rings with strata_ring_of().
 */
extern struct strata_cpu_ring *strata_rings[NR_CPUS];

static always_inline struct strata_cpu_ring *strata_ring_of(unsigned int cpu)
{
    struct strata_cpu_ring *ring = read_atomic(&strata_rings[cpu]);

    smp_rmb(); /* pairs with smp_wmb() of publish() in rings.c */

    return ring;
}

/*
 * Every present CPU has its ring, and an added one gets it if Xen has the
 * memory.  Changes under the sysctl lock and with the CPU maps held; either
 * suffices to read it.
 */
extern bool strata_rings_complete;

/* Counts events of CPUs without a ring: Xen had no memory when they were
 * added. */
extern unsigned long strata_unringed;

/*
 * Begins a probe on this CPU.  NULL: nothing is recorded, because the gate
 * (TB_STRATA in tb_init_done) is shut or there is no ring.  Must be paired with
 * strata_probe_end() in either case.  Any context.
 */
struct strata_cpu_ring *strata_probe_begin(void);
void strata_probe_end(struct strata_cpu_ring *ring);

/* Whether the caller has interrupted a probe on this CPU.  Interrupts off. */
bool strata_probe_under_way(void);

/*
 * Writes a record, in a probe; or with the gate shut, into the ring of a CPU
 * that has no probe under way.
 */
void strata_ring_write(struct strata_cpu_ring *ring, uint32_t id,
                       const void *data, unsigned int bytes);

/*
 * Records one of Strata's own events.  Any context, though most callers avoid
 * NMIs because of their data.
 */
void strata_record_own(enum strata_hv_own_event id, const void *data,
                       unsigned int bytes);

/*
 * Delivers this CPU's current sub-buffer.  False: the caller has interrupted a
 * probe.  True: every probe that began earlier on this CPU has ended.
 * Interrupts off.
 */
bool strata_flush_this_cpu(void);

/* The same for a CPU that stays offline; it has no probes. */
void strata_flush_offline_cpu(unsigned int cpu);

/* Sets the period of strata_switch(); 0: never.  @ms is within its limits. */
void strata_set_switch_period(uint32_t ms);

/*
 * Measures and records the offset of each CPU's TSC from that of one CPU.
 * Interrupts on; the caller holds the CPU maps and the sysctl lock.  0, or
 * -ERESTART: call it again, also after the CPU maps were released.
 */
int strata_measure_skew(void);

/*
 * Records the last measurement again.  False: it lacks a CPU that is online.
 * Same context.
 */
bool strata_record_skew(void);

/*
 * Makes a ring in steps: strata_ring_begin() returns an empty one or NULL
 * without memory, strata_ring_make() adds its pages.  0, -ENOMEM, or -ERESTART:
 * call it again.  strata_ring_free() frees a ring in any state, also NULL: 0,
 * or -ERESTART: call it again, and do nothing else with the ring.  Frames that
 * dom0 maps stay until it unmaps them.  Interrupts on.
 */
struct strata_cpu_ring *strata_ring_begin(struct strata_ring_geometry geo);
int strata_ring_make(struct strata_cpu_ring *ring, unsigned int cpu,
                     struct strata_ring_geometry geo, bool overwrite);
int strata_ring_free(struct strata_cpu_ring *ring);

#ifdef STRATA_TEST

/* flood.c: notes that a record is reserved and not written yet, or could not
 * be reserved.  Any context.  And the sub-operations that only a hypervisor
 * for tests has. */
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
