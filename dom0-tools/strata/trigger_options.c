// SPDX-License-Identifier: GPL-2.0-or-later
/* trigger_options.c - see trigger_options.h. */
#include "strata/trigger_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "strata/read/time_text.h"
#include "strata/session_request.h"

int trigger_options_begin(struct trigger_options *options, const char *name)
{
	*options = (struct trigger_options){ .control = session_request_begin() };
	if (!options->control)
		return -1;
	if (!strata_control_trigger_new(options->control, name, "", &options->trigger))
		return 0;
	session_request_wrong("add-trigger", "%s", strata_control_message(options->control));
	trigger_options_end(options);
	return -1;
}

void trigger_options_end(struct trigger_options *options)
{
	strata_control_trigger_free(options->trigger);
	strata_control_free(options->control);
}

/* A number of at least 1.  0 or -1. */
static int take_number(const char *argument, uint64_t most, uint64_t *number)
{
	errno = 0;
	*number = strtoull(argument, NULL, 10);
	return !argument[0] || argument[strspn(argument, "0123456789")] || errno || !*number ||
			       *number > most
		       ? -1
		       : 0;
}

static int take_u32(const char *argument, uint32_t most, uint32_t *number)
{
	uint64_t wide;

	if (take_number(argument, most, &wide))
		return -1;
	*number = (uint32_t)wide;
	return 0;
}

static int take_ms(const char *argument, uint32_t *ms)
{
	const uint64_t wide = time_parse_ms(argument);

	*ms = (uint32_t)wide;
	return wide && wide <= UINT32_MAX ? 0 : -1;
}

/* Adds rules: [TARGET:]LIST.  @list: what an absent one is; NULL: without a target */
static int add_rules(struct trigger_options *options, enum strata_domain domain,
		     enum strata_rule_kind kind, char *argument, const char *list,
		     struct strata_error *error)
{
	char *colon = list ? strchr(argument, ':') : NULL;
	enum strata_control_result result;

	if (colon)
		*colon = '\0';
	result = strata_control_trigger_add(options->control, options->trigger, domain, kind,
					    list ? argument : "",
					    colon  ? colon + 1
					    : list ? list
						   : argument);
	if (colon)
		*colon = ':';
	return result ? strata_fail(error, "%s: %s", argument,
				    strata_control_message(options->control))
		      : 0;
}

static int take_rules(struct trigger_options *options, int option, char *argument,
		      struct strata_error *error)
{
	switch (option) {
	case 'x':
		return add_rules(options, STRATA_DOMAIN_XEN, STRATA_RULE_EVENT, argument, NULL,
				 error);
	case 'D':
		return add_rules(options, STRATA_DOMAIN_XEN, STRATA_RULE_XEN_DOMAIN, argument, NULL,
				 error);
	case 'k':
		return add_rules(options, STRATA_DOMAIN_KERNEL, STRATA_RULE_EVENT, argument,
				 "default", error);
	case 'F':
		return add_rules(options, STRATA_DOMAIN_KERNEL, STRATA_RULE_FILTER, argument, "",
				 error);
	case 'a':
		return add_rules(options, STRATA_DOMAIN_APP, STRATA_RULE_EVENT, argument, "all",
				 error);
	default:
		return strata_fail(error, "unknown option, or one without its value");
	}
}

int trigger_option(struct trigger_options *options, int option, char *argument,
		   struct strata_error *error)
{
	struct strata_trigger *trigger = options->trigger;

	switch (option) {
	case 'A':
		trigger->above_ns = time_parse_ns(argument);
		return trigger->above_ns ? 0
					 : strata_fail(error, "--above needs a time: 10ms, 500us");
	case 'c':
		return take_number(argument, INT64_MAX, &trigger->least_count)
			       ? strata_fail(error, "--count needs a number, 1 or more")
			       : 0;
	case 's':
		options->session = argument;
		return 0;
	case 'R':
		trigger->rotate = true;
		return 0;
	case 'm':
		return take_u32(argument, UINT32_MAX, &trigger->max)
			       ? strata_fail(error, "--max needs a number, 1 or more")
			       : 0;
	case 'M':
		return take_u32(argument, UINT32_MAX, &trigger->max_each)
			       ? strata_fail(error, "--max-each needs a number, 1 or more")
			       : 0;
	case 'f':
		trigger->keep_free = 0;
		return strcmp(argument, "0") && take_u32(argument, 99, &trigger->keep_free)
			       ? strata_fail(error,
					     "--keep-free needs a number of percent, 0 to 99")
			       : 0;
	case 'p':
		return take_ms(argument, &trigger->pause_ms)
			       ? strata_fail(error, "--pause needs a time: 10s, 2m")
			       : 0;
	case 'i':
		return take_ms(argument, &trigger->interval_ms)
			       ? strata_fail(error, "--interval needs a time: 1s, 500ms")
			       : 0;
	case 'j':
		options->json = true;
		return 0;
	default:
		return take_rules(options, option, argument, error);
	}
}

int trigger_option_spec(struct trigger_options *options, int argc, char **argv,
			struct strata_error *error)
{
	struct strata_trigger *trigger = options->trigger;

	if (argc > 1)
		return strata_fail(error, "one specification at a time");
	if (argc && strlen(argv[0]) >= sizeof(trigger->spec))
		return strata_fail(error, "%.40s...: too long", argv[0]);
	if (argc)
		memcpy(trigger->spec, argv[0], strlen(argv[0]) + 1);
	return strata_control_trigger_check(options->control, trigger)
		       ? strata_fail(error, "%s", strata_control_message(options->control))
		       : 0;
}
