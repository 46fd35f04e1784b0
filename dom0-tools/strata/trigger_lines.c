// SPDX-License-Identifier: GPL-2.0-or-later
/* trigger_lines.c - see trigger_lines.h. */
#include "strata/trigger_lines.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/escape.h"
#include "outputs/table.h"

/* A text that may be a guest's. */
static void print_hostile(const char *text)
{
	char shown[1024];

	fputs(strata_escape_name(shown, sizeof(shown), text), stdout);
}

static void print_state(const struct strata_trigger_status *status)
{
	switch (status->state) {
	case STRATA_SESSION_RECORDS:
		printf("counts");
		break;
	case STRATA_SESSION_ENDED:
		printf(status->exit_status ? "ended with status %d" : "has had its actions",
		       status->exit_status);
		break;
	case STRATA_SESSION_KILLED:
		printf("was killed");
		break;
	default:
		printf("waits for the start");
	}
}

static void print_rules(const struct strata_trigger *trigger)
{
	unsigned int domain;
	size_t i;

	for (domain = 0; domain < STRATA_NR_DOMAINS; domain++) {
		const struct strata_domain_channel *in = &trigger->counted.domains[domain];

		for (i = 0; i < in->nr_rules; i++) {
			printf("    %s %s ", strata_control_domain_name(domain),
			       strata_control_rule_name(in->rules[i].kind));
			print_hostile(in->rules[i].target);
			if (in->rules[i].target[0])
				printf(":");
			print_hostile(in->rules[i].text);
			printf("\n");
		}
	}
}

/* "takes a snapshot at 1 time of 10.000 ms or more (time:vm_exit..vm_entry) in 100 ms" */
static void print_condition(const struct strata_trigger *trigger)
{
	const char *plural = trigger->least_count == 1 ? "" : "s";
	char time[STRATA_NS_TEXT_BYTES];

	printf("    %s at %" PRIu64, trigger->rotate ? "rotates" : "takes a snapshot",
	       trigger->least_count);
	if (trigger->above_ns)
		printf(" time%s of %s or more (", plural, strata_ns_text(time, trigger->above_ns));
	else
		printf(" event%s or more (", plural);
	print_hostile(trigger->spec);
	printf(") in %u ms", trigger->interval_ms);
	if (trigger->max)
		printf(", at most %u time%s", trigger->max, trigger->max == 1 ? "" : "s");
	printf("\n");
}

static void print(const struct strata_trigger *trigger, const struct strata_trigger_status *status)
{
	printf("  trigger %s: ", trigger->counted.name);
	print_state(status);
	printf("\n");
	print_condition(trigger);
	print_rules(trigger);
	if (status->last[0]) {
		printf("    last: ");
		print_hostile(status->last);
		printf("\n");
	}
}

void trigger_lines_print(const struct strata_session_status *session)
{
	size_t i;

	for (i = 0; i < session->nr_triggers; i++)
		print(&session->model->triggers[i], session->triggers[i]);
}
