/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compass_trace.h - one of the traces that trace_compass.c writes: a machine's.
 *
 * Trace Compass identifies a machine by the UUID of its trace's clock: so each trace has its own,
 * and one clock, in nanoseconds, which needs no conversion. It recognises a kernel trace by `domain
 * = "kernel"`. The tracer's name determines the event names that it looks for: for a tracer other
 * than LTTng, the kernel's own, kvm_entry and kvm_exit, sys_NAME and exit_syscall. Event classes
 * have small ids, because it stores them in a list by id.
 */
#ifndef STRATA_MERGE_OUTPUTS_COMPASS_TRACE_H
#define STRATA_MERGE_OUTPUTS_COMPASS_TRACE_H

#include "outputs/ctf/ctf_stream_file.h"
#include "recording/recording.h"

#define COMPASS_NO_CLASS UINT32_MAX
#define COMPASS_ENV_MAX  12u

/* A stream file: what happened on one CPU of the machine. */
struct compass_file {
	struct strata_ctf_stream_file packets;
	uint32_t cpu;
	uint64_t last_ns; /* of its last event */
	uint64_t lost;    /* lost by the streams from which it is made, so far; */
	uint64_t told;    /* of these, reported in its packets */
};

/* An entry of the environment. */
struct compass_env {
	char name[48];
	char text[320];
};

struct compass_trace {
	struct strata_dir dir;
	char name[96]; /* of the directory, and of the machine */
	uint32_t stream_id;
	uint8_t uuid[16];
	uint8_t clock_uuid[16];
	uint64_t first_ns; /* the first time of all traces */
	const struct strata_event_desc *context;
	struct strata_event_desc **classes; /* by number */
	uint32_t nr_classes;
	struct compass_file **by_cpu; /* in order of first use */
	size_t nr_files;
	struct compass_env env[COMPASS_ENV_MAX];
	unsigned int nr_env;
	bool no_memory; /* events that did not fit are missing */
	bool has_failed;
	struct strata_error error; /* if failed: the first error */
};

/*
 * Creates DIR/NAME.
 * @context: precedes each event's fields
 * @uuid: from which its UUIDs are made
 * Returns 0, or -1; the caller must close it in either case.
 */
int strata_compass_trace_open(struct compass_trace *trace, const struct strata_dir *dir,
			      const char *name, const struct strata_event_desc *context,
			      const uint8_t uuid[16], struct strata_error *error);

/* Returns the file of a CPU, created at first use. NULL with the reason. */
struct compass_file *strata_compass_trace_file(struct compass_trace *trace, uint32_t cpu,
					       struct strata_error *error);

/* Adds an event class, a copy of @desc. Returns its number, or COMPASS_NO_CLASS: out of memory. */
uint32_t strata_compass_trace_class(struct compass_trace *trace,
				    const struct strata_event_desc *desc);

/* Writes an event. A @ns before the file's last event's is raised to that. The context has the size
 * of the trace's context, padded to 4 bytes. */
void strata_compass_trace_put(struct compass_trace *trace, struct compass_file *file,
			      uint32_t class_number, uint64_t ns, const void *context,
			      const void *payload, uint32_t payload_bytes);

/* Adds an entry to the environment (printf). */
void strata_compass_trace_say(struct compass_trace *trace, const char *name, const char *format,
			      ...) __attribute__((format(printf, 3, 4)));

/*
 * Writes the rest, and the metadata.
 * @last_ns: of all traces' events; @precision_ns: of their times
 * 0 or -1.
 */
int strata_compass_trace_finish(struct compass_trace *trace, uint64_t last_ns,
				uint64_t precision_ns, struct strata_error *error);

void strata_compass_trace_close(struct compass_trace *trace);

#endif /* STRATA_MERGE_OUTPUTS_COMPASS_TRACE_H */
