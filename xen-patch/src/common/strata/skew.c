/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * skew.c - measures by how much the TSCs of the CPUs differ, when recording
 * starts and when it stops, and records the bounds that were found.
 *
 * One CPU, the reference, asks and every other one answers in its turn:
 *
 *     reference   t0 = TSC, request ------.            .----> t2 = TSC
 *     peer                                 `-> t1 = TSC, answer
 *
 * t1 was read after t0 and before t2, so the peer's TSC less the reference's
 * lies in [t1 - t2, t1 - t0].  No assumption is made on how long either way
 * takes: every exchange gives a bound that holds, and the best ones are kept.
 * Both sides have interrupts off; a hypervisor below us may stop either for a
 * while, which costs that one exchange its worth.
 */

#include <xen/cpumask.h>
#include <xen/lib.h>
#include <xen/smp.h>
#include <xen/time.h>

#include <asm/msr.h>

#include "private.h"

/*
 * So many exchanges for each CPU.  One takes less than a microsecond, unless a
 * hypervisor below us has stopped the peer: then it is waited for, as both are
 * likely to run when it answers, and the exchanges after that one are good.
 */
#define EXCHANGES   64
#define WAIT_MS     20 /* for one answer */
#define WAIT_ALL_MS 60

#define FINISHED     (~0u)

/* One cache line goes back and forth.  Under the sysctl lock, as START and STOP are. */
static struct exchange {
    uint32_t request;  /* the reference's: number of the exchange, or FINISHED */
    uint32_t answer;   /* the peer's: the number again, or FINISHED */
    uint64_t peer_tsc; /* the peer's: valid when it has answered */
} exchange __cacheline_aligned;

/*
 * On the peer, interrupts off.  Waits for no more than the reference, which
 * has interrupts off likewise and a limit.  The load of the request is ordered
 * before the TSC by rdtsc_ordered(), the TSC before the answer as x86 keeps
 * stores in order.
 */
static void cf_check answer(void *unused)
{
    uint32_t answered = 0, request;

    while ( (request = read_atomic(&exchange.request)) != FINISHED )
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

/* On the reference, interrupts off: the best bounds of many exchanges. */
static void ask(struct strata_hv_pcpu_skew *skew)
{
    uint64_t begin = rdtsc_ordered();
    uint32_t number;

    for ( number = 1; number <= EXCHANGES; number++ )
    {
        uint64_t t0 = rdtsc_ordered(), t1, t2;

        write_atomic(&exchange.request, number);
        while ( read_atomic(&exchange.answer) != number )
        {
            uint64_t now = rdtsc_ordered();

            if ( now - t0 > (uint64_t)cpu_khz * WAIT_MS ||
                 now - begin > (uint64_t)cpu_khz * WAIT_ALL_MS )
                return;
            cpu_relax();
        }
        t2 = rdtsc_ordered();
        t1 = read_atomic(&exchange.peer_tsc);

        if ( number == 1 || (int64_t)(t1 - t2) > skew->min_ticks )
            skew->min_ticks = t1 - t2;
        if ( number == 1 || (int64_t)(t1 - t0) < skew->max_ticks )
            skew->max_ticks = t1 - t0;
        skew->exchanges = number;
    }
}

static void measure(unsigned int cpu)
{
    struct strata_hv_pcpu_skew skew = {
        .pcpu      = cpu,
        .reference = smp_processor_id(),
    };

    exchange = (struct exchange){};
    smp_wmb();

    /* Returns when the peer is about to answer. */
    on_selected_cpus(cpumask_of(cpu), answer, NULL, 0);

    local_irq_disable();
    ask(&skew);
    write_atomic(&exchange.request, FINISHED);
    local_irq_enable();

    while ( read_atomic(&exchange.answer) != FINISHED )
        cpu_relax();

    /* Not one answer in time: nothing is known, and nothing is said. */
    if ( skew.exchanges )
        strata_record_own(STRATA_HV_PCPU_SKEW, &skew, sizeof(skew));
}

void strata_measure_skew(void)
{
    unsigned int cpu;

    for_each_online_cpu ( cpu )
        if ( cpu != smp_processor_id() )
            measure(cpu);
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
