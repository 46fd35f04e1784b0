/* SPDX-License-Identifier: MIT */
/*
 * hypervisor.h - the contract between a Xen with Strata and dom0: one sysctl
 * command, and the records that only the hypervisor writes.
 *
 * The sysctl interface version of Xen stays the same: a Xen without Strata answers
 * ENOSYS to the command, and every tool that was built for that version continues to
 * work.  This header has its own version, sent in each call.
 */
#ifndef STRATA_ABI_HYPERVISOR_H
#define STRATA_ABI_HYPERVISOR_H

#include <strata/abi/aggregate.h>
#include <strata/platform/types.h>
#include <strata/switch_period.h>

#ifndef STRATA_HV_ABI_VERSION /* a test builds a tool of another version */
#define STRATA_HV_ABI_VERSION 7u
#endif

/* The sysctl command; outside the range of Xen's own numbers. */
#define XEN_SYSCTL_strata_op 0x53740001u

/*
 * Channels, which are numbered from 0.  Each has rings, a selection, budgets, a period and an owner
 * of its own, and one reader: what is done to one does not disturb another.  An event goes to every
 * channel that selects it.  The hypervisor's own records of clocks and vCPUs go to every channel
 * that is started, whichever channel they are requested for.
 */
#define STRATA_HV_CHANNELS 8u

#define STRATA_HV_OWNER_BYTES     48u
#define STRATA_HV_FRAMES_PER_CALL 12u
#define STRATA_HV_RULES_PER_CALL  8u

/*
 * Sub-operations, each on one channel.  Errors common to all: EPERM (no right), EOPNOTSUPP
 * (abi_version differs; the answer holds the hypervisor's own), EINVAL (no such operation or
 * channel, an unknown flag, or a reserved field that is not 0).  A long operation is preemptible
 * and continues automatically.
 */
enum strata_hv_operation {
	STRATA_HV_QUERY = 1, /* u.query */
	/* Creates the rings of all CPUs. EBUSY: they exist; u.create.owner names the owner. ENOMEM.
	   Others: there is no event channel left.  A CPU that is added to the host later gets its
	   ring before it runs; see nr_rings. */
	STRATA_HV_CREATE = 2,
	/* Opens the gate for the selected events.  ENOENT: no rings.  EINVAL: u.start.switch_ms is
	 * beyond its limits.  EBUSY: another caller is destroying them. */
	STRATA_HV_START = 3,
	/* Returns when no probe writes any more and every CPU has flushed its ring.  ENOENT. */
	STRATA_HV_STOP = 4,
	/* The frames of one ring, a few per call: index 0 is the writer area, then the data.
	 * ENOENT: no rings, or none for that CPU.  EINVAL: `first` lies beyond the ring. */
	STRATA_HV_FRAMES = 5,
	/* Finds the next sub-buffer to read of one ring; in overwrite mode, takes it out.  EAGAIN:
	 * none is ready. ENOENT. */
	STRATA_HV_GET = 6,
	/* Releases it. EINVAL: u.subbuf.position is not the next one, or it is not ready.
	 * ENOENT. */
	STRATA_HV_PUT = 7,
	/* Stops, and frees the rings; frames that are still mapped stay until they are unmapped. */
	STRATA_HV_DESTROY = 8,
	/* During a recording: records every clock and every vCPU's state once more, and has each
	 * CPU hand over its records.  A CPU in which a probe is under way is asked a few times,
	 * then skipped.  ENOENT. */
	STRATA_HV_FLUSH = 9,
	/* Selects what is recorded, also during a recording: see struct strata_hv_rule.  ENOENT: no
	 * rings, or rules without a draft.  ENOMEM.  E2BIG: too many rules for vCPUs.  EINVAL: no
	 * such rule. */
	STRATA_HV_SELECT = 10,
	/* Creates the tables of a channel that counts events and records none (abi/aggregate.h); it
	 * has no rings.  START, STOP, SELECT and DESTROY are as for others, without budgets.
	 * EBUSY: as CREATE.  EINVAL: no such specification.  ENOMEM.
	 *
	 * With STRATA_HV_RENEW: gives a channel that has tables new ones, with all rows free, and
	 * maybe another number of them; the channel counts on, and misses no event.  The previous
	 * tables do not change any more, and can be read until the next such call.
	 * u.aggregate.owner is ignored.  ENOENT: no tables.  EINVAL: a specification that differs
	 * in more than row_bits.  ENOMEM: nothing has changed. */
	STRATA_HV_AGGREGATE = 11,
	/* Reads rows of the tables, each the sum of all CPUs, in any order.  Also while it counts:
	 * then of an event that happens just now, parts may be missing.  ENOENT: no tables, or none
	 * of before.
	 * EFAULT: u.read.buffer.  EINVAL: there is no row u.read.first. */
	STRATA_HV_READ = 12,
};

/* For u.create.flags: a full ring overwrites its oldest sub-buffer. */
#define STRATA_HV_OVERWRITE 1u

/* In u.query.flags: the channel has tables, and no rings. */
#define STRATA_HV_AGGREGATES 2u

/* For u.aggregate.flags. */
#define STRATA_HV_RENEW 1u

/* For u.read.flags: of the tables that the last STRATA_HV_RENEW has replaced. */
#define STRATA_HV_READ_PREVIOUS 1u

#define STRATA_HV_READ_OTHERS 6u /* of enum strata_aggregate_other */

/*
 * A selection is built in a draft, a few rules per call, and then takes effect as a
 * whole.  A draft begins with no event and every domain.  Rules apply in their order:
 * later ones override.
 *
 * An event is judged by its id and by the domain and vCPU that run on the CPU.  Rules for domains
 * and vCPUs, and budgets, cannot exclude two kinds of events, because they prove the order of a
 * timeline: the hypervisor's own records (STRATA_HV_ID_OWN), which no rule covers at all, and
 * changes of a vCPU's runstate, which only a rule for events can exclude.
 */
enum strata_hv_rule_kind {
	STRATA_HV_RULE_EVENTS = 1, /* each of Xen's own events with (event & b) == a */
	/* each domain with a <= id <= b; 0x7fff: the idle vCPUs.  Overrules rules for its vCPUs. */
	STRATA_HV_RULE_DOMAINS = 2,
	STRATA_HV_RULE_VCPUS = 3, /* each vCPU with a <= (domain << 16 | vCPU) <= b */
};

#define STRATA_HV_VCPU_RULES_MAX 16u /* in one selection */

struct strata_hv_rule {
	uint16_t kind;
	uint16_t recorded; /* 1: is to be recorded, 0: is not */
	uint32_t a;
	uint32_t b;
};

/* Flags of STRATA_HV_SELECT. */
#define STRATA_HV_SELECT_BEGIN 1u /* first: throw an unfinished draft away, begin a new one */
#define STRATA_HV_SELECT_APPLY 2u /* last: the draft takes effect; every probe has seen it */

/*
 * A domain's budget is for each physical CPU and refills in windows of this length, as a whole; so
 * within one window up to two budgets can be recorded.  A second budget of the same size
 * covers interrupts that arrive while the domain runs. dom0 and the idle vCPUs have no
 * limit.
 */
#define STRATA_HV_BUDGET_WINDOW_MS 50u

enum strata_hv_state {
	STRATA_HV_IDLE = 0, /* no rings */
	STRATA_HV_STOPPED = 1,
	STRATA_HV_STARTED = 2,
};

struct strata_hv_op {
	uint32_t operation;
	uint32_t abi_version;
	uint32_t channel; /* IN: below STRATA_HV_CHANNELS */
	uint32_t reserved;
	union {
		struct {
			uint32_t state;
			uint32_t nr_cpus; /* rings are numbered 0 .. nr_cpus - 1 by physical CPU */
			uint32_t subbuf_bits;
			uint32_t nr_subbufs_bits;
			uint32_t tsc_khz;
			/* A port of the hardware domain, which its reader binds to a port of its
			 * own (EVTCHNOP_bind_interdomain): "a sub-buffer became ready".  0: there
			 * are no rings. */
			uint32_t port;
			uint32_t flags; /* as the rings were made */
			/* CPUs with a ring. The number grows when a CPU is added to the host. */
			uint32_t nr_rings;
			/* Events of CPUs without a ring, for which Xen had no memory. */
			uint64_t unringed;
			uint64_t refused; /* total of events over their domains' budgets */
			char owner[STRATA_HV_OWNER_BYTES];
		} query; /* OUT */
		struct {
			uint32_t subbuf_bits;     /* IN */
			uint32_t nr_subbufs_bits; /* IN */
			uint32_t flags;           /* IN: STRATA_HV_OVERWRITE or 0 */
			uint32_t reserved;
			char owner[STRATA_HV_OWNER_BYTES]; /* IN; on EBUSY OUT */
		} create;
		struct {
			/* IN: period in which a CPU that is awake hands over its records, if the
			 * reader has nothing else to read from it; 0: never.  In the limits of
			 * strata/switch_period.h. */
			uint32_t switch_ms;
			uint32_t reserved;
		} start;
		struct {
			uint32_t flags; /* IN */
			uint32_t nr;    /* IN: of rules[] */
			/* IN, with APPLY: records a second, of one domain on one CPU; 0: no
			 * bound */
			uint32_t budget_per_s;
			/* IN: 0.  The hypervisor's own number while it continues a long call. */
			uint32_t continued;
			struct strata_hv_rule rules[STRATA_HV_RULES_PER_CALL]; /* IN */
		} select;
		struct {
			uint32_t cpu;   /* IN */
			uint32_t first; /* IN: index of the first frame wanted */
			uint32_t nr;    /* OUT: entries of mfn[] that are set */
			uint32_t total; /* OUT: frames of the whole ring */
			uint64_t mfn[STRATA_HV_FRAMES_PER_CALL];
		} frames;
		struct {
			uint32_t cpu;      /* IN */
			uint32_t page;     /* GET: OUT, of the ring's data, in sub-buffers */
			uint64_t position; /* GET: OUT, PUT: IN; start of the sub-buffer */
		} subbuf;
		struct {
			struct strata_aggregate_spec spec; /* IN */
			uint32_t flags;                    /* IN: STRATA_HV_RENEW or 0 */
			char owner[STRATA_HV_OWNER_BYTES]; /* IN; on EBUSY OUT */
		} aggregate;
		struct {
			/* IN: address of memory of the caller's, which gets rows: each a key of 64
			 * bits, and the words of a row */
			uint64_t buffer;
			uint32_t room;  /* IN: rows that the buffer holds */
			uint32_t first; /* IN: the first row wanted, free ones included */
			uint32_t nr;    /* OUT: rows in the buffer, which are not free */
			uint32_t next;  /* OUT: the next one to ask for; at the end, their number */
			uint64_t ticks; /* OUT: the time of the answer */
			uint64_t others[STRATA_HV_READ_OTHERS]; /* OUT */
			uint32_t flags; /* IN: STRATA_HV_READ_PREVIOUS or 0 */
			uint32_t reserved;
		} read;
	} u;
};

/*
 * Records of the hypervisor.  Each payload begins with the context: the domain and vCPU
 * that ran on this CPU.  Then, for one of Xen's own trace points, its 32-bit words (the
 * id gives their number); for one of Strata's own events, a structure of those below.
 */
struct strata_hv_context {
	uint16_t domain; /* DOMID_IDLE, 0x7fff, for the idle vCPUs */
	uint16_t vcpu;
};

#define STRATA_HV_ID_OWN         0x80000000u /* set: one of Strata's own events */
#define STRATA_HV_ID_TRACE       0x0fffffffu /* else: Xen's 28-bit event ... */
#define STRATA_HV_ID_WORDS_SHIFT 28u         /* ... and how many words follow, 0 .. 7 */

/* Events that guests write by hypercall, with numbers of their own choice: channels that count have
 * one key for all of a domain, STRATA_HV_ID_GUEST. */
#define STRATA_HV_ID_GUEST       0x0800f000u
#define STRATA_HV_ID_GUEST_CLASS 0x08000000u

enum strata_hv_own_event {
	STRATA_HV_PCPU_CLOCK = (int)(STRATA_HV_ID_OWN | 1u),
	STRATA_HV_VCPU_CLOCK = (int)(STRATA_HV_ID_OWN | 2u),
	STRATA_HV_VCPU_STATE = (int)(STRATA_HV_ID_OWN | 3u),
	STRATA_HV_PCPU_SKEW = (int)(STRATA_HV_ID_OWN | 4u),
	STRATA_HV_BUDGET = (int)(STRATA_HV_ID_OWN | 8u),
	STRATA_HV_SELECTION = (int)(STRATA_HV_ID_OWN | 9u),
};

/*
 * How this CPU's TSC gives Xen's system time: at start and at each calibration.  Holds from the
 * record's own time on, not from local_tsc: until then Xen uses the map before it.
 */
struct strata_hv_pcpu_clock {
	uint32_t pcpu;
	uint32_t mul_frac; /* ns = ((tsc - local_tsc) shifted left by shift) * mul_frac >> 32 */
	int32_t shift;
	uint32_t tsc_khz;
	uint64_t local_tsc;
	uint64_t local_stime_ns;
	uint64_t master_stime_ns;
} __attribute__((packed, aligned(4)));

/*
 * How a vCPU's TSC follows from the host's: at start for every vCPU, and on each change.
 *
 * A guest can change its TSC as often as it likes.  After STRATA_HV_VCPU_CLOCKS_PER_WINDOW changes
 * of one vCPU in a budget window (STRATA_HV_BUDGET_WINDOW_MS), the next one is recorded as
 * incomplete: from that record until the next one of this vCPU, its TSC may follow other maps,
 * which are not recorded.  The current map is recorded again in a later window, usually the next.
 */
struct strata_hv_vcpu_clock {
	uint16_t domain;
	uint16_t vcpu;
	uint8_t tsc_mode;        /* Xen's tsc_mode of the domain */
	uint8_t emulated;        /* 1: RDTSC traps and answers from Xen's system time */
	uint8_t ratio_frac_bits; /* 0: the ratio is one */
	uint8_t is_hvm;  /* 1: HVM or PVH: offset (and ratio) apply; 0: PV, without offset */
	uint64_t offset; /* native: guest = (host * ratio >> ratio_frac_bits) + offset */
	uint64_t ratio;
	uint32_t guest_khz;
	uint32_t incarnation;
	/* emulated: guest = scale(system time - vtsc_offset_ns) + offset, scaled by these two as in
	 * pcpu_clock.  Each answer is above the last one that any vCPU of the domain got:
	 * if system time is not, the answer is 1 ns above the last one, which is
	 * vtsc_last_ns now. */
	uint32_t vtsc_mul_frac;
	int32_t vtsc_shift;
	uint64_t vtsc_offset_ns;
	uint64_t vtsc_last_ns; /* system time */
	uint32_t incomplete;   /* 1: changes from here on to the next record are not recorded */
	uint32_t suppressed;   /* changes that were not recorded since the last record */
} __attribute__((packed, aligned(4)));

#define STRATA_HV_VCPU_CLOCKS_PER_WINDOW 4u

/* What every vCPU was doing when recording started, in channels that record changes of runstates.
 * runstate: Xen's RUNSTATE_*, 0 is running. */
struct strata_hv_vcpu_state {
	uint16_t domain;
	uint16_t vcpu;
	uint16_t pcpu;
	uint16_t runstate;
};

/*
 * Events of a domain were discarded on a CPU because it had used up its budget.  Recorded at the
 * first one in a window, before anything is missing; then when the budget was refilled, at the
 * latest at the calibration, at stop and at the domain's end.  The totals of a domain's CPUs add up
 * to all of its discarded events since its rings were made.
 *
 * budget_per_s 0: Xen has no memory for the domain's counters, so it records only changes
 * of its runstates.  It tries again at each STRATA_HV_FLUSH.
 */
struct strata_hv_budget {
	uint16_t domain;
	uint16_t pcpu; /* where events were refused; may differ from where this is recorded */
	uint32_t budget_per_s;
	uint64_t refused; /* since the last such record of this domain and CPU */
	uint64_t refused_total;
} __attribute__((packed, aligned(4)));

/* How far a CPU's TSC is from another's, as measured at start and at stop, and recorded again at
 * each STRATA_HV_FLUSH: pcpu's reading less the reference's, at one instant, is at least min_ticks
 * and at most max_ticks. */
struct strata_hv_pcpu_skew {
	uint32_t pcpu;
	uint32_t reference;
	int64_t min_ticks;
	int64_t max_ticks;
	uint32_t exchanges; /* number of measurements, of which min and max are the best */
	uint32_t reserved;
} __attribute__((packed, aligned(4)));

/*
 * The selection changes during a recording: recorded on each CPU once before any probe uses the new
 * selection and once when every probe does.  In between, and for events that the new one excludes,
 * events may be missing.
 */
struct strata_hv_selection {
	uint32_t changed; /* 0: is about to change, 1: has changed */
};

#endif /* STRATA_ABI_HYPERVISOR_H */
