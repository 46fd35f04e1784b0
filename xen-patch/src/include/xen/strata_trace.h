/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xen/strata_trace.h - what trace points call while Strata records; for
 * xen/trace.h.
 */

#ifndef __XEN_STRATA_TRACE_H__
#define __XEN_STRATA_TRACE_H__

#include <xen/types.h>

#include <public/trace.h>

#ifdef CONFIG_STRATA

/* Bits of an event that say its class, and what is below. */
#define STRATA_CLASSES      12
#define STRATA_CLASS_EVENTS (1u << TRC_CLS_SHIFT)

/*
 * The place of an event among all, which probes look up: a constant where the
 * event is one.  Those without a class come last.
 */
static always_inline unsigned long strata_event_index(uint32_t event)
{
    unsigned long classes = (event >> TRC_CLS_SHIFT) | (1u << STRATA_CLASSES);

    return (unsigned long)__builtin_ctzl(classes) * STRATA_CLASS_EVENTS +
           (event & (STRATA_CLASS_EVENTS - 1));
}

/* Whether an event is that of a VM exit or entry, whatever its flags. */
static always_inline bool strata_is_hvm(uint32_t event, uint32_t which)
{
    return (TRC_HD_TO_EVENT(event) & ~(TRC_64_FLAG | TRC_HVM_NESTEDFLAG)) ==
           which;
}

/*
 * Records one trace point that is no VM exit or entry.
 * @event: as for __trace_var()
 * @bytes: of @data; what is beyond TRACE_EXTRA_MAX words is left out
 * Any context, NMI included: takes no lock, leaves interrupts alone, never
 * faults and wakes nothing.
 */
void strata_record(uint32_t event, unsigned int bytes, const void *data);

/*
 * The same by number of words.
 * @id:    of the record: event and number of words
 * @index: strata_event_index() of the event
 */
void strata_record_0(uint32_t id, const void *data, unsigned long index);
void strata_record_1(uint32_t id, const void *data, unsigned long index);
void strata_record_2(uint32_t id, const void *data, unsigned long index);
void strata_record_3(uint32_t id, const void *data, unsigned long index);
void strata_record_4(uint32_t id, const void *data, unsigned long index);
void strata_record_5(uint32_t id, const void *data, unsigned long index);
void strata_record_6(uint32_t id, const void *data, unsigned long index);
void strata_record_7(uint32_t id, const void *data, unsigned long index);

/* Calls one of these; for events of 28 bits that are no VM exits or entries. */
static always_inline void strata_trace_at(uint32_t event, unsigned long index,
                                          unsigned int words, const void *data)
{
    uint32_t id = event | words << TRACE_EXTRA_SHIFT;

    switch ( words )
    {
    case 0:
        strata_record_0(id, data, index);
        break;
    case 1:
        strata_record_1(id, data, index);
        break;
    case 2:
        strata_record_2(id, data, index);
        break;
    case 3:
        strata_record_3(id, data, index);
        break;
    case 4:
        strata_record_4(id, data, index);
        break;
    case 5:
        strata_record_5(id, data, index);
        break;
    case 6:
        strata_record_6(id, data, index);
        break;
    case 7:
        strata_record_7(id, data, index);
        break;
    }
}

/*
 * The vCPU that runs leaves its guest, for that reason; or is about to enter it
 * again.  For the trace points of both, before and after they are recorded.
 */
void strata_vm_exit(uint32_t reason);
void strata_vm_entry(void);

/* Records one trace point: at most of them, Xen's compiler knows how. */
static always_inline void strata_trace(uint32_t event, unsigned int bytes,
                                       const void *data)
{
    if ( !__builtin_constant_p(bytes) || bytes % sizeof(uint32_t) ||
         bytes > TRACE_EXTRA_MAX * sizeof(uint32_t) )
    {
        strata_record(event, bytes, data);
        return;
    }
    if ( bytes && strata_is_hvm(event, TRC_HVM_VMEXIT) )
        strata_vm_exit(*(const uint32_t *)data);
    strata_trace_at(TRC_HD_TO_EVENT(event), strata_event_index(event),
                    bytes / sizeof(uint32_t), data);
    if ( strata_is_hvm(event, TRC_HVM_VMENTRY) )
        strata_vm_entry();
}

#else /* CONFIG_STRATA */

static inline unsigned long strata_event_index(uint32_t event)
{
    return 0;
}

static inline void strata_trace_at(uint32_t event, unsigned long index,
                                   unsigned int words, const void *data) {}
static inline void strata_trace(uint32_t event, unsigned int bytes,
                                const void *data) {}

#endif /* CONFIG_STRATA */

#endif /* __XEN_STRATA_TRACE_H__ */

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
