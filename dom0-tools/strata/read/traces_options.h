/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * traces_options.h - the command lines of `strata view` and `convert`: which events of traces to
 * read, and in which format to write them.
 */
#ifndef STRATA_STRATA_TRACES_OPTIONS_H
#define STRATA_STRATA_TRACES_OPTIONS_H

#include <getopt.h>
#include <stdio.h>

#include "filter/filter.h"

#define WRITE_SYMBOLS_MAX 64u

enum write_colours { COLOURS_AUTO, COLOURS_ALWAYS, COLOURS_NEVER };

struct write_options {
	const char *format;    /* for which write_format_known() is true; NULL: not chosen */
	const char *out;       /* "-": standard output */
	bool force;            /* replaces an existing output */
	const char *from, *to; /* NULL: from the first event, to the last */
	bool gmt;
	bool date;
	enum write_colours colours; /* of columns; auto: on a terminal */
	unsigned int threads;
	const char *tcp_map;                    /* a file; or NULL */
	const char *symbols[WRITE_SYMBOLS_MAX]; /* SOURCE=FILE */
	size_t nr_symbols;
	struct strata_filter *filter;
	bool events;         /* of convert: viewers get an instant for each event, and no slices */
	bool json;           /* of convert: prints the result as JSON */
	const char *session; /* of view: its recordings, if no trace is named; NULL: not chosen */
	bool live;           /* of view: follows a recording, */
	uint64_t delay_ms;   /* shows events with this delay, */
	uint64_t late_ms;    /* and waits this long for a stream that delivers nothing */
};

/* A verb that has these options, and its own. */
struct write_verb {
	const char *name;
	void (*usage)(FILE *out);
	const struct option *options; /* its own, then WRITE_OPTIONS */
	/* Takes one of the verb's own options. Returns 0, or -1 with what is wrong. */
	int (*take)(struct write_options *options, int option, const char *value,
		    struct strata_error *error);
	/* Finds a trace if none is named: @path for free(), or an exit status after a message.  The
	 * member is NULL if one has to be named. */
	int (*find)(const struct write_options *options, char **path);
	/* Runs the verb; returns the exit status. */
	int (*run)(const struct write_verb *verb, const struct write_options *options,
		   char *const *paths, size_t nr);
};

/* Values of long options without a letter; those of verbs are below. */
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

/* The usage text for --tcp-map, in all verbs that read traces. */
#define TCP_MAP_USAGE                                                                            \
	"  --tcp-map FILE          rules for events that describe TCP segments, which tie the\n" \
	"                          clocks of machines; see docs/tcp-map.md\n"

/* Their usage text. */
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

/* The usage text of both verbs for a selection that matches no event. */
#define WRITE_SELECTION_USAGE                                                                   \
	"A selection that cannot match, because no trace has such a name, CPU or vCPU, is an\n" \
	"error (status 1); the message suggests the nearest one.  If they exist but no event\n" \
	"matches, a message says so, with status 0.\n\n"

/*
 * Reads --from and --to as ns since 1970; 0 and UINT64_MAX if not given.
 * @first_ns: of all events; NULL: not known yet; then an empty range is not detected if one time is
 * relative to it and the other is not
 * Returns 0, or -1: a time is invalid, or the range is empty.
 */
int write_read_times(const struct write_options *options, const uint64_t *first_ns,
		     uint64_t *from_ns, uint64_t *to_ns, struct strata_error *error);

/* Reports a wrong command line; returns the exit status. @which: the wrong argument; or NULL */
int write_wrong_usage(const struct write_verb *verb, const char *what, const char *which);

/* Reads the command line, opens, merges, writes, and reports errors. Returns the exit status. */
int write_verb_run(const struct write_verb *verb, struct write_options *options, int argc,
		   char **argv);

#endif /* STRATA_STRATA_TRACES_OPTIONS_H */
