/* SPDX-License-Identifier: MIT */
/*
 * control.h - the model of control: what is traced, and where to.
 *
 *   session   a name, an output directory, and channels
 *   domain    where events happen: the hypervisor, kernels, applications
 *   channel   ring buffers of its own in each domain, with a recorder of its own
 *   rule      which events of which kernel or application go to a channel, and while what runs
 *   trigger   a condition, and what is done when it is met
 *
 * The command line, the saved file of a session and the messages between strata and stratad carry
 * these structures and nothing else (docs/formats.md has their text form).
 */
#ifndef STRATA_CONTROL_H
#define STRATA_CONTROL_H

#ifdef __cplusplus
extern "C" {
#endif

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <strata/abi/app.h>
#include <strata/packet.h>

/* Terminating zero included. */
#define STRATA_SESSION_NAME_BYTES 41u
#define STRATA_CHANNEL_NAME_BYTES 41u
#define STRATA_RULE_TARGET_BYTES  80u
#define STRATA_RULE_TEXT_BYTES    1024u
#define STRATA_TRIGGER_SPEC_BYTES 256u

/* Limits of one session: rules of all its channels, and channels, which is also how many recorders
 * a machine can have. */
#define STRATA_SESSION_RULES_MAX    256u
#define STRATA_SESSION_CHANNELS_MAX 8u
#define STRATA_SESSION_TRIGGERS_MAX 4u

/* The channel that every session has, and that is meant where none is named. */
#define STRATA_CHANNEL_DEFAULT "channel0"

/* A file or message of a session is at most this long. */
#define STRATA_SESSION_TEXT_BYTES (1u << 20)

enum strata_domain {
	STRATA_DOMAIN_XEN,    /* the hypervisor of this host */
	STRATA_DOMAIN_KERNEL, /* kernels with strata.ko: dom0's and guests' */
	STRATA_DOMAIN_APP,    /* applications linked with libstrata */
	STRATA_NR_DOMAINS,
};

enum strata_rule_kind {
	/* Which events. */
	STRATA_RULE_EVENT,     /* a name, a pattern, GROUP/NAME, or a class of the hypervisor's */
	STRATA_RULE_KPROBE,    /* kernels: [NAME=]SYMBOL[+OFFSET] [ARGUMENT]... */
	STRATA_RULE_KRETPROBE, /* kernels: [NAME=]SYMBOL [ARGUMENT]... */
	/* Only while these run. */
	STRATA_RULE_TID,        /* kernels: a thread's number */
	STRATA_RULE_PID,        /* kernels: a process's number */
	STRATA_RULE_XEN_DOMAIN, /* the hypervisor: a domain's name, pattern or number, or vCPUs */
	/* Only if their fields match. */
	STRATA_RULE_FILTER, /* kernels: EVENTS: EXPRESSION */
	/* More in each record. */
	STRATA_RULE_CONTEXT, /* kernels: a context's name, "procname" */
	/* Which events, of programs that a kernel runs. */
	STRATA_RULE_UPROBE,    /* kernels: [NAME=]PATH:SYMBOL[+OFFSET] [ARGUMENT]... */
	STRATA_RULE_URETPROBE, /* kernels: [NAME=]PATH:SYMBOL [ARGUMENT]... */
	/* Which events, of the calls and returns of a kernel's functions. */
	STRATA_RULE_FUNCTION, /* kernels: [NAME=]PATTERN [ARGUMENT]... */
	/* Which trace points, with arguments of one's choice. */
	STRATA_RULE_TRACEPOINT, /* kernels: [NAME=]TRACEPOINT [ARGUMENT]... */
	STRATA_NR_RULE_KINDS,
};

struct strata_rule {
	enum strata_rule_kind kind;
	/* Kernels: a domain's name, pattern or number.  Applications: a program's name or pattern,
	 * a process's number, or "all".  The hypervisor: "". */
	char target[STRATA_RULE_TARGET_BYTES];
	char text[STRATA_RULE_TEXT_BYTES];
};

/* A channel in one domain. */
struct strata_domain_channel {
	/* Size of the rings: of each CPU in the hypervisor, of each CPU and application.  0 in
	 * kernels: parameters of their module set it. */
	uint32_t subbuf_bytes;
	uint32_t nr_subbufs;
	uint32_t budget_per_s;      /* the hypervisor: events a guest may cause; 0: no limit */
	enum strata_app_mode rings; /* applications; 0: what each can write best */
	struct strata_rule *rules;  /* NULL if there are none */
	size_t nr_rules;
};

struct strata_channel {
	char name[STRATA_CHANNEL_NAME_BYTES]; /* as a session's */
	bool disabled;                        /* it is not recorded when the session starts */
	struct strata_domain_channel domains[STRATA_NR_DOMAINS];
};

/* Rotation: a session that records ends its recording, and continues in a new one. */
struct strata_rotation {
	uint64_t bytes; /* size of a recording; 0: no limit */
	uint32_t ms;    /* duration of a recording; 0: no limit */
	uint32_t keep;  /* recordings since the start that stay, the present one included; 0: all */
};

/*
 * A trigger counts events while its session records, without recording them, in a channel of its
 * own in each domain.  When the counts of an interval meet its condition, it takes a snapshot of
 * the session, which is a flight recorder, or rotates its recording.
 */
struct strata_trigger {
	/* Name of the trigger, unlike those of the session's channels, and where it counts: rules
	 * about events, filters and domains.  Sizes of rings mean nothing here. */
	struct strata_channel counted;
	char spec[STRATA_TRIGGER_SPEC_BYTES]; /* what it counts: "count", "time:BEGIN..END"; behind
						 it ":domain" or ":process", for each of them */
	uint64_t above_ns;    /* least time that meets the condition; 0: events are counted */
	uint64_t least_count; /* of events or times in an interval; at least 1 */
	uint32_t interval_ms; /* between two looks at the counts */
	bool rotate;          /* rotates the recording; else: takes a snapshot */
	uint32_t max;         /* number of actions after which it ends; 0: no limit */
	uint32_t max_each;    /* number of actions for each user or domain; 0: no limit */
	uint32_t pause_ms;    /* least time between two actions for the same user or domain */
	uint32_t keep_free;   /* percent of the disk that later snapshots leave free */
};

struct strata_session {
	char name[STRATA_SESSION_NAME_BYTES]; /* letters, digits, '-', '_', '.'; not '.' first */
	char *output;  /* absolute path; each start makes a recording in it */
	bool snapshot; /* flight recorder: memory keeps the newest events */
	struct strata_rotation rotation;
	uint32_t switch_ms; /* longest wait of an event in a sub-buffer; 0: until it is full */
	enum strata_header_form event_header; /* of kernels and applications */
	/* The first is STRATA_CHANNEL_DEFAULT. */
	struct strata_channel channels[STRATA_SESSION_CHANNELS_MAX];
	size_t nr_channels;
	struct strata_trigger triggers[STRATA_SESSION_TRIGGERS_MAX];
	size_t nr_triggers;
};

#ifdef __cplusplus
}
#endif

#endif /* STRATA_CONTROL_H */
