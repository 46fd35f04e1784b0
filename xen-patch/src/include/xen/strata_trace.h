/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xen/strata_trace.h - what trace points call while Strata records; for
 * xen/trace.h.
 */

#ifndef __XEN_STRATA_TRACE_H__
#define __XEN_STRATA_TRACE_H__

#include <xen/types.h>

#ifdef CONFIG_STRATA

/*
 * Records one trace point.
 * @event: as for __trace_var()
 * @bytes: of @data; what is beyond TRACE_EXTRA_MAX words is left out
 * Any context, NMI included: takes no lock, leaves interrupts alone, never
 * faults and wakes nothing.
 */
void strata_record(uint32_t event, unsigned int bytes, const void *data);

/* The same with a number of words that is known when Xen is built. */
void strata_record_1(uint32_t event, const void *data);
void strata_record_2(uint32_t event, const void *data);
void strata_record_3(uint32_t event, const void *data);
void strata_record_4(uint32_t event, const void *data);
void strata_record_5(uint32_t event, const void *data);
void strata_record_6(uint32_t event, const void *data);

/* Calls one of these. */
static always_inline void strata_trace(uint32_t event, unsigned int bytes,
                                       const void *data)
{
    switch ( __builtin_constant_p(bytes) ? bytes : 0 )
    {
    case 4:
        strata_record_1(event, data);
        break;
    case 8:
        strata_record_2(event, data);
        break;
    case 12:
        strata_record_3(event, data);
        break;
    case 16:
        strata_record_4(event, data);
        break;
    case 20:
        strata_record_5(event, data);
        break;
    case 24:
        strata_record_6(event, data);
        break;
    default:
        strata_record(event, bytes, data);
    }
}

#else /* CONFIG_STRATA */

static inline void strata_record(uint32_t event, unsigned int bytes,
                                 const void *data) {}
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
