/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * probes.h - the events of places that domain 0 chose, in the kernel (kprobes.c, functions.c,
 * tracepoint_probes.c) or in a program's file (uprobes.c): their fields, the list of them, and how
 * a hit is recorded.
 *
 * One caller at a time, which may sleep, calls all of these but strata_probe_record().
 */
#ifndef STRATA_KMOD_PROBES_H
#define STRATA_KMOD_PROBES_H

#include "events.h"
#include "probe_args.h"

/* What hits a probe. */
enum strata_probe_kind {
	STRATA_PROBE_HIT,        /* an instruction is reached: ip */
	STRATA_PROBE_RETURN,     /* a function returns: ip and ret, the returned value */
	STRATA_PROBE_ENTRY,      /* one of many functions begins: ip, parent_ip and its name */
	STRATA_PROBE_EXIT,       /* it returns: ip, parent_ip, ret and its name */
	STRATA_PROBE_TRACEPOINT, /* a trace point is reached: its arguments only */
};

/* Numbers in front of the arguments: ip, parent_ip and ret at the most. */
#define STRATA_PROBE_NUMBERS_MAX 3

/* Of one event: these, the arguments, and the name of a function. */
#define STRATA_PROBE_FIELDS_MAX (STRATA_PROBE_NUMBERS_MAX + STRATA_PROBE_ARGS_MAX + 1)

/* A probe and its event.  Its maker embeds it. */
struct strata_probe {
	struct strata_event event; /* attach(), detach() and missed() are the maker's */
	enum strata_probe_kind kind;
	struct strata_probe_args args;
	struct strata_field_desc fields[STRATA_PROBE_FIELDS_MAX];
	char *place; /* what distinguishes it from others of its name */
	char *words; /* the arguments as they were given; NULL: none */
	char name[STRATA_EVENT_NAME_BYTES];
	/* Undoes all that its maker did, and frees it. */
	void (*remove)(struct strata_probe *probe);
};

/* What domain 0 asked for. */
struct strata_probe_request {
	const char *group; /* "kprobe" and so on; static */
	const char *name;  /* of the event */
	const char *place;
	const char *words; /* arguments (probe_args.h), or NULL */
	/* The kernel's function, or trace point, whose parameters have names (btf_names.h); or
	 * NULL. */
	const char *function;
	enum strata_probe_kind kind;
	bool of_program; /* all memory is the task's */
};

/* Whether a text can be the name of an event. */
bool strata_probe_is_name(const char *name);

/*
 * Finds the probe of that group and name.
 * @probe: OUT; NULL: there is no such probe yet
 * Returns 0, or -EEXIST: it is at another place, or has other arguments.
 */
int strata_probe_find(const struct strata_probe_request *request, struct strata_probe **probe);

/* Fills in a zeroed probe.  0, or a negative error with nothing left: -EINVAL for the arguments,
 * -E2BIG where they fit into no record, or -ENOMEM. */
int strata_probe_init(struct strata_probe *probe, const struct strata_probe_request *request);

/* Logs why a probe is refused, and keeps it for domain 0.  @why: "": there is no more to say than
 * that its arguments are wrong */
void strata_probe_refuse(const struct strata_probe_request *request, const char *why);

/* What strata_probe_refuse() kept since strata_probe_forget_reason(); "": nothing. */
const char *strata_probe_reason(void);
void strata_probe_forget_reason(void);

/* Undoes strata_probe_init(). */
void strata_probe_clear(struct strata_probe *probe);

/* Whether strata_probes_add() has room for @nr more. */
bool strata_probes_have_room(u32 nr);

/* Enters the event of a probe into the list of events and into their table, where it stays. */
void strata_probes_add(struct strata_probe *probe);

/* Removes all of them; no event is attached, and the list of events is no longer used. */
void strata_probes_clear(void);

/* What a hit records besides its arguments. */
struct strata_probe_hit {
	u64 numbers[STRATA_PROBE_NUMBERS_MAX]; /* as the probe's kind orders them */
	/* Of the kinds that record one, and shorter than KSYM_NAME_LEN. */
	const char *function;
	u32 function_bytes; /* with the zero byte; 0: the kind records none */
};

/* Records a hit.  Preemption off, any context.  @from: what arguments are read from (probe_args.h)
 */
void strata_probe_record(const struct strata_probe *probe, const void *from,
			 const struct strata_probe_hit *hit);

#endif /* STRATA_KMOD_PROBES_H */
