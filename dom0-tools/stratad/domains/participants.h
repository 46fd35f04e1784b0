/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * participants.h - the kernels that take part in a recording, from when each appears to when it
 * ends.
 *
 * Each domain has a participant; participant.h has the operations on one. participants_tend()
 * handles changes, in bounded work, and nothing here blocks: a command is sent, and its answer is
 * handled later.  So a slow, paused or hostile guest delays nothing.
 */
#ifndef STRATA_STRATAD_PARTICIPANTS_H
#define STRATA_STRATAD_PARTICIPANTS_H

#include <xenevtchn.h>

#include "consumerd/shares/allowance.h"
#include "consumerd/xen/domains.h"
#include "consumerd/xen/guest.h"
#include "consumerd/xen/guest_map.h"
#include "stratad/domains/leaving.h"
#include "consumerd/shares/principal.h"
#include "consumerd/recorder.h"
#include "stratad/select/select_context.h"
#include "stratad/select/select_filter.h"
#include "stratad/select/select_kernel.h"
#include "stratad/domains/xenstore_requests.h"

enum participant_step {
	PARTICIPANT_NONE,     /* not mapped */
	PARTICIPANT_CREATING, /* its module is making the rings of the recorder's channel */
	PARTICIPANT_MAPPING,  /* its pages are being mapped, over several turns */
	PARTICIPANT_QUIETING, /* mapped; recording for an earlier recorder is being stopped */
	PARTICIPANT_PROBING,  /* its module is adding probes */
	PARTICIPANT_READING,  /* its event table is being read again, likewise, for the probe */
	PARTICIPANT_COUNTING, /* its module is beginning a counter */
	PARTICIPANT_ADDING, /* from here on a source of the recording; its rings are being added */
	PARTICIPANT_READY,  /* the start command was not sent */
	PARTICIPANT_STARTING,
	PARTICIPANT_RECORDING,
	PARTICIPANT_STOPPING,
	PARTICIPANT_STOPPED,
};

struct participant {
	/* its domain */
	uint32_t domain;
	uint8_t uuid[ALLOWANCE_UUID_BYTES]; /* survives a reboot */
	enum domain_life life;
	uint8_t reason;                               /* if it has shut down */
	bool seen;                                    /* in the latest list of domains */
	bool due;                                     /* changed in xenstore */
	uint64_t looked_ms;                           /* time of the last read, or of the next */
	bool looking;                                 /* a read is under way */
	uint64_t serial;                              /* unique, also among earlier participants */
	char name[sizeof(((struct guest *)0)->name)]; /* its name at that time; "": not yet */

	/* the module in it */
	enum participant_step step;
	struct guest guest; /* as of the mapping or the last read */
	struct guest_map map;
	struct principal *who;   /* charged for the mapped pages; NULL: none */
	uint32_t pages;          /* of it */
	struct leaving *leaving; /* takes over the mapping when it is no longer used */
	struct event_set events; /* that it records */
	struct event_set probes; /* of them, those of --kprobe, --uprobe and so on */
	size_t next_probe;       /* number of the next probe to check, among those selected */
	struct select_contexts contexts; /* that are asked for */
	unsigned int next_counter;       /* of them, the next to ask for */
	char *filter;                    /* "tid=...", or NULL; of participant.c */
	struct select_filters field_filters;
	size_t source;           /* in the recording, from PARTICIPANT_ADDING on */
	size_t next_ring;        /* to be added to it */
	int port;                /* ours, bound to its event channel; -1: it is polled */
	uint32_t sequence;       /* of the last command to it */
	uint32_t start_sequence; /* of the last command to start */
	bool unwritten;          /* the last command is not in xenstore yet */
	bool failed;             /* it could not be written, which is not handled yet */
	struct strata_error why_failed;
	bool recorded;          /* it answered that it started */
	bool has_channel;       /* a channel other than 0, to be destroyed at the end */
	bool flying;            /* flight recorder of an earlier recorder */
	bool flushing;          /* a flush awaits its answer */
	bool unflushed;         /* the last flush had no answer in time, and has none yet */
	bool awaited;           /* named by the user, and left out without a module */
	uint64_t owes_since_ms; /* time of the unanswered command; 0: none */
	bool silence_said;      /* reported that it does not answer */

	bool had_module;
	/* so that a hostile one cannot keep us busy */
	bool refused; /* refused with this nonce and root */
	uint64_t refused_nonce;
	uint32_t refused_root;
};

struct participants {
	/* set by the caller before participants_gather(); not owned, but for pages */
	struct recorder *recorder;
	struct kernel_selection *selections;
	size_t nr_selections;         /* 0: every kernel that has the module */
	struct guest_pages *pages;    /* owned; NULL: no other recorder's count */
	uint32_t channel;             /* of each kernel, which is the recorder's number */
	bool wait;                    /* for named domains that do not run yet */
	bool may_miss;                /* a selection that no domain matches leaves nothing out */
	bool overwrite;               /* flight recorder */
	bool begins_empty;            /* it does not continue one that died */
	bool without_probes;          /* patterns select no events of probes */
	enum strata_header_form form; /* event headers, where supported */
	uint32_t switch_ms;           /* period of the forced switch; 0: never */
	/* Called when one died, while its rings are still mapped; may be NULL. */
	void (*died)(void *data, const struct participant *one);
	void *data;
	uint32_t tsc_khz;
	struct xs_handle *xenstore; /* used before the recording begins; then by `requests` */
	xengnttab_handle *gnttab;
	xenevtchn_handle *evtchn; /* NULL: everything is polled */
	struct domains *domains;

	struct xenstore_requests *requests;
	uint64_t serials; /* given so far */
	struct allowances allowances;
	struct leaving *leaving;  /* mappings of kernels that left */
	struct participant *list; /* of every domain, in no order */
	size_t nr;
	size_t capacity;
	size_t next;           /* next one to read, for fairness */
	uint32_t sequence;     /* of the next command to a guest */
	unsigned int left_out; /* number, each reported on stderr */
	uint64_t gathered_ms;  /* when participants_gather() began */
	bool started;
	bool stopping;
	bool mapping;        /* pages of a guest are being mapped or unmapped */
	bool domains_due;    /* a domain came or went */
	bool names_changed;  /* of domains, while recording; cleared by the code that handles it */
	uint64_t domains_ms; /* when they were listed */
	bool failed; /* a kernel could not be started; cleared by the code that handles it */
	struct strata_error why_failed;
};

/*
 * All domains with only their numbers and names: as listed by xenstore before the recording begins,
 * later as last seen. The list is the caller's to free(). 0 or -1.
 */
int participants_domains(const struct participants *all, struct guest **guests, size_t *nr,
			 struct strata_error *error);

/* Whether any command is not in xenstore yet. */
bool participants_unwritten(const struct participants *all);

/*
 * Whether every domain named without a pattern runs or is waited for.  To be called before anything
 * is created or replaced. 0, or -1 with the unknown name.
 */
int participants_check_names(const struct participants *all, struct strata_error *error);

/*
 * Has each kernel end what a recorder that died left in @channel: its rings are freed, or those of
 * channel 0 stopped.  Before participants_gather(); does not wait for answers.
 * @holder: who that was, for a message
 * 0, or -1 with the reason.
 */
int participants_free_left(const struct participants *all, uint32_t channel, const char *holder,
			   struct strata_error *error);

/*
 * Finds every kernel that the selections name, maps it, and registers it with the recorder. Kernels
 * that cannot take part are reported and left out. 0, or -1 if nothing can be recorded, or a named
 * domain does not run.
 */
int participants_gather(struct participants *all, struct strata_error *error);

/* Reports selected domains that do not run. 0, or -1: one is named without a pattern, and --wait is
 * not set. */
int participants_check_found(const struct participants *all, struct strata_error *error);

/* Whether further domains may come. */
bool participants_expected(const struct participants *all);

/* Starts all that are ready; later ones are started as they come. */
void participants_start(struct participants *all);

/* Handles kernels that came, left or answered.  Call it often. */
void participants_tend(struct participants *all);

/* Whether all kernels record or have nothing to record, and nothing is under way: the next change
 * is announced by xenstore. */
bool participants_quiet(const struct participants *all);

/* Handles answers to participant_flush() only, and leaves other changes to the next
 * participants_tend(), because the caller uses rings that participants_tend() might unmap. */
void participants_hear_flushed(struct participants *all);

/*
 * Whether all awaited answers are in.  Paused domains are not waited for, other guests for a fixed
 * time, and dom0's own kernel as long as it needs.
 * @waited_ms: since the start or the stop
 */
bool participants_settled(const struct participants *all, uint64_t waited_ms);

/* Reports kernels that did not answer their start in time; they may still join. */
void participants_name_late(struct participants *all);

/* Stops all.  From now on no kernel is accepted. */
void participants_stop(struct participants *all);

/* Reports kernels that did not confirm their stop, or never started. */
void participants_name_missing(struct participants *all);

/* Unmaps all, and closes xenstore, after the recorder has released the rings. */
void participants_release(struct participants *all);

#endif /* STRATA_STRATAD_PARTICIPANTS_H */
