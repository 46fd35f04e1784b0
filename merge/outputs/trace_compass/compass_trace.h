/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compass_trace.h - one of the traces that trace_compass.c writes: a machine's.
 *
 * Trace Compass knows a machine by the UUID of its trace's clock: so each has its own, and there
 * is one clock in a trace, in nanoseconds, which it need not convert.  It takes a trace for a
 * kernel's by `domain = "kernel"`, and the names of events that it then looks for by the
 * tracer's: of one that is not LTTng they are the kernel's own, kvm_entry and kvm_exit, sys_NAME
 * and exit_syscall.  Classes of events have small numbers, as it keeps a list by number.
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
	uint64_t lost;    /* of the streams that it is made from, so far; */
	uint64_t told;    /* of these, in its packets */
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
	uint64_t first_ns; /* of all traces */
	const struct strata_event_desc *context;
	struct strata_event_desc **classes; /* by number */
	uint32_t nr_classes;
	struct compass_file **by_cpu; /* in order of appearance */
	size_t nr_files;
	struct compass_env env[COMPASS_ENV_MAX];
	unsigned int nr_env;
	bool no_memory; /* what did not fit is missing */
	bool has_failed;
	struct strata_error error; /* then: the first */
};

/*
 * Makes DIR/NAME.
 * @context: what stands in front of each event's fields
 * @uuid:    what its identity is made from
 * 0, or -1; to be closed in any case.
 */
int strata_compass_trace_open(struct compass_trace *trace, const struct strata_dir *dir,
			      const char *name, const struct strata_event_desc *context,
			      const uint8_t uuid[16], struct strata_error *error);

/* The file of a CPU, made at first use.  NULL with the reason. */
struct compass_file *strata_compass_trace_file(struct compass_trace *trace, uint32_t cpu,
					       struct strata_error *error);

/* Adds a kind of event, a copy of @desc; its number, or COMPASS_NO_CLASS: out of memory. */
uint32_t strata_compass_trace_class(struct compass_trace *trace,
				    const struct strata_event_desc *desc);

/* Writes an event.  @ns before the file's last event's is held to that.  The context's bytes are
 * as many as the trace's context has, padded to 4. */
void strata_compass_trace_put(struct compass_trace *trace, struct compass_file *file,
			      uint32_t class_number, uint64_t ns, const void *context,
			      const void *payload, uint32_t payload_bytes);

/* Adds an entry to the environment (printf). */
void strata_compass_trace_say(struct compass_trace *trace, const char *name, const char *format,
			      ...) __attribute__((format(printf, 3, 4)));

/*
 * Writes what is left, and the metadata.
 * @last_ns: of all traces' events; @precision_ns: of their times
 * 0 or -1.
 */
int strata_compass_trace_finish(struct compass_trace *trace, uint64_t last_ns,
				uint64_t precision_ns, struct strata_error *error);

void strata_compass_trace_close(struct compass_trace *trace);

#endif /* STRATA_MERGE_OUTPUTS_COMPASS_TRACE_H */
