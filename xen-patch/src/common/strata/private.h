/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * private.h - declarations shared by Strata's files: what belongs to a CPU, and
 * which code may touch it in which context.
 *
 * A ring is reached through strata_cpus[] only:
 *
 *   a probe        between strata_probe_begin() and strata_probe_end(), on the
 *                  ring's own CPU; interrupts and NMIs nest
 *   flush          on the ring's own CPU, or on another while that is offline
 *   the reader     under the sysctl lock, on any CPU; touches its area, and
 *                  of the core's what strata_ring_get() reads
 *   make and free  under the sysctl lock, or while its CPU is being brought up;
 *                  a ring is freed when its channel is stopped and no CPU is in
 *                  a probe (see gate.c)
 */

#ifndef __COMMON_STRATA_PRIVATE_H__
#define __COMMON_STRATA_PRIVATE_H__

#include <xen/bitops.h>
#include <xen/cache.h>
#include <xen/cpumask.h>
#include <xen/mm.h>
#include <xen/time.h>
#include <xen/strata.h>
#include <xen/trace.h>

#include <strata/abi/hypervisor.h>
#include <strata/ring_home.h>

struct strata_channel;

struct strata_cpu_ring {
    struct strata_ring_reader_area reader; /* its half, moved by hypercall */
    unsigned int spare;        /* the page that the reader owns */
    bool taken;                /* overwrite mode: between GET and PUT */
    unsigned long refused;     /* events refused beyond their domains' budgets */
    unsigned long refused_seen; /* refusals already reported by domain */
    s_time_t switched;         /* time of the last switch by timer */
    unsigned int nr_frames;
    mfn_t *frames;             /* writer area, then data */
    void *mapping;             /* the same frames, contiguous */

    /* Written at every event, hence on cache lines of its own. */
    struct strata_ring core __cacheline_aligned;
};

/*
 * What probes of one physical CPU share.  Not in Xen's per-CPU area, because
 * rings outlive CPU hotplug.
 */
struct strata_cpu {
    /*
     * The vCPU that left its guest for an interrupt, until it enters the guest
     * again.
     */
    const struct vcpu *interrupted;
    /* Of each channel, or NULL. */
    struct strata_cpu_ring *ring[STRATA_HV_CHANNELS];
} __aligned(128);

/*
 * An added CPU gets its rings while another CPU may hold the sysctl lock: code
 * that holds only that lock reads rings with strata_ring_of().
 */
extern struct strata_cpu strata_cpus[NR_CPUS];

static always_inline struct strata_cpu *strata_this_cpu(void)
{
    return get_cpu_info()->strata_cpu;
}

/*
 * Probes under way on this CPU.  While it is not zero, no ring of this CPU is
 * freed, and no set.
 */
static always_inline unsigned long *strata_nesting(void)
{
    return &get_cpu_info()->strata_nesting;
}

static always_inline struct strata_cpu_ring *strata_ring_of(
    unsigned int cpu, unsigned int channel)
{
    struct strata_cpu_ring *ring = read_atomic(&strata_cpus[cpu].ring[channel]);

    smp_rmb(); /* pairs with smp_wmb() of publish() in rings.c */

    return ring;
}

/* Visits the numbers of the bits of @channels, which it clears. */
#define strata_for_each_channel(channel, channels) \
    for ( ; (channels) && ((channel) = find_first_set_bit(channels), true); \
          (channels) &= (channels) - 1 )

/*
 * Begins a probe on this CPU; must be paired with strata_probe_end().  Returns
 * the channels that have been started, a bit for each; 0: none.  Any context.
 */
unsigned int strata_probe_begin(void);
void strata_probe_end(void);

/* Whether the caller has interrupted a probe on this CPU.  Interrupts off. */
bool strata_probe_under_way(void);

/*
 * Writes a record into one ring of this CPU, in a probe; or into that of an
 * offline CPU.
 */
void strata_ring_write(struct strata_cpu_ring *ring, unsigned int channel,
                       uint32_t id, const void *data, unsigned int bytes);

/* Writes one of Strata's own records into each of @channels, in a probe. */
void strata_write_own(unsigned int channels, enum strata_hv_own_event id,
                      const void *data, unsigned int bytes);

/*
 * Records one of Strata's own events in each channel that has been started.
 * Any context, though most callers avoid NMIs because of their data.
 */
void strata_record_own(enum strata_hv_own_event id, const void *data,
                       unsigned int bytes);

/*
 * Delivers the current sub-buffer of a channel on this CPU.  False: the caller
 * has interrupted a probe.  True: every probe that began earlier on this CPU
 * has ended.  Interrupts off.
 */
bool strata_flush_this_cpu(unsigned int channel);

/* The same for a CPU that stays offline; it has no probes. */
void strata_flush_offline_cpu(unsigned int cpu, unsigned int channel);

/*
 * Measures and records the offset of each CPU's TSC from that of one CPU.
 * @channel: whose operation needs it; that of another one waits
 * Interrupts on; the caller holds the CPU maps and the sysctl lock.  0, or
 * -ERESTART: call it again, also after the CPU maps were released.
 */
int strata_measure_skew(unsigned int channel);

/*
 * Records the last measurement again.  False: it lacks a CPU that is online.
 * Same context.
 */
bool strata_record_skew(void);

/* A CPU is added: Xen may write its TSC, which invalidates its measurement. */
void strata_forget_skew(unsigned int cpu);

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
