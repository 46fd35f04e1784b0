// SPDX-License-Identifier: GPL-2.0-or-later
/* evtchns.c - see evtchns.h. */
#include "state/evtchns.h"

#include <stdlib.h>
#include <string.h>

#include "base/fair_share.h"

/* Machines and domains have 16 bits here, ports 32: Xen has no more than 2^17 for a domain. */
static uint64_t id_of(size_t machine, uint32_t domain, uint32_t port)
{
	return (uint64_t)(machine & 0xffff) << 48 | (uint64_t)(domain & 0xffff) << 32 | port;
}

/* NULL: out of memory. */
static struct strata_domain_ports *get_domain(struct strata_evtchns *evtchns, size_t machine,
					      uint32_t number)
{
	const uint64_t id = id_of(machine, number, 0);
	struct strata_domain_ports *domain = strata_id_map_find(&evtchns->domains, id);

	if (domain)
		return domain;
	domain = calloc(1, sizeof(*domain));
	if (!domain || !strata_id_map_add(&evtchns->domains, id, domain))
		return domain;
	free(domain);
	return NULL;
}

/* NULL: out of memory, or the domain's share is used up. */
static struct strata_port *add_port(struct strata_evtchns *evtchns, size_t machine, uint32_t domain,
				    uint32_t number)
{
	struct strata_domain_ports *of = get_domain(evtchns, machine, domain);
	struct strata_port *port;

	if (!of || !strata_share_has_room(of->nr, evtchns->ports.nr, STRATA_PORTS_MAX))
		return NULL;
	port = calloc(1, sizeof(*port));
	if (!port || strata_id_map_add(&evtchns->ports, id_of(machine, domain, number), port)) {
		free(port);
		return NULL;
	}
	port->domain = of;
	of->nr++;
	return port;
}

/* Losses after which nothing is known of the port. */
static uint64_t losses_of(const struct strata_evtchns *evtchns, const struct strata_port *port)
{
	return evtchns->losses + port->domain->losses;
}

/* NULL: it cannot be followed. */
static struct strata_port *get_port(struct strata_evtchns *evtchns, size_t machine, uint32_t domain,
				    uint32_t number)
{
	struct strata_port *port =
		strata_id_map_find(&evtchns->ports, id_of(machine, domain, number));

	if (!port)
		port = add_port(evtchns, machine, domain, number);
	if (!port) {
		evtchns->not_followed++;
		return NULL;
	}
	if (port->losses != losses_of(evtchns, port))
		port->is_pending = false;
	port->losses = losses_of(evtchns, port);
	return port;
}

void strata_evtchns_send(struct strata_evtchns *evtchns, const struct strata_xen_place *place,
			 uint32_t to_domain, uint32_t to_port, const struct strata_moment *now)
{
	struct strata_pcpu *pcpu = strata_vcpus_pcpu(evtchns->vcpus, place->machine, place->pcpu);

	if (!pcpu)
		return;
	pcpu->send.is_open = true;
	pcpu->send.to_domain = to_domain;
	pcpu->send.to_port = to_port;
	pcpu->send.from = strata_xen_place_end(place, now);
	pcpu->send.has_handler =
		place->kernel &&
		strata_tasks_handler(place->kernel, place->vcpu->number, &pcpu->send.handler);
}

/* What makes a port pending, as far as what its CPU does tells it. */
static void find_cause(struct strata_pcpu *pcpu, const struct strata_vcpu *to,
		       struct strata_link *link)
{
	struct strata_pcpu_send *send = &pcpu->send;

	if (send->is_open && send->to_domain == to->domain && send->to_port == link->port) {
		link->via = STRATA_VIA_SEND;
		link->from = send->from;
		link->handler = send->has_handler ? &send->handler : NULL;
	} else if (pcpu->cause.via == STRATA_VIA_TIMER) {
		link->via = STRATA_VIA_TIMER;
		link->number = pcpu->cause.number;
	}
	send->is_open = false;
	pcpu->cause = (struct strata_pcpu_cause){
		.via = link->via,
		.to = to,
		.port = link->port,
		.number = link->number,
	};
}

void strata_evtchns_pending(struct strata_evtchns *evtchns, const struct strata_xen_place *place,
			    struct strata_vcpu *to, uint32_t number,
			    const struct strata_moment *now)
{
	struct strata_pcpu *pcpu = strata_vcpus_pcpu(evtchns->vcpus, place->machine, place->pcpu);
	struct strata_port *port = get_port(evtchns, to->machine, to->domain, number);
	struct strata_link link = {
		.kind = STRATA_LINK_PENDING,
		.via = STRATA_VIA_XEN,
		.port = number,
		.from = strata_xen_place_end(place, now),
		.to = { .at = *now,
			.vcpu = to,
			.cpu = STRATA_NO_CPU,
			.pcpu = STRATA_NO_CPU,
			.trace = place->trace },
	};

	if (pcpu)
		find_cause(pcpu, to, &link);
	strata_spans_tell_link(evtchns->spans, &link);
	if (!port || port->is_pending)
		return;
	port->is_pending = true;
	port->pending = link;
	if (link.handler) {
		port->handler = *link.handler;
		port->pending.handler = &port->handler;
	}
	strata_vcpu_times(to, now, port->ns);
}

/* The port was pending until now. */
static void deliver(struct strata_evtchns *evtchns, struct strata_port *port,
		    const struct strata_kernel *kernel, uint32_t cpu, uint32_t number, uint64_t irq,
		    struct strata_link *delivery, const struct strata_moment *now)
{
	const struct strata_link *pending = &port->pending;
	struct strata_split split = { { { 0 } } };
	const struct strata_span span = {
		.kind = STRATA_SPAN_EVTCHN,
		.from_ns = pending->to.at.ns,
		.to_ns = now->ns,
		.bound_ns = strata_moments_bound(&pending->to.at, now),
		.from_bound_ns = pending->to.at.bound_ns,
		.vcpu = pending->to.vcpu,
		.other = pending->via == STRATA_VIA_SEND ? pending->from.vcpu : NULL,
		.trace = pending->to.trace,
		.number = number,
		.split = &split,
		.cpu = cpu,
		.wake = pending,
	};

	*delivery = (struct strata_link){
		.kind = STRATA_LINK_DELIVERY,
		.via = pending->via,
		.from = pending->to,
		.to = { .at = *now,
			.task = strata_tasks_current(kernel, cpu),
			.vcpu = strata_kernel_vcpu(evtchns->tasks, kernel, cpu),
			.cpu = cpu,
			.pcpu = STRATA_NO_CPU,
			.trace = kernel->trace },
		.port = number,
		.number = irq,
		.cause = pending,
	};
	port->is_pending = false;
	strata_spans_tell_link(evtchns->spans, delivery);
	/* Times of two clocks may cross by as much as their bounds. */
	if (span.to_ns < span.from_ns)
		return;
	strata_vcpu_times(pending->to.vcpu, now, split.ns[STRATA_TASK_RUNNING]);
	strata_times_subtract(split.ns[STRATA_TASK_RUNNING], port->ns);
	strata_spans_tell(evtchns->spans, &span);
}

void strata_evtchns_upcall(struct strata_evtchns *evtchns, struct strata_kernel *kernel,
			   uint32_t cpu, uint32_t number, uint64_t irq,
			   const struct strata_moment *now)
{
	struct strata_port *port =
		kernel->domain == STRATA_NO_DOMAIN
			? NULL
			: strata_id_map_find(&evtchns->ports,
					     id_of(kernel->machine, kernel->domain, number));
	struct strata_link delivery;
	const bool is_known = port && port->is_pending && port->losses == losses_of(evtchns, port);

	if (is_known)
		deliver(evtchns, port, kernel, cpu, number, irq, &delivery, now);
	strata_tasks_upcall(evtchns->tasks, kernel, cpu, number, irq, is_known ? &delivery : NULL,
			    now);
}

void strata_evtchns_lose(struct strata_evtchns *evtchns)
{
	evtchns->losses++;
}

void strata_evtchns_lose_domain(struct strata_evtchns *evtchns, size_t machine, uint32_t domain)
{
	struct strata_domain_ports *of =
		strata_id_map_find(&evtchns->domains, id_of(machine, domain, 0));

	/* Of another domain no port was pending. */
	if (of)
		of->losses++;
}

void strata_evtchns_clear(struct strata_evtchns *evtchns)
{
	strata_id_map_free(&evtchns->ports);
	strata_id_map_free(&evtchns->domains);
}
