/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * skew.c - measures the differences between the CPUs' TSCs at the start and
 * stop of a recording, and records their bounds, also at each flush, for
 * flight recorders.
 *
 * One CPU, the reference, asks and every other one answers in its turn:
 *
 *     reference   t0 = TSC, request ------.            .----> t2 = TSC
 *     peer                                 `-> t1 = TSC, answer
 *
 * t1 was read after t0 and before t2, so the peer's TSC less the reference's
 * lies in [t1 - t2, t1 - t0].  Nothing is assumed about the delay of either
 * way: every exchange gives a valid bound, and the best ones are kept.
 *
 * Both sides have interrupts off during an exchange, so exchanges come in
 * slices: one interrupt to the peer, then a few exchanges, until either side's
 * own clock ends the slice.  A hypervisor below us may stop either side for a
 * while; that wastes one slice.
 */

#include <xen/cpumask.h>
#include <xen/errno.h>
#include <xen/event.h>
#include <xen/lib.h>
#include <xen/sched.h>
#include <xen/smp.h>
#include <xen/time.h>

#include <asm/msr.h>

#include "channel.h"
#include "private.h"

#define EXCHANGES  64   /* for each CPU, each of less than a microsecond */
#define SLICE_US   20   /* interrupts are off for this time */
#define SLICES_MAX 2000 /* for each CPU; without a hypervisor below us, a few */

#define FINISHED     (~0u)

/* One cache line, passed back and forth.  Under the sysctl lock. */
static struct exchange {
    uint32_t request;  /* the reference's: number of the exchange, or FINISHED */
    uint32_t answer;   /* the peer's: the number again, or FINISHED */
    uint64_t peer_tsc; /* the peer's: valid when it has answered */
} exchange __cacheline_aligned;

/* The last result of each CPU; the reference's says only that it is that. */
static struct strata_hv_pcpu_skew measured[NR_CPUS];

/* Progress of a measurement that yielded. */
static struct {
    bool under_way;
    unsigned int channel; /* whose operation it belongs to */
    unsigned int reference;
    unsigned int cpu;    /* the peer */
    unsigned int slices; /* of this peer */
    struct strata_hv_pcpu_skew best;
} progress;

static bool slice_is_over(uint64_t begin)
{
    return rdtsc_ordered() - begin > (uint64_t)cpu_khz * SLICE_US / 1000;
}

/*
 * On the peer, interrupts off.  The load of the request is ordered before the
 * TSC by rdtsc_ordered(), the TSC before the answer as x86 keeps stores in
 * order.
 */
static void cf_check answer(void *unused)
{
    uint64_t begin = rdtsc_ordered();
    uint32_t answered = 0, request;

    while ( (request = read_atomic(&exchange.request)) != FINISHED &&
            !slice_is_over(begin) )
    {
        if ( request == answered )
        {
            cpu_relax();
            continue;
        }
        write_atomic(&exchange.peer_tsc, rdtsc_ordered());
        smp_wmb();
        write_atomic(&exchange.answer, request);
        answered = request;
    }
    smp_wmb();
    write_atomic(&exchange.answer, FINISHED);
}

/* On the reference, interrupts off: adds the exchanges of one slice to @best. */
static void ask(struct strata_hv_pcpu_skew *best)
{
    uint64_t begin = rdtsc_ordered();
    uint32_t number, answered;

    for ( number = 1; best->exchanges < EXCHANGES; number++ )
    {
        uint64_t t0 = rdtsc_ordered(), t1, t2;

        write_atomic(&exchange.request, number);
        while ( (answered = read_atomic(&exchange.answer)) != number )
        {
            if ( answered == FINISHED || slice_is_over(begin) )
                return;
            cpu_relax();
        }
        t2 = rdtsc_ordered();
        t1 = read_atomic(&exchange.peer_tsc);

        if ( !best->exchanges || (int64_t)(t1 - t2) > best->min_ticks )
            best->min_ticks = t1 - t2;
        if ( !best->exchanges || (int64_t)(t1 - t0) < best->max_ticks )
            best->max_ticks = t1 - t0;
        best->exchanges++;
    }
}

static void measure_slice(unsigned int cpu, struct strata_hv_pcpu_skew *best)
{
    exchange = (struct exchange){};
    smp_wmb();

    /* Returns when the peer is about to answer. */
    on_selected_cpus(cpumask_of(cpu), answer, NULL, 0);

    local_irq_disable();
    ask(best);
    write_atomic(&exchange.request, FINISHED);
    local_irq_enable();

    while ( read_atomic(&exchange.answer) != FINISHED )
        cpu_relax();
}

/* Keeps the result for strata_record_skew(). */
static void finish_peer(unsigned int cpu)
{
    measured[cpu] = progress.best;
    /* No answer in time: there is no result to record. */
    if ( progress.best.exchanges )
        strata_record_own(STRATA_HV_PCPU_SKEW, &progress.best,
                          sizeof(progress.best));
}

static void begin_peer(unsigned int cpu)
{
    progress.cpu = cpu;
    progress.slices = 0;
    progress.best = (struct strata_hv_pcpu_skew){
        .pcpu      = cpu,
        .reference = progress.reference,
    };
}

/* All CPUs are measured against one reference: restarts if the caller has
 * moved. */
int strata_measure_skew(unsigned int channel)
{
    unsigned int here = smp_processor_id();

    /*
     * Two callers on two CPUs would make each other restart for ever.  A channel
     * that was destroyed meanwhile does not finish its measurement.
     */
    if ( progress.under_way && progress.channel != channel &&
         strata_channel_started(&strata_channels[progress.channel]) )
        return -ERESTART;

    if ( !progress.under_way || progress.channel != channel ||
         progress.reference != here )
    {
        progress.under_way = true;
        progress.channel = channel;
        progress.reference = here;
        measured[here] = (struct strata_hv_pcpu_skew){
            .pcpu = here, .reference = here };
        begin_peer(cpumask_first(&cpu_online_map));
    }

    for ( ; progress.cpu < nr_cpu_ids;
          begin_peer(cpumask_next(progress.cpu, &cpu_online_map)) )
    {
        if ( progress.cpu == here || !cpu_online(progress.cpu) )
            continue;
        while ( progress.best.exchanges < EXCHANGES &&
                progress.slices++ < SLICES_MAX )
        {
            measure_slice(progress.cpu, &progress.best);
            if ( hypercall_preempt_check() )
                return -ERESTART;
        }
        finish_peer(progress.cpu);
    }
    progress.under_way = false;

    return 0;
}

bool strata_record_skew(void)
{
    unsigned int cpu, reference = nr_cpu_ids;

    /* Only results of one measurement can be combined. */
    for_each_online_cpu ( cpu )
    {
        if ( !measured[cpu].exchanges && measured[cpu].reference != cpu )
            return false;
        if ( reference != nr_cpu_ids && measured[cpu].reference != reference )
            return false;
        reference = measured[cpu].reference;
    }

    for_each_online_cpu ( cpu )
        if ( measured[cpu].exchanges )
            strata_record_own(STRATA_HV_PCPU_SKEW, &measured[cpu],
                              sizeof(measured[cpu]));

    return true;
}

/* No CPU is its own reference but by a measurement. */
void strata_forget_skew(unsigned int cpu)
{
    measured[cpu] = (struct strata_hv_pcpu_skew){ .reference = nr_cpu_ids };
}

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
