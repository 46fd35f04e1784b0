// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_track_arrows.c - arrows between tracks: which wake-up, event channel or interrupt ties which
 * two tracks, when, and how sure that is.
 */
#include "tracks_world.h"

static void what_woke_a_task_is_an_arrow(void **state)
{
	struct world *world = begin(0, UINT64_MAX, NULL);
	struct strata_link link = { .kind = STRATA_LINK_WAKEUP,
				    .via = STRATA_VIA_TASK,
				    .from = { .task = &world->tasks[0], .cpu = 0, .trace = DOM0 } };
	struct strata_span span = { .kind = STRATA_SPAN_WAKEUP,
				    .from_ns = 100,
				    .to_ns = 300,
				    .bound_ns = 7,
				    .task = &world->tasks[1],
				    .trace = DOM0,
				    .wake = &link };

	(void)state;
	tell(world, &span);
	assert_int_equal(world->nr_arrows, 1);
	assert_string_equal(world->tracks->all[world->arrows[0].from_track]->name, "task0-100");
	assert_string_equal(world->tracks->all[world->arrows[0].to_track]->name, "task1-101");
	assert_int_equal(world->arrows[0].bound_ns, 7);
	link.via = STRATA_VIA_IRQ;
	tell(world, &span);
	assert_int_equal(world->nr_arrows, 2);
	assert_int_equal(world->tracks->all[world->arrows[1].from_track]->kind, STRATA_TRACK_IRQS);
	/* Who had the CPU is not known to have done it. */
	link.via = STRATA_VIA_UNKNOWN;
	tell(world, &span);
	span.wake = NULL;
	tell(world, &span);
	assert_int_equal(world->nr_arrows, 2);
	end(world);
}

/* What a send through an event channel of @from makes pending for g1's vCPU. */
static void tell_evtchn(struct world *world, enum strata_link_via via,
			const struct strata_link_end *from, uint64_t from_ns, uint64_t to_ns)
{
	const struct strata_link pending = {
		.kind = STRATA_LINK_PENDING,
		.via = via,
		.from = *from,
		.to = { .at = { from_ns, 2 }, .vcpu = &world->vcpus[1], .trace = XEN },
		.port = 9,
	};

	tell(world, &(const struct strata_span){ .kind = STRATA_SPAN_EVTCHN,
						 .from_ns = from_ns,
						 .to_ns = to_ns,
						 .bound_ns = 11,
						 .vcpu = &world->vcpus[1],
						 .other = from->vcpu,
						 .trace = XEN,
						 .number = 9,
						 .wake = &pending });
}

static void expect_arrow(const struct world *world, size_t at, enum strata_arrow_kind kind,
			 const char *from, const char *to_domain, const char *to, uint64_t from_ns,
			 uint64_t to_ns, uint64_t bound_ns)
{
	const struct strata_track_arrow *arrow = &world->arrows[at];

	assert_true(at < world->nr_arrows);
	assert_int_equal(arrow->kind, kind);
	assert_string_equal(world->tracks->all[arrow->from_track]->name, from);
	assert_string_equal(world->tracks->all[arrow->to_track]->domain, to_domain);
	assert_string_equal(world->tracks->all[arrow->to_track]->name, to);
	assert_int_equal(arrow->from_ns, from_ns);
	assert_int_equal(arrow->to_ns, to_ns);
	assert_int_equal(arrow->bound_ns, bound_ns);
}

/* From the sender, its task where its kernel tells, to the upcall of g1. */
static void an_event_channel_is_an_arrow_from_its_sender(void **state)
{
	struct world *world = begin(50, 1000, NULL);
	struct strata_link_end sender = {
		.vcpu = &world->vcpus[0], .task = &world->tasks[0], .cpu = 0, .trace = XEN
	};

	(void)state;
	tell_evtchn(world, STRATA_VIA_SEND, &sender, 100, 300);
	assert_int_equal(world->nr_arrows, 1);
	expect_arrow(world, 0, STRATA_ARROW_EVENT_CHANNEL, "task0-100", "g1", "vCPU 0", 100, 300,
		     11);
	/* An idle task sends nothing; an interrupt that came to it did. */
	world->tasks[1].tid = 0;
	sender.task = &world->tasks[1];
	tell_evtchn(world, STRATA_VIA_SEND, &sender, 400, 410);
	assert_int_equal(world->nr_arrows, 2);
	expect_arrow(world, 1, STRATA_ARROW_EVENT_CHANNEL, "vCPU 0", "g1", "vCPU 0", 400, 410, 11);
	assert_string_equal(world->tracks->all[world->arrows[1].from_track]->domain, "dom0");
	/* Of g2 no kernel tells. */
	sender = (struct strata_link_end){ .vcpu = &world->vcpus[2],
					   .cpu = STRATA_NO_CPU,
					   .trace = XEN };
	tell_evtchn(world, STRATA_VIA_SEND, &sender, 500, 1000);
	assert_int_equal(world->nr_arrows, 3);
	expect_arrow(world, 2, STRATA_ARROW_EVENT_CHANNEL, "vCPU 0", "g1", "vCPU 0", 500, 1000, 11);
	assert_string_equal(world->tracks->all[world->arrows[2].from_track]->domain, "g2");
	assert_int_equal(world->tracks->facts.arrows, 3);
	end(world);
}

/* Not from the task that the handler interrupted. */
static void what_a_handler_sent_is_an_arrow_from_the_handlers_of_its_cpu(void **state)
{
	struct world *world = begin(50, 1000, NULL);
	struct strata_handler handler = { .via = STRATA_VIA_IRQ, .trace = DOM0, .cpu = 0 };
	const struct strata_link pending = {
		.kind = STRATA_LINK_PENDING,
		.via = STRATA_VIA_SEND,
		.from = { .vcpu = &world->vcpus[0], .task = &world->tasks[0], .trace = XEN },
		.to = { .at = { 100, 2 }, .vcpu = &world->vcpus[1], .trace = XEN },
		.port = 9,
		.handler = &handler,
	};
	const struct strata_span span = { .kind = STRATA_SPAN_EVTCHN,
					  .from_ns = 100,
					  .to_ns = 300,
					  .bound_ns = 11,
					  .vcpu = &world->vcpus[1],
					  .other = &world->vcpus[0],
					  .trace = XEN,
					  .number = 9,
					  .wake = &pending };

	(void)state;
	tell(world, &span);
	expect_arrow(world, 0, STRATA_ARROW_EVENT_CHANNEL, "CPU 0 interrupts", "g1", "vCPU 0", 100,
		     300, 11);
	handler.via = STRATA_VIA_SOFTIRQ;
	tell(world, &span);
	expect_arrow(world, 1, STRATA_ARROW_EVENT_CHANNEL, "CPU 0 softirqs", "g1", "vCPU 0", 100,
		     300, 11);
	/* Timers have no track. */
	handler.via = STRATA_VIA_TIMER;
	tell(world, &span);
	expect_arrow(world, 2, STRATA_ARROW_EVENT_CHANNEL, "vCPU 0", "g1", "vCPU 0", 100, 300, 11);
	end(world);
}

static void an_event_channel_without_a_sender_is_no_arrow(void **state)
{
	struct world *world = begin(50, 1000, NULL);
	struct strata_link_end sender = { .vcpu = &world->vcpus[2],
					  .cpu = STRATA_NO_CPU,
					  .trace = XEN };

	(void)state;
	/* Xen itself raised it on the physical CPU that g2 had, or a timer did. */
	tell_evtchn(world, STRATA_VIA_XEN, &sender, 100, 300);
	tell_evtchn(world, STRATA_VIA_TIMER, &sender, 100, 300);
	/* Not wholly in the time that is shown. */
	tell_evtchn(world, STRATA_VIA_SEND, &sender, 49, 300);
	tell_evtchn(world, STRATA_VIA_SEND, &sender, 900, 1001);
	/* The physical CPU was idle: none of its vCPUs sent. */
	world->vcpus[0].domain = STRATA_DOMID_IDLE;
	sender.vcpu = &world->vcpus[0];
	tell_evtchn(world, STRATA_VIA_SEND, &sender, 100, 300);
	assert_int_equal(world->nr_arrows, 0);
	end(world);
}

/* A handler of dom0's CPU 0, which @link led to. */
static void tell_irq(struct world *world, const struct strata_link *link, uint64_t number,
		     uint64_t from_ns, uint64_t to_ns)
{
	tell(world, &(const struct strata_span){ .kind = STRATA_SPAN_IRQ,
						 .from_ns = from_ns,
						 .to_ns = to_ns,
						 .bound_ns = 4,
						 .trace = DOM0,
						 .number = number,
						 .name = "vif",
						 .name_bytes = 3,
						 .wake = link });
}

/* From the vCPU that took the upcall to the handler: its own times and bound, not the slice's. */
static void an_interrupt_is_an_arrow_from_its_upcall(void **state)
{
	struct world *world = begin(50, 1000, NULL);
	struct strata_link link = {
		.kind = STRATA_LINK_HANDLER,
		.via = STRATA_VIA_SEND,
		.from = { .at = { 100, 5 }, .vcpu = &world->vcpus[0], .trace = DOM0 },
		.to = { .at = { 130, 7 }, .vcpu = &world->vcpus[0], .trace = DOM0 },
	};

	(void)state;
	tell_irq(world, &link, 16, 130, 150);
	assert_int_equal(world->nr_slices, 1);
	assert_int_equal(world->nr_arrows, 1);
	expect_arrow(world, 0, STRATA_ARROW_INTERRUPT, "vCPU 0", "dom0", "CPU 0 interrupts", 100,
		     130, 12);
	assert_int_equal(world->arrows[0].to_track, world->slices[0].slice.track);
	/* One within another is on a further track, and so is the end of its arrow. */
	link.from.at.bound_ns = UINT64_MAX;
	link.from.at.ns = 140;
	link.to.at.ns = 145;
	tell_irq(world, &link, 17, 145, 160);
	assert_int_equal(world->nr_arrows, 2);
	expect_arrow(world, 1, STRATA_ARROW_INTERRUPT, "vCPU 0", "dom0", "CPU 0 interrupts", 140,
		     145, UINT64_MAX);
	assert_int_equal(world->arrows[1].to_track, world->slices[1].slice.track);
	assert_int_not_equal(world->arrows[1].to_track, world->arrows[0].to_track);
	end(world);
}

static void an_interrupt_without_an_upcall_is_no_arrow(void **state)
{
	struct world *world = begin(50, 1000, NULL);
	struct strata_link link = {
		.kind = STRATA_LINK_HANDLER,
		.from = { .at = { 100, 5 }, .trace = DOM0 },
		.to = { .at = { 130, 7 }, .trace = DOM0 },
	};

	(void)state;
	tell_irq(world, NULL, 16, 130, 150);
	/* No event tells which vCPU took it. */
	tell_irq(world, &link, 16, 200, 210);
	link.from.vcpu = &world->vcpus[0];
	link.kind = STRATA_LINK_DELIVERY;
	tell_irq(world, &link, 16, 300, 310);
	/* The upcall was before the time that is shown; the handler is in it. */
	link.kind = STRATA_LINK_HANDLER;
	link.from.at.ns = 49;
	tell_irq(world, &link, 16, 400, 410);
	assert_int_equal(world->nr_slices, 4);
	assert_int_equal(world->nr_arrows, 0);
	end(world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_woke_a_task_is_an_arrow),
		cmocka_unit_test(an_event_channel_is_an_arrow_from_its_sender),
		cmocka_unit_test(what_a_handler_sent_is_an_arrow_from_the_handlers_of_its_cpu),
		cmocka_unit_test(an_event_channel_without_a_sender_is_no_arrow),
		cmocka_unit_test(an_interrupt_is_an_arrow_from_its_upcall),
		cmocka_unit_test(an_interrupt_without_an_upcall_is_no_arrow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
