/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * synthetic.h - writes recordings for tests, byte by byte and without the
 * project's own writers, but for the metadata: a mistake in those cannot hide itself.
 *
 * A recording is built in memory (sources, streams, records), may be damaged,
 * and is then written to a new temporary directory.
 */
#ifndef STRATA_TESTS_SYNTHETIC_H
#define STRATA_TESTS_SYNTHETIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SYNTHETIC_TSC_KHZ      2400000u
#define SYNTHETIC_ANCHOR_TICKS 1000000000000ull
#define SYNTHETIC_ANCHOR_NS    1790000000000000000ull
#define SYNTHETIC_HEADER_BYTES 104u

/* Ids of the kernels' events in every synthetic recording. */
enum synthetic_kernel_event {
	SYNTHETIC_SWITCH, /* text prev_comm[16], s32 prev_pid, s32 prev_prio, s64 prev_state, text
			     next_comm[16], s32 next_pid, s32 next_prio */
	SYNTHETIC_WAKING, /* text comm[16], s32 pid, s32 prio, s32 target_cpu */
	SYNTHETIC_TIMER,  /* x64 hrtimer */
	SYNTHETIC_MARK,   /* u8 event: needs padding, and is a word of CTF's language */
	SYNTHETIC_OPEN,   /* s32 fd, string name, u16 sequence list, u8 flag, text sequence text */
	SYNTHETIC_SYS_ENTER, /* s64 id, x64 args[6] */
	SYNTHETIC_SYS_EXIT,  /* s64 id, s64 ret */
	SYNTHETIC_PROBE,     /* of group kprobes, named kvm_probe; it has no fields */
};

struct strata_event_desc;

/* Its description, as each kernel's metadata has it. */
const struct strata_event_desc *synthetic_kernel_event(enum synthetic_kernel_event id);

struct synthetic_stream {
	char source[32];
	unsigned int cpu;
	uint8_t uuid[16];
	uint8_t *bytes; /* of the file: closed packets, then the open one */
	size_t nr_bytes, capacity;
	size_t packet_start;
	bool open;
	uint64_t sequence;
	uint64_t lost;       /* goes into the packets closed from now on */
	uint64_t lost_after; /* only recording.json says so */
	uint64_t refused;    /* packets; likewise */
	uint64_t last_ticks;
	uint64_t packets;
	uint64_t events;
	size_t packet_bytes; /* a packet that reaches this is closed */
};

struct synthetic_source {
	char name[32];
	char layer[8];
	unsigned int domain;
	uint8_t uuid[16];
	bool migrates;
	uint64_t since_ticks;    /* 0: nothing is said of it */
	const char *domain_name; /* NULL: as name */
};

struct synthetic {
	char dir[64]; /* of the recording, once written */
	struct synthetic_source sources[8];
	unsigned int nr_sources;
	struct synthetic_stream streams[16];
	unsigned int nr_streams;
	uint64_t events;
	uint64_t ended_ticks; /* 0: nothing is said of it */
};

void synthetic_init(struct synthetic *rec);
void synthetic_free(struct synthetic *rec); /* removes the directory too */

/* @layer: "xen", "kernel" or "app" */
void synthetic_add_source(struct synthetic *rec, const char *name, const char *layer,
			  unsigned int domain);
struct synthetic_stream *synthetic_stream(struct synthetic *rec, const char *source,
					  unsigned int cpu);

/* Appends a record; @context and @payload as they stand in the ring. */
void synthetic_record(struct synthetic *rec, struct synthetic_stream *stream, uint64_t ticks,
		      uint32_t id, const void *context, size_t context_bytes, const void *payload,
		      size_t payload_bytes);
void synthetic_close_packet(struct synthetic_stream *stream);

/* The hypervisor: a vCPU changes state, the CPU being in @domain/@vcpu itself or not. */
void synthetic_runstate(struct synthetic *rec, unsigned int pcpu, uint64_t ticks,
			unsigned int domain, unsigned int vcpu, unsigned int before,
			unsigned int after);
void synthetic_vcpu_state(struct synthetic *rec, unsigned int pcpu, uint64_t ticks,
			  unsigned int domain, unsigned int vcpu, unsigned int runstate);

struct synthetic_clock {
	bool is_hvm;
	bool emulated;
	bool incomplete; /* it was set more often than Xen records */
	uint64_t offset;
	uint64_t ratio;
	unsigned int frac_bits; /* 0: one */
	/* Emulated: from the system time of synthetic_pcpu_clock(), by these. */
	uint32_t vtsc_mul_frac;
	int vtsc_shift;
	uint64_t vtsc_offset_ns;
};
void synthetic_vcpu_clock(struct synthetic *rec, unsigned int pcpu, uint64_t ticks,
			  unsigned int domain, unsigned int vcpu,
			  const struct synthetic_clock *clock);
/* System time as every CPU has it: 1 ns and 5/6 of one in turns for each two ticks at 2.4 GHz. */
void synthetic_pcpu_clock(struct synthetic *rec, unsigned int pcpu, uint64_t ticks);
void synthetic_skew(struct synthetic *rec, unsigned int pcpu, uint64_t ticks, unsigned int other,
		    int64_t min_ticks, int64_t max_ticks);
/* The current vCPU of @pcpu enters guest mode, or has left it. */
void synthetic_guest_mode(struct synthetic *rec, unsigned int pcpu, uint64_t ticks,
			  unsigned int domain, unsigned int vcpu, bool entry);
/* The current vCPU of @pcpu, of a PV guest, issues a hypercall, or it returns. */
void synthetic_hypercall(struct synthetic *rec, unsigned int pcpu, uint64_t ticks,
			 unsigned int domain, unsigned int vcpu, unsigned int op, bool issue);
uint64_t synthetic_guest_ticks(const struct synthetic_clock *clock, uint64_t host_ticks);

/* A kernel: @ticks are the guest's own. */
void synthetic_mark(struct synthetic *rec, const char *source, unsigned int cpu, uint64_t ticks,
		    unsigned int number);
/* @name: up to 64 bytes; the list is 1, 2, ... @count (up to 8), the flag 7, the text "free text"
 */
void synthetic_open(struct synthetic *rec, const char *source, unsigned int cpu, uint64_t ticks,
		    const char *name, unsigned int count);
void synthetic_waking(struct synthetic *rec, const char *source, unsigned int cpu, uint64_t ticks,
		      const char *comm, int tid);
void synthetic_switch(struct synthetic *rec, const char *source, unsigned int cpu, uint64_t ticks,
		      const char *comm, int tid);
/* From @ticks to @ticks + 20; it returns 3. */
void synthetic_syscall(struct synthetic *rec, const char *source, unsigned int cpu, uint64_t ticks,
		       int number);
void synthetic_probe(struct synthetic *rec, const char *source, unsigned int cpu, uint64_t ticks);
void synthetic_timer(struct synthetic *rec, const char *source, unsigned int cpu, uint64_t ticks);

/* An application of dom0, which is PV. */
void synthetic_app_mark(struct synthetic *rec, const char *source, unsigned int cpu, uint64_t ticks,
			unsigned int number);

/*
 * A whole host: two physical CPUs, dom0 (PV) on the second, guests g1 (PVH, with
 * @clock) and g2 (PVH, offset) that share the first in turns.  In each turn g1
 * is woken while g2 runs, waits, runs, and has its task "sleeper" (tid 100) run.
 * Every event is @slack_before ticks or more after its vCPU began to run, and
 * @slack_after or more before it stopped; each is met at least once.
 */
struct synthetic_host {
	unsigned int turns;
	unsigned int marks; /* events more in each turn, for size */
	uint64_t slack_before;
	uint64_t slack_after;
	struct synthetic_clock clock;
};
void synthetic_build_host(struct synthetic *rec, const struct synthetic_host *host);

/* Writes it to a new directory below /tmp, rec->dir. */
void synthetic_write(struct synthetic *rec);

#endif /* STRATA_TESTS_SYNTHETIC_H */
