// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * synthetic.c - builds the packets and records of a recording in memory; see synthetic.h.  Layouts
 * are written down here a second time, as offsets: that is the point of it.
 */
#include "synthetic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DOMAIN_XEN  0x7ff2u
#define DOMAIN_IDLE 0x7fffu
#define RUNNING     0u
#define RUNNABLE    1u
#define BLOCKED     2u

static void die(const char *what)
{
	perror(what);
	abort();
}

void synthetic_init(struct synthetic *rec)
{
	memset(rec, 0, sizeof(*rec));
}

void synthetic_free(struct synthetic *rec)
{
	char command[128];
	unsigned int i;

	for (i = 0; i < rec->nr_streams; i++)
		free(rec->streams[i].bytes);
	if (rec->dir[0]) {
		snprintf(command, sizeof(command), "rm -rf '%s'", rec->dir);
		if (system(command))
			die(command);
	}
	memset(rec, 0, sizeof(*rec));
}

void synthetic_add_source(struct synthetic *rec, const char *name, const char *layer,
			  unsigned int domain)
{
	struct synthetic_source *source = &rec->sources[rec->nr_sources];
	unsigned int i;

	snprintf(source->name, sizeof(source->name), "%s", name);
	snprintf(source->layer, sizeof(source->layer), "%s", layer);
	source->domain = domain;
	for (i = 0; i < 16; i++)
		source->uuid[i] = (uint8_t)(0x11 * (rec->nr_sources + 1) + i);
	rec->nr_sources++;
}

struct synthetic_stream *synthetic_stream(struct synthetic *rec, const char *source,
					  unsigned int cpu)
{
	struct synthetic_stream *stream;
	unsigned int i;

	for (i = 0; i < rec->nr_streams; i++) {
		stream = &rec->streams[i];
		if (strcmp(stream->source, source) == 0 && stream->cpu == cpu)
			return stream;
	}
	stream = &rec->streams[rec->nr_streams++];
	snprintf(stream->source, sizeof(stream->source), "%s", source);
	stream->cpu = cpu;
	stream->packet_bytes = 4096;
	for (i = 0; i < rec->nr_sources; i++) {
		if (strcmp(rec->sources[i].name, source) == 0)
			memcpy(stream->uuid, rec->sources[i].uuid, 16);
	}
	return stream;
}

static uint8_t *append(struct synthetic_stream *stream, size_t bytes)
{
	if (stream->nr_bytes + bytes > stream->capacity) {
		stream->capacity = (stream->nr_bytes + bytes) * 2 + 4096;
		stream->bytes = realloc(stream->bytes, stream->capacity);
		if (!stream->bytes)
			die("realloc");
	}
	memset(stream->bytes + stream->nr_bytes, 0, bytes);
	stream->nr_bytes += bytes;
	return stream->bytes + stream->nr_bytes - bytes;
}

static void put32(uint8_t *at, uint32_t value)
{
	memcpy(at, &value, sizeof(value));
}

static void put64(uint8_t *at, uint64_t value)
{
	memcpy(at, &value, sizeof(value));
}

static void open_packet(struct synthetic_stream *stream, uint64_t ticks)
{
	uint8_t *header;

	stream->packet_start = stream->nr_bytes;
	stream->open = true;
	header = append(stream, SYNTHETIC_HEADER_BYTES);
	put32(header + 0, 0xC1FC1FC1u);
	memcpy(header + 4, stream->uuid, 16);
	put64(header + 24, ticks);
	put32(header + 96, stream->cpu);
}

void synthetic_close_packet(struct synthetic_stream *stream)
{
	size_t content, padding;
	uint8_t *header;

	if (!stream->open)
		return;
	content = stream->nr_bytes - stream->packet_start;
	padding = content < stream->packet_bytes ? stream->packet_bytes - content : 0;
	append(stream, padding);
	header = stream->bytes + stream->packet_start;
	put64(header + 32, stream->last_ticks);
	put64(header + 40, content * 8);
	put64(header + 48, (content + padding) * 8);
	put64(header + 56, stream->sequence++);
	put64(header + 64, stream->lost);
	put64(header + 72, stream->lost);
	stream->open = false;
	stream->packets++;
}

void synthetic_record(struct synthetic *rec, struct synthetic_stream *stream, uint64_t ticks,
		      uint32_t id, const void *context, size_t context_bytes, const void *payload,
		      size_t payload_bytes)
{
	size_t bytes = 12 + context_bytes + payload_bytes;
	uint8_t *at;

	/* Records begin on a multiple of 4; content ends where the last one does. */
	if (stream->open &&
	    (stream->nr_bytes - stream->packet_start + 3) / 4 * 4 + bytes > stream->packet_bytes)
		synthetic_close_packet(stream);
	if (!stream->open)
		open_packet(stream, ticks);
	append(stream, -stream->nr_bytes & 3);
	at = append(stream, bytes);
	put32(at, id);
	put64(at + 4, ticks);
	memcpy(at + 12, context, context_bytes);
	if (payload_bytes)
		memcpy(at + 12 + context_bytes, payload, payload_bytes);
	stream->last_ticks = ticks;
	stream->events++;
	rec->events++;
}

static void xen_record(struct synthetic *rec, unsigned int pcpu, uint64_t ticks, uint32_t id,
		       const void *payload, size_t bytes)
{
	const uint16_t context[2] = { DOMAIN_IDLE, (uint16_t)pcpu };

	synthetic_record(rec, synthetic_stream(rec, "xen", pcpu), ticks, id, context,
			 sizeof(context), payload, bytes);
}

void synthetic_runstate(struct synthetic *rec, unsigned int pcpu, uint64_t ticks,
			unsigned int domain, unsigned int vcpu, unsigned int before,
			unsigned int after)
{
	const uint16_t payload[2] = { (uint16_t)vcpu, (uint16_t)domain };

	xen_record(rec, pcpu, ticks, 0x10021001u | before << 8 | after << 4, payload,
		   sizeof(payload));
}

void synthetic_vcpu_state(struct synthetic *rec, unsigned int pcpu, uint64_t ticks,
			  unsigned int domain, unsigned int vcpu, unsigned int runstate)
{
	const uint16_t payload[4] = { (uint16_t)domain, (uint16_t)vcpu, (uint16_t)pcpu,
				      (uint16_t)runstate };

	xen_record(rec, pcpu, ticks, 0x80000003u, payload, sizeof(payload));
}

void synthetic_vcpu_clock(struct synthetic *rec, unsigned int pcpu, uint64_t ticks,
			  unsigned int domain, unsigned int vcpu,
			  const struct synthetic_clock *clock)
{
	uint8_t payload[64] = { 0 };
	const uint16_t who[2] = { (uint16_t)domain, (uint16_t)vcpu };

	memcpy(payload, who, sizeof(who));
	payload[5] = clock->emulated;
	payload[6] = (uint8_t)clock->frac_bits;
	payload[7] = clock->is_hvm;
	put64(payload + 8, clock->offset);
	put64(payload + 16, clock->ratio);
	put32(payload + 24, SYNTHETIC_TSC_KHZ);
	put32(payload + 32, clock->vtsc_mul_frac);
	put32(payload + 36, (uint32_t)clock->vtsc_shift);
	put64(payload + 40, clock->vtsc_offset_ns);
	put32(payload + 56, clock->incomplete);
	xen_record(rec, pcpu, ticks, 0x80000002u, payload, sizeof(payload));
}

/* Halved, then times 5/6: the stamp lies so far back that no time in a test is before it. */
#define STAMP_TICKS 1000000ull
#define STAMP_NS    5000ull
#define STAMP_MUL   0xd5555555u

void synthetic_pcpu_clock(struct synthetic *rec, unsigned int pcpu, uint64_t ticks)
{
	uint8_t payload[40] = { 0 };

	put32(payload, pcpu);
	put32(payload + 4, STAMP_MUL);
	put32(payload + 8, (uint32_t)-1);
	put32(payload + 12, SYNTHETIC_TSC_KHZ);
	put64(payload + 16, STAMP_TICKS);
	put64(payload + 24, STAMP_NS);
	xen_record(rec, pcpu, ticks, 0x80000001u, payload, sizeof(payload));
}

void synthetic_skew(struct synthetic *rec, unsigned int pcpu, uint64_t ticks, unsigned int other,
		    int64_t min_ticks, int64_t max_ticks)
{
	uint8_t payload[32] = { 0 };

	put32(payload, other);
	put32(payload + 4, pcpu);
	put64(payload + 8, (uint64_t)min_ticks);
	put64(payload + 16, (uint64_t)max_ticks);
	put32(payload + 24, 64);
	xen_record(rec, pcpu, ticks, 0x80000004u, payload, sizeof(payload));
}

void synthetic_guest_mode(struct synthetic *rec, unsigned int pcpu, uint64_t ticks,
			  unsigned int domain, unsigned int vcpu, bool entry)
{
	const uint16_t context[2] = { (uint16_t)domain, (uint16_t)vcpu };
	const uint32_t exit_payload[3] = { 0x72, 0x8107ee00, 0xffffffff };

	synthetic_record(rec, synthetic_stream(rec, "xen", pcpu), ticks,
			 entry ? 0x00081001u : 0x30081102u, context, sizeof(context), exit_payload,
			 entry ? 0 : sizeof(exit_payload));
}

void synthetic_hypercall(struct synthetic *rec, unsigned int pcpu, uint64_t ticks,
			 unsigned int domain, unsigned int vcpu, unsigned int op, bool issue)
{
	const uint16_t context[2] = { (uint16_t)domain, (uint16_t)vcpu };
	const uint32_t payload[3] = { op, 0, 0 };

	synthetic_record(rec, synthetic_stream(rec, "xen", pcpu), ticks,
			 issue ? 0x1020100du : 0x3020100fu, context, sizeof(context), payload,
			 issue ? 4 : sizeof(payload));
}

static uint64_t emulated_ticks(const struct synthetic_clock *clock, uint64_t host_ticks)
{
	unsigned __int128 half = (host_ticks - STAMP_TICKS) >> 1;
	uint64_t ns = STAMP_NS + (uint64_t)(half * STAMP_MUL >> 32);
	unsigned __int128 scaled = ns - clock->vtsc_offset_ns;

	scaled = clock->vtsc_shift < 0 ? scaled >> -clock->vtsc_shift : scaled << clock->vtsc_shift;
	return (uint64_t)(scaled * clock->vtsc_mul_frac >> 32) +
	       (clock->is_hvm ? clock->offset : 0);
}

uint64_t synthetic_guest_ticks(const struct synthetic_clock *clock, uint64_t host_ticks)
{
	unsigned __int128 scaled = host_ticks;

	if (clock->emulated)
		return emulated_ticks(clock, host_ticks);
	if (!clock->is_hvm)
		return host_ticks;
	if (clock->frac_bits)
		scaled = scaled * clock->ratio >> clock->frac_bits;
	return (uint64_t)scaled + clock->offset;
}

static void kernel_record(struct synthetic *rec, const char *source, unsigned int cpu,
			  uint64_t ticks, uint32_t id, const void *payload, size_t bytes)
{
	const int32_t tid = 1;

	synthetic_record(rec, synthetic_stream(rec, source, cpu), ticks, id, &tid, sizeof(tid),
			 payload, bytes);
}

void synthetic_mark(struct synthetic *rec, const char *source, unsigned int cpu, uint64_t ticks,
		    unsigned int number)
{
	const uint8_t payload = (uint8_t)number;

	kernel_record(rec, source, cpu, ticks, SYNTHETIC_MARK, &payload, 1);
}

void synthetic_app_mark(struct synthetic *rec, const char *source, unsigned int cpu, uint64_t ticks,
			unsigned int number)
{
	const int32_t context[2] = { 700, 701 };
	const uint8_t payload = (uint8_t)number;

	synthetic_record(rec, synthetic_stream(rec, source, cpu), ticks, SYNTHETIC_MARK, context,
			 sizeof(context), &payload, 1);
}

void synthetic_open(struct synthetic *rec, const char *source, unsigned int cpu, uint64_t ticks,
		    const char *name, unsigned int count)
{
	uint8_t payload[128] = { 3 };
	size_t at = 4 + strlen(name) + 1;
	unsigned int i;

	memcpy(payload + 4, name, strlen(name));
	at = (at + 3) / 4 * 4;
	put32(payload + at, count);
	at += 4;
	for (i = 0; i < count; i++, at += 2)
		payload[at] = (uint8_t)(i + 1);
	payload[at++] = 7;
	at = (at + 3) / 4 * 4;
	put32(payload + at, 9);
	memcpy(payload + at + 4, "free text", 9);
	kernel_record(rec, source, cpu, ticks, SYNTHETIC_OPEN, payload, at + 4 + 9);
}

void synthetic_waking(struct synthetic *rec, const char *source, unsigned int cpu, uint64_t ticks,
		      const char *comm, int tid)
{
	uint8_t payload[28] = { 0 };

	memcpy(payload, comm, strnlen(comm, 16));
	put32(payload + 16, (uint32_t)tid);
	put32(payload + 20, 120);
	put32(payload + 24, cpu);
	kernel_record(rec, source, cpu, ticks, SYNTHETIC_WAKING, payload, sizeof(payload));
}

void synthetic_switch(struct synthetic *rec, const char *source, unsigned int cpu, uint64_t ticks,
		      const char *comm, int tid)
{
	uint8_t payload[56] = { 0 };

	memcpy(payload, "swapper", 7);
	put32(payload + 20, 120);
	memcpy(payload + 32, comm, strnlen(comm, 16));
	put32(payload + 48, (uint32_t)tid);
	put32(payload + 52, 120);
	kernel_record(rec, source, cpu, ticks, SYNTHETIC_SWITCH, payload, sizeof(payload));
}

void synthetic_syscall(struct synthetic *rec, const char *source, unsigned int cpu, uint64_t ticks,
		       int number)
{
	const int64_t enter[7] = { number, 1, 2, 3, 4, 5, 6 };
	const int64_t exit[2] = { number, 3 };

	kernel_record(rec, source, cpu, ticks, SYNTHETIC_SYS_ENTER, enter, sizeof(enter));
	kernel_record(rec, source, cpu, ticks + 20, SYNTHETIC_SYS_EXIT, exit, sizeof(exit));
}

void synthetic_probe(struct synthetic *rec, const char *source, unsigned int cpu, uint64_t ticks)
{
	kernel_record(rec, source, cpu, ticks, SYNTHETIC_PROBE, "", 0);
}

void synthetic_timer(struct synthetic *rec, const char *source, unsigned int cpu, uint64_t ticks)
{
	const uint64_t payload = 0xffff888012345678ull;

	kernel_record(rec, source, cpu, ticks, SYNTHETIC_TIMER, &payload, sizeof(payload));
}

/* Host times of one turn: g2 runs, g1 is woken, g1 runs, g2 runs again. */
static uint64_t build_turn(struct synthetic *rec, const struct synthetic_host *host, uint64_t now,
			   unsigned int turn, const struct synthetic_clock *g2_clock)
{
	const struct synthetic_clock *clock = &host->clock;
	const uint64_t wait = 100000u + turn * 10u;
	uint64_t start = now + wait, at;
	unsigned int i;

	/* dom0 wakes g1 from the other CPU, and has an event of its own before and after. */
	synthetic_mark(rec, "dom0", 0, now - 50, turn);
	synthetic_runstate(rec, 1, now, 1, 0, BLOCKED, RUNNABLE);
	synthetic_mark(rec, "dom0", 0, now + 50, turn);
	synthetic_mark(rec, "g2", 0, synthetic_guest_ticks(g2_clock, now + 60), turn);

	synthetic_runstate(rec, 0, start, 2, 0, RUNNING, RUNNABLE);
	synthetic_runstate(rec, 0, start + 20, 1, 0, RUNNABLE, RUNNING);
	at = start + 20 + host->slack_before + (turn ? turn % 7 : 0);
	synthetic_timer(rec, "g1", 0, synthetic_guest_ticks(clock, at));
	synthetic_waking(rec, "g1", 0, synthetic_guest_ticks(clock, at += 100), "sleeper", 100);
	synthetic_switch(rec, "g1", 0, synthetic_guest_ticks(clock, at += 100), "sleeper", 100);
	for (i = 0; i < host->marks; i++)
		synthetic_mark(rec, "g1", 0, synthetic_guest_ticks(clock, at += 40), i);
	synthetic_switch(rec, "g1", 0, synthetic_guest_ticks(clock, at += 100), "swapper", 0);
	at += host->slack_after + turn % 5;
	synthetic_runstate(rec, 0, at, 1, 0, RUNNING, BLOCKED);
	synthetic_runstate(rec, 0, at + 20, 2, 0, RUNNABLE, RUNNING);
	/* g2's are well inside: g1 sets the smallest slack. */
	at += 20 + host->slack_before + host->slack_after + 1000;
	synthetic_mark(rec, "g2", 0, synthetic_guest_ticks(g2_clock, at), turn);
	return at + host->slack_before + host->slack_after + 2000;
}

void synthetic_build_host(struct synthetic *rec, const struct synthetic_host *host)
{
	const struct synthetic_clock g2_clock = { .is_hvm = true, .offset = 0 - 123456789ull };
	const struct synthetic_clock pv_clock = { .is_hvm = false };
	uint64_t now = SYNTHETIC_ANCHOR_TICKS - 1000000;
	unsigned int turn;

	synthetic_add_source(rec, "xen", "xen", DOMAIN_XEN);
	synthetic_add_source(rec, "dom0", "kernel", 0);
	synthetic_add_source(rec, "g1", "kernel", 1);
	synthetic_add_source(rec, "g2", "kernel", 2);
	if (host->clock.emulated)
		synthetic_pcpu_clock(rec, 0, now);
	synthetic_vcpu_clock(rec, 0, now, 1, 0, &host->clock);
	synthetic_vcpu_clock(rec, 0, now + 1, 2, 0, &g2_clock);
	synthetic_vcpu_clock(rec, 1, now + 2, 0, 0, &pv_clock);
	synthetic_vcpu_state(rec, 0, now + 3, 1, 0, BLOCKED);
	synthetic_vcpu_state(rec, 0, now + 4, 2, 0, RUNNING);
	synthetic_vcpu_state(rec, 1, now + 5, 0, 0, RUNNING);

	now += 10000 + host->slack_before + host->slack_after;
	for (turn = 0; turn < host->turns; turn++)
		now = build_turn(rec, host, now, turn, &g2_clock);
	/* Both CPUs have a last record at the end: all before it is covered. */
	synthetic_runstate(rec, 1, now, DOMAIN_IDLE, 1, RUNNING, RUNNABLE);
	synthetic_runstate(rec, 0, now + 1, 2, 0, RUNNING, BLOCKED);
}
