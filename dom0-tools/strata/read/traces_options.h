/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * traces_options.h - the command lines of `strata view` and `convert`: which events of
 * traces are read, and in which form.
 */
#ifndef STRATA_STRATA_TRACES_OPTIONS_H
#define STRATA_STRATA_TRACES_OPTIONS_H

#include <getopt.h>
#include <stdio.h>

#include "filter/filter.h"

#define WRITE_SYMBOLS_MAX 64u

enum write_colours { COLOURS_AUTO, COLOURS_ALWAYS, COLOURS_NEVER };

struct write_options {
	const char *format;    /* one that write_format_known(); NULL: none was chosen */
	const char *out;       /* "-": standard output */
	bool force;            /* what is there is replaced */
	const char *from, *to; /* NULL: from the first, to the last event */
	bool gmt;
	bool date;
	enum write_colours colours; /* of columns; auto: on a terminal */
	unsigned int threads;
	const char *tcp_map;                    /* a file; or NULL */
	const char *symbols[WRITE_SYMBOLS_MAX]; /* SOURCE=FILE */
	size_t nr_symbols;
	struct strata_filter *filter;
	bool events;       /* of convert: viewers get an instant for each, and no slices */
	bool live;         /* of view: follows a recording, */
	uint64_t delay_ms; /* and shows events that much later */
	uint64_t late_ms;  /* and waits that long for a stream that hands nothing over */
};

/* A verb that has these options, and others. */
struct write_verb {
	const char *name;
	void (*usage)(FILE *out);
	const struct option *options; /* its own, then WRITE_OPTIONS */
	/* Takes one of its own.  0, or -1 with what is wrong. */
	int (*take)(struct write_options *options, int option, const char *value,
		    struct strata_error *error);
	/* Does what was asked for; the exit status. */
	int (*run)(const struct write_verb *verb, const struct write_options *options,
		   char *const *paths, size_t nr);
};

/* What WRITE_OPTIONS have in place of a letter; those of verbs are below. */
#define WRITE_OPTION_FIRST   256
#define WRITE_OPTION_FILTER  (WRITE_OPTION_FIRST + STRATA_NR_ATTRIBUTES)
#define WRITE_OPTION_FROM    (WRITE_OPTION_FILTER + 1)
#define WRITE_OPTION_TO      (WRITE_OPTION_FILTER + 2)
#define WRITE_OPTION_GMT     (WRITE_OPTION_FILTER + 3)
#define WRITE_OPTION_DATE    (WRITE_OPTION_FILTER + 4)
#define WRITE_OPTION_NR      (WRITE_OPTION_FILTER + 5)
#define WRITE_OPTION_FORCE   (WRITE_OPTION_FILTER + 6)
#define WRITE_OPTION_TCP     (WRITE_OPTION_FILTER + 7)
#define WRITE_OPTION_SYMBOLS (WRITE_OPTION_FILTER + 8)

#define WRITE_OPTION_OF(name, attribute)                                                         \
	{                                                                                        \
		name, required_argument, NULL, WRITE_OPTION_FIRST + STRATA_ATTRIBUTE_##attribute \
	}

#define WRITE_OPTIONS                                                               \
	{ "from", required_argument, NULL, WRITE_OPTION_FROM },                     \
		{ "to", required_argument, NULL, WRITE_OPTION_TO },                 \
		WRITE_OPTION_OF("event", EVENT), WRITE_OPTION_OF("source", SOURCE), \
		WRITE_OPTION_OF("layer", LAYER), WRITE_OPTION_OF("domain", DOMAIN), \
		WRITE_OPTION_OF("about", ABOUT), WRITE_OPTION_OF("vcpu", VCPU),     \
		WRITE_OPTION_OF("cpu", CPU), WRITE_OPTION_OF("process", PROCESS),   \
		{ "filter", required_argument, NULL, WRITE_OPTION_FILTER },         \
		{ "output", required_argument, NULL, 'o' },                         \
		{ "force", no_argument, NULL, WRITE_OPTION_FORCE },                 \
		{ "threads", required_argument, NULL, WRITE_OPTION_NR },            \
		{ "tcp-map", required_argument, NULL, WRITE_OPTION_TCP },           \
		{ "symbols", required_argument, NULL, WRITE_OPTION_SYMBOLS },       \
		{ "gmt", no_argument, NULL, WRITE_OPTION_GMT },                     \
		{ "date", no_argument, NULL, WRITE_OPTION_DATE },                   \
		{ "help", no_argument, NULL, 'h' },                                 \
	{                                                                           \
		NULL, 0, NULL, 0                                                    \
	}

/* What the usage of all verbs that read traces says of --tcp-map. */
#define TCP_MAP_USAGE                                                                            \
	"  --tcp-map FILE          rules for events that describe TCP segments, which tie the\n" \
	"                          clocks of machines; see docs/tcp-map.md\n"

/* What the usage says of them. */
#define WRITE_OPTIONS_USAGE                                                                             \
	"  --from TIME, --to TIME  only events in this range; TIME: seconds since the first\n"          \
	"                          event (+1.5), seconds since 1970, or date and time:\n"               \
	"                          '2026-01-31 12:00:00.5'\n"                                           \
	"  --event PATTERN         only events with this name; * ? [a-z] as in a shell\n"               \
	"  --source PATTERN        only events of this source, as view names it\n"                      \
	"  --layer LAYER           only events of this layer: xen, kernel or app\n"                     \
	"  --domain N|PATTERN      only events of this domain; Xen's events belong to the domain\n"     \
	"                          that runs on the CPU\n"                                              \
	"  --about N|PATTERN       also Xen's events that name this domain in a field (of_domain,\n"    \
	"                          next_domain, to_domain...), whichever domain runs\n"                 \
	"  --vcpu N                only events of this vCPU of its domain\n"                            \
	"  --cpu N                 only events of this CPU, as view shows it; Xen's are physical\n"     \
	"  --process N|PATTERN     only events of this process, if contexts or the trace name it\n"     \
	"  --filter EXPRESSION     only events for which it is true: fields, $ctx.FIELD of\n"           \
	"                          contexts, $event $source $layer $domain $about $vcpu $cpu\n"         \
	"                          $pcpu $process $time (nanoseconds since 1970), numbers and\n"        \
	"                          \"patterns\", with == != < <= > >= && || ! ( ).  A comparison\n"     \
	"                          with a field that the event lacks is neither true nor false,\n"      \
	"                          and the event does not match\n"                                      \
	"                          If several options are given, all must match.  All but --filter\n"   \
	"                          take comma-separated values, any of which may match\n" TCP_MAP_USAGE \
	"  --symbols SOURCE=FILE   names code addresses of a source, a kernel or Xen; FILE is\n"        \
	"                          vmlinux, xen-syms, or text like System.map and /proc/kallsyms\n"     \
	"  --gmt                   shows times of day in UTC\n"                                         \
	"  --date                  shows the date, too\n"                                               \
	"  --threads N             number of threads (default: number of CPUs)\n"

/* What the usage of both verbs says of a selection without events. */
#define WRITE_SELECTION_USAGE                                                                   \
	"A selection that cannot match, because no trace has such a name or CPU, is an error\n" \
	"(status 1); the message suggests the nearest name.  If the names exist but no event\n" \
	"matches, a message says so, with status 0.\n\n"

/*
 * Reads --from and --to (0 and UINT64_MAX if they are not given), as ns since 1970.
 * @first_ns: of all events; NULL: not known yet, which makes no difference to what is wrong but
 *            where one time counts from it and the other from 1970
 * 0, or -1: one is no time, or the range is empty.
 */
int write_read_times(const struct write_options *options, const uint64_t *first_ns,
		     uint64_t *from_ns, uint64_t *to_ns, struct strata_error *error);

/* Says that the command line is wrong: the exit status. @which: what of it; or NULL */
int write_wrong_usage(const struct write_verb *verb, const char *what, const char *which);

/* Reads the command line, opens, merges, writes; says what is wrong.  The exit status. */
int write_verb_run(const struct write_verb *verb, struct write_options *options, int argc,
		   char **argv);

#endif /* STRATA_STRATA_TRACES_OPTIONS_H */
