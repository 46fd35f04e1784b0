/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * meaning.h - finds what the events of a class mean for the state of a host, once for each class,
 * by its layer, name and fields.  A class that lacks a needed field means nothing.
 */
#ifndef STRATA_MERGE_STATE_MEANING_H
#define STRATA_MERGE_STATE_MEANING_H

#include "ctf/trace/ctf_trace.h"
#include "ctf/values/named_field.h"
#include "state/vcpus.h"

enum strata_meaning_of {
	STRATA_MEANS_NOTHING,
	/* Of the hypervisor: fields[0] and [1] are the domain and the vCPU that the event is about,
	 * where it has them; else it is about the vCPU of its context. */
	STRATA_MEANS_RUNSTATE,   /* `before` and `after` */
	STRATA_MEANS_VCPU_STATE, /* [2] pCPU, [3] runstate: when recording starts */
	STRATA_MEANS_RUNS,       /* only that a vCPU runs */
	STRATA_MEANS_VM_EXIT,    /* [0] reason */
	STRATA_MEANS_VM_ENTRY,
	STRATA_MEANS_HYPERCALL,        /* [0] its number */
	STRATA_MEANS_HYPERCALL_RETURN, /* [0] its number; [1] 1: it continues later */
	STRATA_MEANS_EVTCHN_SEND,      /* [0] domain and [1] port of the receiver */
	STRATA_MEANS_EVTCHN_PENDING,   /* [2] port */
	STRATA_MEANS_GRANT_MAP,        /* [0] granter, [1] reference, [2] handle */
	STRATA_MEANS_GRANT_UNMAP,      /* [0] handle */
	STRATA_MEANS_GRANT_COPY,       /* [0], [1] from and to domain, [2] bytes, [3] status */
	STRATA_MEANS_XEN_TIMER,        /* [0] function */
	STRATA_MEANS_XEN_SOFTIRQ,      /* [0] its number */
	STRATA_MEANS_XEN_SOFTIRQ_END,
	/* Of a kernel: fields[0] is the task's number, [1] its name, where the event has them */
	STRATA_MEANS_SWITCH,  /* [0], [1] the next task, [2], [3] the previous one, [4] its state */
	STRATA_MEANS_WAKING,  /* [2] CPU; recorded on the CPU that wakes it */
	STRATA_MEANS_WAKE,    /* [2] CPU; recorded on the CPU that wakes it, or on that CPU */
	STRATA_MEANS_MIGRATE, /* [2] CPU */
	STRATA_MEANS_RENAME,
	STRATA_MEANS_SYSCALL, /* [0] its number; or `name` */
	STRATA_MEANS_SYSCALL_END,
	STRATA_MEANS_IRQ, /* [0] number, [1] name */
	STRATA_MEANS_IRQ_END,
	STRATA_MEANS_SOFTIRQ, /* [0] vector */
	STRATA_MEANS_SOFTIRQ_END,
	STRATA_MEANS_SOFTIRQ_RAISE, /* [0] vector */
	STRATA_MEANS_TIMER_ARM,     /* [0] address, [1] due time by the kernel's clock */
	STRATA_MEANS_TIMER,         /* [0] function; [1] address, [2] time by that clock */
	STRATA_MEANS_TIMER_END,
	STRATA_MEANS_LOCK,          /* [0] its address, [1] Linux's bits for its kind */
	STRATA_MEANS_LOCK_END,      /* [0] its address */
	STRATA_MEANS_EVTCHN_UPCALL, /* [0] port, [1] number of its interrupt */
	/* Of any layer but Xen's: `name` is common to the two events, [0] the key */
	STRATA_MEANS_REQUEST,
	STRATA_MEANS_REQUEST_END,
	STRATA_NR_MEANINGS,
};

#define STRATA_MEANING_FIELDS 5u

struct strata_meaning {
	enum strata_meaning_of of;
	enum strata_vcpu_state before, after;
	const char *name;
	struct strata_named_field fields[STRATA_MEANING_FIELDS];
	struct strata_named_field task; /* the acting task, from the event's context */
	bool task_is_virtual;           /* its number is of a namespace, not of the kernel */
};

/* A pair of events that begin and end a request, as a user names them. */
struct strata_request_form {
	const char *name;        /* what it is called */
	const char *begin, *end; /* names of events */
	const char *key;         /* a field of both; NULL: the acting task */
};

struct strata_request_forms {
	const struct strata_request_form *forms;
	size_t nr;
};

/* Finds the meaning of a class. @layer: of its trace.  0, or -1: out of memory. */
int strata_meaning_find(struct strata_meaning *meaning, const char *layer,
			const struct strata_ctf_stream_class *stream,
			const struct strata_ctf_event_class *event,
			const struct strata_request_forms *requests,
			struct strata_ctf_arena *arena);

/* Converts Xen's number of a runstate to a state. */
enum strata_vcpu_state strata_vcpu_state_of(uint64_t runstate);

#endif /* STRATA_MERGE_STATE_MEANING_H */
