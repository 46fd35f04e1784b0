/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trigger_options.h - options about a trigger's condition and action, which `strata trigger` and
 * `strata add-trigger` share. */
#ifndef STRATA_STRATA_TRIGGER_OPTIONS_H
#define STRATA_STRATA_TRIGGER_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>

#include <strata/control_client.h>

#include "base/error.h"

/* Of getopt_long(). */
#define TRIGGER_OPTIONS                                                                            \
	{ "above", required_argument, NULL, 'A' }, { "count", required_argument, NULL, 'c' },      \
		{ "session", required_argument, NULL, 's' }, { "rotate", no_argument, NULL, 'R' }, \
		{ "max", required_argument, NULL, 'm' },                                           \
		{ "max-each", required_argument, NULL, 'M' },                                      \
		{ "keep-free", required_argument, NULL, 'f' },                                     \
		{ "pause", required_argument, NULL, 'p' },                                         \
		{ "interval", required_argument, NULL, 'i' },                                      \
		{ "xen", required_argument, NULL, 'x' },                                           \
		{ "xen-domain", required_argument, NULL, 'D' },                                    \
		{ "kernel", required_argument, NULL, 'k' },                                        \
		{ "kernel-filter", required_argument, NULL, 'F' },                                 \
		{ "app", required_argument, NULL, 'a' }, { "json", no_argument, NULL, 'j' },       \
	{                                                                                          \
		"help", no_argument, NULL, 'h'                                                     \
	}

/* What they say about the options, for `--help`. */
#define TRIGGER_USAGE                                                                                 \
	"SPEC is what to count, as of `strata top`:\n"                                                \
	"  time:EVENT..EVENT          with --above: the time from the first event to the second\n"    \
	"                             reached TIME: time:vm_exit..vm_entry, with --kernel or\n"       \
	"                             --app time:sys_enter..sys_exit, time:request..reply\n"          \
	"  count                      one of the selected events happened (--xen, --kernel,\n"        \
	"                             --app)\n"                                                       \
	"Append :domain or :process to count each domain or process separately.\n\n"                  \
	"      --above TIME           the least time: 10ms, 500us; rounded down to a power of\n"      \
	"                             two of TSC ticks, which is printed\n"                           \
	"      --count N              at least N in an interval (default: 1)\n"                       \
	"  -s, --session NAME         the session (default: the current one): a flight recorder\n"    \
	"                             (strata create --snapshot), of which a snapshot is taken\n"     \
	"      --rotate               rotates the session's recording, in place of a snapshot; for\n" \
	"                             sessions without --snapshot\n"                                  \
	"      --max N                ends after N actions, whoever caused them (default: never)\n"   \
	"      --max-each N           acts N times for each user or domain\n"                         \
	"      --keep-free PERCENT    takes no further snapshot while less of the disk is free\n"     \
	"                             (default: 15)\n"                                                \
	"      --pause TIME           waits at least TIME before it acts again for the same\n"        \
	"                             user or domain (default: 10s)\n"                                \
	"      --interval TIME        looks at the counts every TIME (default: 100ms)\n"              \
	"      --xen, --xen-domain, --kernel, --kernel-filter, --app\n"                               \
	"                             as of `strata top`; without --xen and --xen-domain, Xen's\n"    \
	"                             events do not count beside --kernel or --app\n"

struct trigger_options {
	struct strata_control *control;
	struct strata_trigger *trigger;
	const char *session; /* NULL: the current one */
	bool json;
};

/* Makes a trigger with the defaults, for trigger_options_end().  @name: of the trigger.  0, or -1
 * after a message. */
int trigger_options_begin(struct trigger_options *options, const char *name);

void trigger_options_end(struct trigger_options *options);

/* Takes one of the options, except `--help`.  0, or -1 with the reason. */
int trigger_option(struct trigger_options *options, int option, char *argument,
		   struct strata_error *error);

/* Takes the specification: what is left of the command line.  0, or -1 with the reason. */
int trigger_option_spec(struct trigger_options *options, int argc, char **argv,
			struct strata_error *error);

#endif /* STRATA_STRATA_TRIGGER_OPTIONS_H */
