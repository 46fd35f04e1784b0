// SPDX-License-Identifier: GPL-2.0-or-later
/* merge_order.c - tells the order check of each event of a recording, in the order of host ticks.
 */
#include <string.h>

#include "host/merge_state.h"

/* Reads a payload that begins with u16 vcpu, u16 domain. */
static void check_runstate(struct strata_merge *merge, const struct strata_timeline_event *event)
{
	uint16_t vcpu_domain[2];

	memcpy(vcpu_domain, event->payload, sizeof(vcpu_domain));
	strata_order_check_runstate(merge->check, event->ticks, (uint16_t)event->stream->cpu,
				    vcpu_domain[1], vcpu_domain[0], &event->class->change);
}

static void check_xen_event(struct strata_merge *merge, const struct strata_timeline_event *event)
{
	struct strata_hv_context context;
	struct strata_hv_vcpu_state state;
	struct strata_hv_budget budget;
	struct strata_hv_selection selection;

	switch (event->class->role) {
	case STRATA_ROLE_RUNSTATE:
		check_runstate(merge, event);
		break;
	case STRATA_ROLE_VCPU_STATE:
		memcpy(&state, event->payload, sizeof(state));
		strata_order_check_state(merge->check, event->ticks, &state);
		break;
	case STRATA_ROLE_GUEST_ENTRY:
	case STRATA_ROLE_GUEST_EXIT:
		memcpy(&context, event->context, sizeof(context));
		strata_order_check_guest_mode(merge->check, event->ticks, context.domain,
					      context.vcpu,
					      event->class->role == STRATA_ROLE_GUEST_ENTRY);
		break;
	case STRATA_ROLE_BUDGET:
		memcpy(&budget, event->payload, sizeof(budget));
		strata_order_check_incomplete(merge->check, budget.domain);
		break;
	case STRATA_ROLE_SELECTION:
		memcpy(&selection, event->payload, sizeof(selection));
		strata_order_check_selection(merge->check, selection.changed != 0);
		break;
	case STRATA_ROLE_OTHER:
		break;
	}
}

void merge_check_event(struct strata_merge *merge, const struct merge_stream *stream,
		       struct strata_timeline_event *event)
{
	const bool is_sure = event->bound_ticks != UINT64_MAX;
	struct strata_hv_context context;

	if (event->class->layer == STRATA_LAYER_XEN) {
		memcpy(&context, event->context, sizeof(context));
		event->domain = context.domain;
		event->vcpu = context.vcpu;
		event->pcpu = (uint16_t)stream->seen.cpu;
		check_xen_event(merge, event);
		return;
	}
	event->domain = (uint16_t)stream->seen.source->domain;
	event->vcpu = (uint16_t)stream->seen.cpu;
	event->pcpu = strata_vcpu_pcpu(stream->vcpu);
	if (event->class->layer == STRATA_LAYER_APP) {
		if (!is_sure || stream->seen.source->migrates)
			strata_order_check_skip_app(merge->check);
		else
			strata_order_check_app_event(merge->check, stream->vcpu, event->ticks,
						     event->bound_ticks, event->class->desc.name);
		return;
	}
	if (!is_sure)
		strata_order_check_skip(merge->check, stream->vcpu);
	else
		strata_order_check_event(merge->check, stream->vcpu, event->ticks,
					 event->bound_ticks, event->class->desc.name);
}
