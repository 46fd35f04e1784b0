/* SPDX-License-Identifier: MIT */
/*
 * flood.h - additional operations of a hypervisor built for tests
 * (STRATA_TEST): it floods its CPUs with NMIs, each of which records a
 * checksum.  The contract with the tests' tools; a hypervisor for users answers
 * EINVAL.
 */

#ifndef STRATA_FLOOD_H
#define STRATA_FLOOD_H

#include <strata/platform/platform.h>

/* Sub-operations of XEN_SYSCTL_strata_op, far from those for users. */
enum strata_flood_operation {
    /* Begins a flood.  EBUSY: one is under way. */
    STRATA_FLOOD_START = 0x100,
    /* Ends it; returns when each NMI that was sent has been handled. */
    STRATA_FLOOD_STOP = 0x101,
    /* One CPU's counts, since boot.  ENOENT: no such CPU. */
    STRATA_FLOOD_QUERY = 0x102,
};

/*
 * Wrong on purpose: a record is stamped again after its reserve, when the NMI
 * in between has recorded itself.
 */
#define STRATA_FLOOD_STAMP_LATE 1u
/* Wrong on purpose: each NMI calls xentrace's __trace_var(), which takes a lock. */
#define STRATA_FLOOD_XENTRACE   2u

/* It begins as struct strata_hv_op does. */
struct strata_flood_op {
    uint32_t operation;
    uint32_t abi_version;
    uint32_t channel;  /* IN: 0 */
    uint32_t reserved; /* IN: 0 */
    /* START: IN */
    uint32_t flags;
    uint32_t period_us; /* of the NMIs from each CPU to the next; 0: no NMIs */
    uint32_t every;     /* one of this many records of a CPU gets an NMI between
                           its reserve and its commit; 0: no record does */
    /* QUERY */
    uint32_t cpu;        /* IN */
    uint64_t nmis;       /* OUT, all others too: Xen's own count of NMIs */
    uint64_t between;    /* NMIs that found a record reserved and not committed */
    uint64_t lost_nmi;   /* records discarded: of the trace point for NMIs */
    uint64_t lost_check; /* the same: struct strata_flood_record */
    uint64_t lost_other; /* the same: all others */
};

/*
 * Each NMI records this before the trace point for NMIs; to the recorder it is
 * an event of Xen's, in the trace point's class.
 */
#define STRATA_FLOOD_EVENT 0x00804002u

struct strata_flood_record {
    uint32_t number; /* of this NMI, by Xen's own count on this CPU */
    uint32_t cpu;
    uint32_t between; /* 1: a record was reserved and not committed */
    uint32_t ip[2];   /* where the NMI hit; low half first */
    uint32_t pattern; /* bits that differ from one NMI to the next */
    uint32_t check;   /* strata_flood_check() of the others */
};

/* A checksum over a record (FNV-1a, by words). */
static inline uint32_t strata_flood_check(const struct strata_flood_record *record)
{
    const uint32_t words[] = {
        record->number, record->cpu, record->between,
        record->ip[0], record->ip[1], record->pattern,
    };
    uint32_t check = 0x811c9dc5u;
    unsigned int i;

    for ( i = 0; i < sizeof(words) / sizeof(words[0]); i++ )
        check = (check ^ words[i]) * 0x01000193u;

    return check;
}

#endif /* STRATA_FLOOD_H */

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
