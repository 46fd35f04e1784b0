/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * participants.h - the kernels that take part in a recording, from when each
 * appears to when it is gone.
 *
 * All domains are known, each with its participant; what has to be done for one is
 * in participant.h.  participants_tend() finds out what changed, in bounded work,
 * and nothing here waits: a command is told to a guest, and its answer is seen
 * some time later.  So a guest that is slow, paused or hostile holds nobody up.
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
#include "stratad/select/select_kernel.h"
#include "stratad/domains/xenstore_requests.h"

enum participant_step {
	PARTICIPANT_NONE,     /* nothing of its domain is mapped */
	PARTICIPANT_QUIETING, /* mapped; what an earlier recorder left is being stopped */
	PARTICIPANT_PROBING,  /* its module is adding the events that are asked of it */
	PARTICIPANT_ADDING, /* from here on a source of the recording; its rings are being added */
	PARTICIPANT_READY,  /* not told to start */
	PARTICIPANT_STARTING,
	PARTICIPANT_RECORDING,
	PARTICIPANT_STOPPING,
	PARTICIPANT_STOPPED,
};

struct participant {
	/* its domain */
	uint32_t domain;
	uint8_t uuid[ALLOWANCE_UUID_BYTES]; /* the same when it has rebooted */
	enum domain_life life;
	uint8_t reason;     /* if it has shut down */
	bool seen;          /* in the latest list of domains */
	bool due;           /* something of it changed in xenstore */
	uint64_t looked_ms; /* when it was looked at, or is to be */
	bool looking;       /* a look is under way */
	uint64_t serial;    /* of no other participant, also of earlier ones */
	char name[sizeof(((struct guest *)0)->name)]; /* as it was called then; "": not yet */

	/* the module in it */
	enum participant_step step;
	struct guest guest; /* as it was when it was mapped, or looked at last */
	struct guest_map map;
	struct principal *who;   /* whose share the mapped pages are of; NULL: none are */
	uint32_t pages;          /* of it */
	struct leaving *leaving; /* for when it goes: what is mapped moves there */
	struct event_set events; /* that it records */
	struct event_set probes; /* of them, what was asked for by --kprobe and --kretprobe */
	size_t next_probe;       /* which selection is to be looked at for the next */
	char *filter;            /* "tid=...", or NULL; of participant.c */
	size_t source;           /* in the recording, from PARTICIPANT_ADDING on */
	size_t next_ring;        /* to be added to it */
	int port;                /* ours, bound to its event channel; -1: it is polled */
	uint32_t sequence;       /* of the last command to it */
	uint32_t start_sequence; /* of the last command to start */
	bool unwritten;          /* the last command is on its way to xenstore still */
	bool failed;             /* it could not be written, for which nothing was done yet */
	struct strata_error why_failed;
	bool recorded;          /* it said that it started */
	bool flying;            /* a flight recorder that an earlier recorder left */
	bool flushing;          /* it was told to flush, and has not answered */
	bool awaited;           /* it was asked for by name, and left out for having no module */
	uint64_t owes_since_ms; /* when it was told what it has not answered; 0: it has */
	bool silence_said;      /* that it does not answer */

	bool had_module;
	/* so that a hostile one cannot keep us busy */
	bool refused; /* what it publishes with this nonce and root was refused */
	uint64_t refused_nonce;
	uint32_t refused_root;
};

struct participants {
	/* set by the caller before participants_gather(); not owned */
	struct recorder *recorder;
	struct kernel_selection *selections;
	size_t nr_selections;         /* 0: every kernel that has the module */
	bool wait;                    /* for domains that are named and not there */
	bool overwrite;               /* full rings lose the oldest */
	enum strata_header_form form; /* of the records of those that can write it */
	uint32_t switch_ms; /* how often half full sub-buffers are handed over; 0: never */
	/* Called when one died, while all that it left is mapped still; may be NULL. */
	void (*died)(void *data, const struct participant *one);
	void *data;
	uint32_t tsc_khz;
	struct xs_handle *xenstore; /* asked before the recording begins; then by `requests` */
	xengnttab_handle *gnttab;
	xenevtchn_handle *evtchn; /* NULL: everything is polled */
	struct domains *domains;

	struct xenstore_requests *requests;
	uint64_t serials; /* given so far */
	struct allowances allowances;
	struct leaving *leaving;  /* that went, and are being drained */
	struct participant *list; /* of every domain, in no order */
	size_t nr;
	size_t capacity;
	size_t next;           /* who is looked at next, so that each gets a turn */
	uint32_t sequence;     /* of the next command to a guest */
	unsigned int left_out; /* named on stderr as they were */
	bool started;
	bool stopping;
	bool domains_due;    /* a domain came or went */
	bool names_changed;  /* of domains, while recording; whoever acts on it clears it */
	uint64_t domains_ms; /* when they were listed */
	bool failed;         /* a kernel could not be told to start; whoever acts on it clears it */
	struct strata_error why_failed;
};

/*
 * All domains with their numbers and names, and nothing else of them: as xenstore lists them before
 * the recording begins, then as they were seen last.  The list is the caller's to free().  0 or -1.
 */
int participants_domains(const struct participants *all, struct guest **guests, size_t *nr,
			 struct strata_error *error);

/* Is a command on its way still that was given to a kernel? */
bool participants_unwritten(const struct participants *all);

/*
 * Is every domain here that is named without a pattern, or is it waited for?
 * Before anything is made that a typing error should not cost.
 * 0, or -1 with the name that nobody has.
 */
int participants_check_names(const struct participants *all, struct strata_error *error);

/*
 * Finds every kernel that the selections name, maps it, and registers it with the
 * recorder.  One that cannot take part is named and left out.
 * 0, or -1 when nothing can be done at all, or a domain that is named is not there.
 */
int participants_gather(struct participants *all, struct strata_error *error);

/* Names the domains that are asked for and not there.  0, or -1: one is named without a pattern,
 * and nobody waits for it. */
int participants_check_found(const struct participants *all, struct strata_error *error);

/* May somebody still come, who is not there yet? */
bool participants_expected(const struct participants *all);

/* Tells all who are ready to start; those who come later are started as they come. */
void participants_start(struct participants *all);

/* Sees who came, went and answered, and does what follows from it.  Call it often. */
void participants_tend(struct participants *all);

/* Takes in which participants have flushed (participant_flush()), and notes what else changed for
 * the next participants_tend(): while the caller uses rings that participants_tend() might unmap.
 */
void participants_hear_flushed(struct participants *all);

/*
 * Has everybody answered who is waited for?  Paused domains are not; a guest that is slow or silent
 * is for a fixed time, whatever it was asked for: dom0's own kernel alone gets as long as it needs.
 * @waited_ms: since the start or the stop
 */
bool participants_settled(const struct participants *all, uint64_t waited_ms);

/* Names those who did not answer their start in time; they are late, not left out. */
void participants_name_late(struct participants *all);

/* Tells all to stop.  From now on nobody is taken in. */
void participants_stop(struct participants *all);

/* Names those who were told to stop and did not say that they did, or never started. */
void participants_name_missing(struct participants *all);

/* Unmaps all, and closes xenstore; to be called when the recorder has let go of the rings. */
void participants_release(struct participants *all);

#endif /* STRATA_STRATAD_PARTICIPANTS_H */
