/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compass_host_events.h - the events of the host's trace, as LTTng has them: names, fields,
 * bytes. */
#ifndef STRATA_MERGE_OUTPUTS_COMPASS_HOST_EVENTS_H
#define STRATA_MERGE_OUTPUTS_COMPASS_HOST_EVENTS_H

#include "outputs/trace_compass/compass_host.h"

/* lttng_statedump_process_state's status. */
enum compass_status {
	COMPASS_STATUS_WAIT_CPU = 2,
	COMPASS_STATUS_WAIT = 5,
	COMPASS_STATUS_RUN = 6,
};

/* Context of each event: the thread running when it is written; before a switch, the old one. */
struct compass_context {
	int32_t tid;
	int32_t pid;
};
extern const struct strata_event_desc strata_compass_host_context;

struct compass_exit {
	uint32_t reason;
	uint64_t rip; /* 0: not known */
	uint32_t isa;
};

struct compass_context strata_compass_context(const struct compass_thread *thread);

/* Adds all classes of events, and declares the synthetic ones, to the host's trace. */
void strata_compass_host_describe(struct compass_host *host);

/* Reads the record of a VM exit: @exit's reason and rip. */
void strata_compass_read_exit(const struct strata_ctf_reader *reader,
			      const struct strata_lane_event *event, struct compass_exit *exit);

/* Writes that the thread, and its process, exist, if the trace has not done so yet. */
void strata_compass_put_thread(struct compass_host *host, struct compass_pcpu *pcpu,
			       struct compass_thread *thread, uint64_t ns,
			       enum compass_status status);

void strata_compass_put_switch(struct compass_host *host, struct compass_pcpu *pcpu,
			       const struct compass_thread *prev, const struct compass_thread *next,
			       uint64_t ns, enum strata_runstate prev_state);

/* Writes nothing if the CPU on which it will run is unknown. */
void strata_compass_put_wakeup(struct compass_host *host, struct compass_pcpu *pcpu,
			       struct compass_thread *thread, uint64_t ns);

void strata_compass_put_entry(struct compass_host *host, struct compass_pcpu *pcpu,
			      const struct compass_thread *thread, uint64_t ns);
void strata_compass_put_exit(struct compass_host *host, struct compass_pcpu *pcpu, uint64_t ns,
			     const struct compass_exit *exit);

#endif /* STRATA_MERGE_OUTPUTS_COMPASS_HOST_EVENTS_H */
