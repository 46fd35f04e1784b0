/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recorded_host.h - what is known of a recording before its events are read: its table, the host's
 * time base, the clock of each stream from the hypervisor's records, names of domains.
 */
#ifndef STRATA_MERGE_RECORDED_HOST_H
#define STRATA_MERGE_RECORDED_HOST_H

#include <strata/clock.h>

#include "ctf/reader/lane_event.h"
#include "recording/recording.h"
#include "clocks/stream_clock.h"
#include "clocks/xen_scan.h"
#include "ctf/trace/ctf_trace.h"

struct strata_recorded_host;
struct strata_xen_class;

struct strata_recorded_stream {
	const struct strata_recorded_host *host;
	const struct strata_source *source;
	size_t source_index;
	uint32_t cpu;
	const struct strata_stream *recorded; /* what the table says of it */
	struct strata_stream_clock
		clock; /* before the first event; not for the hypervisor's streams */
	enum strata_clock_kind kind;
	uint64_t clock_changes; /* while recording */
	int64_t shift_ticks;    /* added to its host times, by a test */
	/* Of the hypervisor's, once its trace is open: xen_class.h. */
	const struct strata_xen_class *classes;
};

struct strata_recorded_host {
	struct strata_recording recording;
	struct strata_timebase timebase;
	struct strata_xen_scan scan;
	struct strata_recorded_stream *streams; /* of sources whose clocks can be ordered */
	size_t nr_streams;
	size_t *first_streams; /* of each source */
	struct strata_xen_class *
		*xen_classes; /* of each source; NULL: not open, or another layer */
	const struct strata_number_names
		*domains;          /* of one of its open traces; NULL: no trace is open */
	uint64_t left_out_sources; /* sources whose clocks cannot be ordered, or whose table entries
				      are wrong */
	uint64_t assumed_clocks;   /* streams whose clock was not recorded; the host's is assumed */
	strata_complain_fn *complain, *remark;
	void *complain_data;
};

/*
 * Loads the recording in the directory @raw, and reads the hypervisor's streams for clocks.
 * @complain: called for everything that is left out; may be NULL
 * @remark: called for everything that is less exact than it could be; may be NULL
 * 0, or -1 with the reason.  To be cleared in any case.
 */
int strata_recorded_host_load(struct strata_recorded_host *host, const char *raw,
			      strata_complain_fn *complain, strata_complain_fn *remark, void *data,
			      struct strata_error *error);

/* Sets a host's time base from its loaded recording. */
void strata_recorded_host_set_timebase(struct strata_recorded_host *host);

/* Whether the times of a source can be converted to the host's: the recorded facts of its domain's
 * counter are possible. */
bool strata_recorded_host_is_usable(const struct strata_recorded_host *host,
				    const struct strata_source *source);

/* Sets the clock of a stream from the scanned records of the hypervisor. The hypervisor's own
 * streams have none. */
void strata_recorded_stream_set_clock(struct strata_recorded_stream *stream);

/* Adds signed ticks to the host times of one source.  -1: the source does not exist. */
int strata_recorded_host_shift(struct strata_recorded_host *host, const char *source, int64_t ticks,
			       struct strata_error *error);

/* The stream of a CPU of a source; NULL: unknown, or its clock cannot be ordered. */
struct strata_recorded_stream *strata_recorded_host_stream(const struct strata_recorded_host *host,
							   size_t source_index, uint32_t cpu);

/* Whether a source has streams, and their clocks can be ordered. */
bool strata_recorded_host_can_order(const struct strata_recorded_host *host, size_t source_index);

/* Returns the name of a domain, as events show it; NULL: the domain has no name, or the set of the
 * recording's traces does not have its names yet (domain_names.h). */
const char *strata_recorded_domain_name(const struct strata_recorded_host *host, uint32_t domain);

#define STRATA_DOMAIN_TEXT_BYTES 96u

/* Writes that name, or "d7" for a domain without one.  Returns @text. */
const char *strata_recorded_domain_text(const struct strata_recorded_host *host, uint32_t domain,
					char text[STRATA_DOMAIN_TEXT_BYTES]);

void strata_recorded_host_clear(struct strata_recorded_host *host);

/* The host's tick of an event of one of its streams. */
static inline uint64_t strata_recorded_ticks(const struct strata_recorded_host *host,
					     const struct strata_lane_event *event)
{
	return strata_realtime_to_ticks(&host->timebase, event->ns, event->tick);
}

/* Moves ticks by a signed number, clamped to 64 bits. */
static inline uint64_t strata_shifted_ticks(uint64_t ticks, int64_t shift)
{
	const uint64_t distance = shift < 0 ? -(uint64_t)shift : (uint64_t)shift;

	if (shift < 0)
		return ticks < distance ? 0 : ticks - distance;
	return ticks > UINT64_MAX - distance ? UINT64_MAX : ticks + distance;
}

#endif /* STRATA_MERGE_RECORDED_HOST_H */
