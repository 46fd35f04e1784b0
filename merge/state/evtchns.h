/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * evtchns.h - event channels of a host: from the send, or what Xen itself signals, to the pending
 * port, and from there to the upcall in the kernel that has it.
 *
 * A port that becomes pending again before its upcall has been pending since the first time.
 */
#ifndef STRATA_MERGE_STATE_EVTCHNS_H
#define STRATA_MERGE_STATE_EVTCHNS_H

#include "state/tasks.h"

/* Followed at once, over all domains, of one alone half of them (fair_share.h), which is as many as
 * Xen has for a domain. */
#define STRATA_PORTS_MAX 262144u

/* What is known of a domain's ports together. */
struct strata_domain_ports {
	size_t nr;
	uint64_t losses; /* of its kernel's events */
};

/* A port of a domain. */
struct strata_port {
	struct strata_domain_ports *domain;
	bool is_pending;
	uint64_t losses;                    /* of the domain's and of all that are accounted for */
	struct strata_link pending;         /* how it became so, */
	struct strata_handler handler;      /* and its handler, if it has one */
	uint64_t ns[STRATA_NR_VCPU_STATES]; /* of its vCPU then */
};

/* Zero-initialised is empty; `spans` and `tasks` are the owner's. */
struct strata_evtchns {
	const struct strata_spans *spans;
	struct strata_vcpus *vcpus;
	struct strata_tasks *tasks;
	struct strata_id_map ports;   /* struct strata_port, by machine, domain and number */
	struct strata_id_map domains; /* struct strata_domain_ports, by machine and domain */
	uint64_t losses;              /* of the hypervisors' events */
	uint64_t not_followed;        /* finds of ports beyond the most that are followed */
};

/* A vCPU sends to a port of a domain; what becomes pending by it follows on its CPU. */
void strata_evtchns_send(struct strata_evtchns *evtchns, const struct strata_xen_place *place,
			 uint32_t to_domain, uint32_t to_port, const struct strata_moment *now);

/* A port becomes pending for a vCPU. */
void strata_evtchns_pending(struct strata_evtchns *evtchns, const struct strata_xen_place *place,
			    struct strata_vcpu *to, uint32_t port, const struct strata_moment *now);

/* A kernel begins to handle a port. */
void strata_evtchns_upcall(struct strata_evtchns *evtchns, struct strata_kernel *kernel,
			   uint32_t cpu, uint32_t port, uint64_t irq,
			   const struct strata_moment *now);

/* Events of a hypervisor are missing: no port is known to be pending. */
void strata_evtchns_lose(struct strata_evtchns *evtchns);

/* Events of a domain's kernel are missing: no port of that domain is known to be pending. */
void strata_evtchns_lose_domain(struct strata_evtchns *evtchns, size_t machine, uint32_t domain);

void strata_evtchns_clear(struct strata_evtchns *evtchns);

#endif /* STRATA_MERGE_STATE_EVTCHNS_H */
