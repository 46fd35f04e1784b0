// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_record.c - `strata record`: reads the command line; record_session.c does the work. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include <strata/ring_layout.h>
#include <strata/switch_period.h>

#include "base/exit_status.h"
#include "control/app_rings.h"
#include "control/session_model.h"
#include "strata/aggregate_view.h"
#include "strata/channel_options.h"
#include "strata/commands.h"
#include "recording/recording.h"
#include "strata/rotation_options.h"
#include "stratad/record_session.h"
#include "strata/read/time_text.h"

#define DEFAULT_OUTPUT "strata-recording-"

/* Of the options about kernels, plus an enum select_kind; above all characters. */
#define OPTION_KERNEL 256

static void usage(FILE *out)
{
	fprintf(out,
		"Usage: strata record [OPTIONS] [-- COMMAND [ARG...]]\n"
		"Records the hypervisor, and every kernel that has strata.ko loaded. COMMAND is started\n"
		"once recording has begun, and recording ends with it. The command and the processes\n"
		"that it starts are recorded as applications, unless --app names others.\n\n"
		"  -d, --duration TIME        stops after 10s, 500ms, 2m (default: Ctrl-C)\n"
		"  -o, --output DIR           where to (default: " DEFAULT_OUTPUT "DATE-TIME)\n"
		"      --force                replaces an existing recording, once the new one begins\n"
		"      --xen EVENTS           classes and names of Xen's events, comma-separated:\n"
		"                             sched,evtchn_*,grant_map; !NAME excludes (default: all;\n"
		"                             none: do not record the hypervisor)\n"
		"      --xen-domain DOMAINS   only events while these run: names, patterns or\n"
		"                             numbers, dom0, idle; g1/0, g1/2-3: some vCPUs;\n"
		"                             !NAME excludes (default: all)\n"
		"      --xen-budget EVENTS    Xen's events that a guest may cause per second and CPU; more\n"
		"                             are refused and counted (default: 500000; none)\n"
		"      --xen-buffer SIZE[xN]  N sub-buffers of SIZE per CPU (default: 64Kx32)\n"
		"      --kernel DOMAIN:EVENTS events of one kernel. DOMAIN: name, number or pattern\n"
		"                             (dom0, web*). EVENTS: names or GROUP/NAME, with\n"
		"                             wildcards, comma-separated; default: scheduling and\n"
		"                             its causes; all: every event, which is a flood; none:\n"
		"                             probes only. May be repeated; then only these kernels\n"
		"                             are recorded (default: the default events of every\n"
		"                             kernel with the module; --kernel none: no kernel)\n"
		"      --kprobe 'DOMAIN:[NAME=]SYMBOL[+OFFSET] [ARGUMENT]...'\n"
		"                             an event each time that a kernel executes this address,\n"
		"                             with arguments as `perf probe` has them: fd=$arg1:s32\n"
		"                             len=%%dx name=+u0($arg2):string flags=+8(+0($arg1)):x32\n"
		"                             or by names of C, if the kernel has BTF: 'g1:vfs_read\n"
		"                             count file->f_inode->i_ino'; $arg*: all parameters\n"
		"      --kretprobe 'DOMAIN:[NAME=]SYMBOL [ARGUMENT]...'\n"
		"                             an event, with the returned value, each time that a\n"
		"                             kernel's function returns\n"
		"      --uprobe 'DOMAIN:[NAME=]PATH:SYMBOL[+OFFSET] [ARGUMENT]...'\n"
		"                             an event each time that a program of that kernel\n"
		"                             executes this place of a file: a function, or an offset\n"
		"                             in the file; arguments as for --kprobe\n"
		"      --uretprobe 'DOMAIN:[NAME=]PATH:SYMBOL [ARGUMENT]...'\n"
		"                             likewise each time that this function returns\n"
		"      --function 'DOMAIN:[NAME=]PATTERN [ARGUMENT]...'\n"
		"                             events NAME_entry and NAME_exit of each call and return\n"
		"                             of the kernel's functions of these names: 'g1:vfs_*'\n"
		"      --tracepoint 'DOMAIN:[NAME=]TRACEPOINT [ARGUMENT]...'\n"
		"                             an event each time that a kernel reaches this trace\n"
		"                             point, of its own or of a loaded module, with\n"
		"                             parameters by names of C: 'g1:ext4_da_write_begin\n"
		"                             inode->i_ino pos len'; $arg*: all parameters\n"
		"      --tid DOMAIN:N,N,...   only events while these threads run\n"
		"      --pid DOMAIN:N,N,...   likewise, for processes with all their threads\n"
		"      --kernel-filter DOMAIN:EVENTS:EXPRESSION\n"
		"                             records these events of a kernel only if their fields\n"
		"                             match the expression, as of `strata merge --filter`:\n"
		"                             'g1:sched_switch: prev_prio < 120 && next_comm != \"sh\"'.\n"
		"                             The kernel tests it before it records. May be repeated,\n"
		"                             once for each event\n"
		"      --kernel-context DOMAIN:NAME,...\n"
		"                             adds contexts to each event of a kernel: procname, pid,\n"
		"                             prio, callstack-kernel, ...; `strata add-context --list`\n"
		"                             lists them. May be repeated\n"
		"      --app PROGRAM[:EVENTS] events of an application linked with libstrata. PROGRAM:\n"
		"                             name, pattern, process number or all. EVENTS: names or\n"
		"                             GROUP/NAME, with wildcards, comma-separated (default:\n"
		"                             all); NAME@LEVEL: of this log level (err, warning, info,\n"
		"                             debug, ...) or more severe; NAME@=LEVEL: of this one\n"
		"                             only. May be repeated. Applications that run already\n"
		"                             and that start later are recorded. Without Xen,\n"
		"                             only applications are recorded\n"
		"      --app-buffer SIZE[xN]  as --xen-buffer, for each application (default: 64Kx16;\n"
		"                             smaller with more than 16 CPUs: 16 MiB for each program)\n"
		"      --guest-pages N        maps at most N pages of guests, and N/8 of one guest\n"
		"                             (default: 196608, three quarters of Xen's limit for dom0;\n"
		"                             more if gnttab_max_maptrack_frames is larger)\n"
		"      --app-rings KIND       single-store (default) or reserve-commit: how applications\n"
		"                             write; those that cannot write so write otherwise\n"
		"      --event-header FORM    header of kernels' and applications' events: full,\n"
		"                             12 bytes (default); compact, 4 bytes for ids below 31;\n"
		"                             large, 8 bytes. After a pause, a header is 16 bytes. The\n"
		"                             hypervisor and single-store applications use full\n"
		"      --app-memory KIND      where rings of root's applications lie. shm: in memory\n"
		"                             that ends with application and recorder (default); file:\n"
		"                             in DIR/rings, for `strata recover` after both were killed;\n"
		"                             file:MEMORY: in that directory; in a tmpfs, the disk\n"
		"                             cannot delay applications. Rings of other users'\n"
		"                             applications lie in sealed memory\n"
		"      --app-file-users USER,...\n"
		"                             with --app-memory file, also rings of these users, by name\n"
		"                             or number; each of them can then fill the disk\n"
		"      --switch-timer MS      how long an event may wait in a sub-buffer that is not\n"
		"                             full, while its CPU is awake: %u to %u milliseconds;\n"
		"                             0: until it is full or recording ends (default: %u)\n"
		"      --rotate-size SIZE     rotates after SIZE bytes (100M, 2G): ends the recording, and\n"
		"                             continues in a new one without losing an event. DIR then\n"
		"                             contains recordings, named recording-DATE-TIME\n"
		"      --rotate-time TIME     likewise, after TIME (30s, 10m)\n"
		"      --keep N               keeps the newest N recordings, and removes older ones\n"
		"      --ready-fd N           writes a line to file descriptor N once recording has begun\n"
		"      --wait                 accepts names of domains that do not run yet\n"
		"      --aggregate SPEC       counts, and records nothing: count, time:EVENT..EVENT, each\n"
		"                             with :domain, :process or without, as of `strata top`;\n"
		"                             prints the counts at the end, with --json as JSON. With\n"
		"                             --duration, --xen, --xen-domain, --kernel,\n"
		"                             --kernel-filter and --app only\n"
		"      --overwrite            flight recorder: keeps the newest events in memory, and\n"
		"                             writes them at `strata snapshot`, when a guest dies (into\n"
		"                             DIR-died-NAME), and at the end\n\n"
		"A selected kernel whose domain starts, or whose module is loaded, during the recording\n"
		"is recorded from then on. A domain's name without a wildcard must be that of a running\n"
		"domain, unless --wait is given.\n"
		"Status: 0 all was recorded, 1 failed, 2 wrong usage, 3 recorded, but something named on\n"
		"stderr was left out. With a COMMAND, its status is used in place of 0: 128 plus the\n"
		"number of a signal, 127 if it does not exist, 126 if it cannot be started.\n"
		"Ctrl-C also reaches the command, and recording ends with it; a second one ends recording\n"
		"at once.\n"
		"Example: strata record --duration 10s --output /tmp/slow --xen 'sched,evtchn_*' "
		"--kernel 'g1:sched_*,irq_*'\n",
		STRATA_SWITCH_MS_MIN, STRATA_SWITCH_MS_MAX, SESSION_SWITCH_MS);
}

static int wrong(const char *format, const char *what)
{
	fprintf(stderr, "strata: ");
	fprintf(stderr, format, what);
	fprintf(stderr, "; `strata record --help` says how\n");
	return STRATA_STATUS_USAGE;
}

static int take_pages(const char *argument, struct record_options *options)
{
	char *end;
	unsigned long pages = strtoul(argument, &end, 10);

	if (argument[0] < '0' || argument[0] > '9' || *end || pages == 0 || pages > UINT32_MAX)
		return wrong("--guest-pages needs a number of pages, not %s", argument);
	options->guest_pages = (uint32_t)pages;
	return STRATA_STATUS_OK;
}

/* "shm", "file", "file:DIR". */
static int take_memory(const char *argument, struct record_options *options)
{
	options->app_files = strncmp(argument, "file", 4) == 0;
	options->app_file_dir = options->app_files && argument[4] ? argument + 5 : NULL;
	if (strcmp(argument, "shm") == 0 || strcmp(argument, "file") == 0 ||
	    (options->app_files && argument[4] == ':' && argument[5]))
		return STRATA_STATUS_OK;
	return wrong("--app-memory: unknown kind \"%s\"; use shm, file or file:DIR", argument);
}

/* Reads --ready-fd. Returns STRATA_STATUS_OK or the exit status. */
static int take_ready_fd(const char *text, struct record_options *options)
{
	unsigned long fd = strtoul(text, NULL, 10);

	if (!text[0] || text[strspn(text, "0123456789")] || fd > INT_MAX ||
	    fcntl((int)fd, F_GETFD) < 0)
		return wrong("--ready-fd: \"%s\" is not an open file descriptor", text);
	/* A command that inherited it would keep it open: its reader would wait for the command. */
	if (fd > STDERR_FILENO && fcntl((int)fd, F_SETFD, FD_CLOEXEC))
		return wrong("--ready-fd: %s cannot be set to close-on-exec", text);
	options->ready_fd = (int)fd;
	return STRATA_STATUS_OK;
}

/* Reads one option into @options. Returns STRATA_STATUS_OK or the exit status. */
static int take_option(int option, char *argument, struct record_options *options)
{
	struct strata_error error = { "" };

	switch (option) {
	case 'd':
		options->duration_ms = time_parse_ms(argument);
		return options->duration_ms ? STRATA_STATUS_OK
					    : wrong("--duration: \"%s\" is not a time", argument);
	case 'o':
		options->output = argument;
		return STRATA_STATUS_OK;
	case 'F':
		options->place = OUTPUT_REPLACE;
		return STRATA_STATUS_OK;
	case 'R':
		return take_ready_fd(argument, options);
	case 'x':
		options->xen_events = argument;
		if (!select_xen_events(options->xen, argument, &error))
			return STRATA_STATUS_OK;
		break;
	case 'D':
		options->xen_domains = argument;
		return STRATA_STATUS_OK;
	case 'B':
		if (!select_xen_budget(options->xen, argument, &error))
			return STRATA_STATUS_OK;
		break;
	case 'b':
		return channel_option_rings("--xen-buffer", argument, &options->xen_geometry);
	case 't':
		return channel_option_switch(argument, &options->switch_ms);
	case 'w':
		options->wait = true;
		return STRATA_STATUS_OK;
	case 'e':
		return channel_option_header(argument, &options->event_header);
	case 'f':
		options->overwrite = true;
		return STRATA_STATUS_OK;
	case 'a':
		if (!select_parse_app(argument, &options->apps[options->nr_apps], &error)) {
			options->nr_apps++;
			return STRATA_STATUS_OK;
		}
		break;
	case 'A':
		return channel_option_rings("--app-buffer", argument, &options->app_geometry);
	case 'K':
		return channel_option_kind("--app-rings", argument, &options->app_mode);
	case 's':
		return rotation_option_size("--rotate-size", argument, &options->rotation);
	case 'T':
		return rotation_option_time("--rotate-time", argument, &options->rotation);
	case 'k':
		return rotation_option_keep("--keep", argument, &options->rotation);
	case 'G':
		return take_pages(argument, options);
	case 'M':
		return take_memory(argument, options);
	case 'U':
		if (!app_file_users_add(options->app_file_users, argument, &error))
			return STRATA_STATUS_OK;
		strata_fail_in(&error, "--app-file-users");
		break;
	case OPTION_KERNEL ... OPTION_KERNEL + NR_SELECT_KINDS - 1:
		if (!select_parse_kernel((enum select_kind)(option - OPTION_KERNEL), argument,
					 &options->kernels[options->nr_kernels], &error)) {
			options->nr_kernels++;
			return STRATA_STATUS_OK;
		}
		break;
	default:
		return wrong("%s", "unknown option");
	}
	fprintf(stderr, "strata: %s\n", error.text);
	return STRATA_STATUS_USAGE;
}

/* Options that need Xen. */
static bool is_of_xen(int option)
{
	return option != 'd' && option != 'o' && option != 'a' && option != 'A' && option != 'f' &&
	       option != 'e' && option != 'K' && option != 'M' && option != 'U' && option != 't' &&
	       option != 'F' && option != 'R' && option != 's' && option != 'T' && option != 'k';
}

/* Options that say what to count, or for how long. */
static bool is_of_aggregate(int option)
{
	return option == 'g' || option == 'j' || option == 'd' || option == 'x' || option == 'D' ||
	       option == 'a' || option == OPTION_KERNEL + SELECT_EVENTS ||
	       option == OPTION_KERNEL + SELECT_FILTER;
}

/* Counts, in place of recording. */
static int aggregate(const char *spec, bool json, const struct record_options *options,
		     const char *xen_events)
{
	struct aggregate_view view = { .json = json };
	struct aggregate_words words = { .spec = spec, .xen_events = xen_events };
	struct aggregate_options counting = { .duration_ms = options->duration_ms,
					      .xen_domains = options->xen_domains,
					      .kernels = options->kernels,
					      .nr_kernels = options->nr_kernels,
					      .apps = options->apps,
					      .nr_apps = options->nr_apps };

	return aggregate_view_run(&view, &counting, &words);
}

/* Records the command and its children, unless other applications are selected. */
static void take_command(char *const *argv, struct record_options *options)
{
	options->command = argv;
	if (options->nr_apps)
		return;
	options->apps[0] = (struct app_selection){ .of_command = true, .events = "all" };
	options->nr_apps = 1;
}

/* Each recording gets its own directory, so none is replaced. */
static void set_default_output(char *name, size_t bytes)
{
	time_t now = time(NULL);
	struct tm local;

	strftime(name, bytes, DEFAULT_OUTPUT "%Y%m%d-%H%M%S", localtime_r(&now, &local));
}

/* Checks the options of rotation.  Returns STRATA_STATUS_OK or the exit status. */
static int check_rotation(const struct record_options *options)
{
	if (!options->rotation.bytes && !options->rotation.ms)
		return options->rotation.keep
			       ? wrong("%s", "--keep needs --rotate-size or --rotate-time")
			       : STRATA_STATUS_OK;
	if (options->overwrite)
		return wrong("%s", "--rotate-size and --rotate-time do not apply to a flight "
				   "recorder (--overwrite)");
	if (options->app_files)
		return wrong("%s", "--rotate-size and --rotate-time cannot be combined with "
				   "--app-memory file");
	if (options->place == OUTPUT_REPLACE)
		return wrong("%s",
			     "--force cannot be combined with --rotate-size and --rotate-time");
	return STRATA_STATUS_OK;
}

/* Makes the directory of a rotating recording, and names the first one in it.  Returns an exit
 * status. */
static int begin_rotation(struct record_options *options, char first[PATH_MAX])
{
	struct strata_error error, warning;

	if (output_dir_of_many(options->output, &warning, &error) ||
	    output_dir_dated(first, options->output, "recording", &error)) {
		fprintf(stderr, "strata: %s\n", error.text);
		return STRATA_STATUS_FAILED;
	}
	if (warning.text[0])
		fprintf(stderr, "strata: %s\n", warning.text);
	options->rotation_dir = options->output;
	options->output = first;
	options->place = OUTPUT_NEW;
	return STRATA_STATUS_OK;
}

int strata_cmd_record(int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "duration", required_argument, NULL, 'd' },
		{ "output", required_argument, NULL, 'o' },
		{ "force", no_argument, NULL, 'F' },
		{ "xen", required_argument, NULL, 'x' },
		{ "xen-domain", required_argument, NULL, 'D' },
		{ "xen-budget", required_argument, NULL, 'B' },
		{ "xen-buffer", required_argument, NULL, 'b' },
		{ "kernel", required_argument, NULL, OPTION_KERNEL + SELECT_EVENTS },
		{ "kprobe", required_argument, NULL, OPTION_KERNEL + SELECT_KPROBE },
		{ "kretprobe", required_argument, NULL, OPTION_KERNEL + SELECT_KRETPROBE },
		{ "uprobe", required_argument, NULL, OPTION_KERNEL + SELECT_UPROBE },
		{ "uretprobe", required_argument, NULL, OPTION_KERNEL + SELECT_URETPROBE },
		{ "function", required_argument, NULL, OPTION_KERNEL + SELECT_FUNCTION },
		{ "tracepoint", required_argument, NULL, OPTION_KERNEL + SELECT_TRACEPOINT },
		{ "tid", required_argument, NULL, OPTION_KERNEL + SELECT_TID },
		{ "pid", required_argument, NULL, OPTION_KERNEL + SELECT_PID },
		{ "kernel-filter", required_argument, NULL, OPTION_KERNEL + SELECT_FILTER },
		{ "kernel-context", required_argument, NULL, OPTION_KERNEL + SELECT_CONTEXT },
		{ "app", required_argument, NULL, 'a' },
		{ "app-buffer", required_argument, NULL, 'A' },
		{ "app-rings", required_argument, NULL, 'K' },
		{ "guest-pages", required_argument, NULL, 'G' },
		{ "event-header", required_argument, NULL, 'e' },
		{ "app-memory", required_argument, NULL, 'M' },
		{ "app-file-users", required_argument, NULL, 'U' },
		{ "switch-timer", required_argument, NULL, 't' },
		{ "rotate-size", required_argument, NULL, 's' },
		{ "rotate-time", required_argument, NULL, 'T' },
		{ "keep", required_argument, NULL, 'k' },
		{ "ready-fd", required_argument, NULL, 'R' },
		{ "wait", no_argument, NULL, 'w' },
		{ "overwrite", no_argument, NULL, 'f' },
		{ "aggregate", required_argument, NULL, 'g' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct xen_selection xen = { .budget_per_s = SESSION_BUDGET_PER_S };
	struct app_file_users file_users = { .nr = 0 };
	struct record_options options = {
		.app_file_users = &file_users,
		.xen = &xen,
		.xen_events = "all",
		.xen_geometry = { SESSION_SUBBUF_BITS, SESSION_NR_BITS },
		.app_geometry = app_rings_default(0),
		.switch_ms = SESSION_SWITCH_MS,
		.ready_fd = -1,
	};
	bool of_xen = false, timed = false, of_recording = false, json = false;
	const char *spec = NULL, *xen_events = NULL;
	char output[64], first[PATH_MAX];
	int option, status = STRATA_STATUS_OK;
	struct strata_error error = { "" };

	options.kernels = calloc((size_t)argc, sizeof(*options.kernels));
	/* One more than the largest number of options, for the command's own. */
	options.apps = calloc((size_t)argc + 1, sizeof(*options.apps));
	if (!options.kernels || !options.apps || select_xen_events(&xen, "all", &error)) {
		fprintf(stderr, "strata: out of memory\n");
		free(options.apps);
		free(options.kernels);
		return STRATA_STATUS_FAILED;
	}
	opterr = 0;
	while (status == STRATA_STATUS_OK &&
	       (option = getopt_long(argc, argv, "+d:o:h", long_options, NULL)) >= 0) {
		if (option == 'h') {
			usage(stdout);
			select_xen_clear(&xen);
			free(options.apps);
			free(options.kernels);
			return STRATA_STATUS_OK;
		}
		of_recording |= !is_of_aggregate(option);
		if (option == 'g')
			spec = optarg;
		else if (option == 'j')
			json = true;
		else
			status = take_option(option, optarg, &options);
		if (option == 'x')
			xen_events = optarg;
		of_xen |= is_of_xen(option);
		timed |= option == 't';
	}
	if (status == STRATA_STATUS_OK && optind < argc && strcmp(argv[optind - 1], "--") == 0)
		take_command(argv + optind, &options);
	options.apps_may_do = options.nr_apps && !of_xen;
	if (status == STRATA_STATUS_OK && timed && options.switch_ms && options.overwrite)
		status = wrong("%s", "--switch-timer cannot be combined with --overwrite, which "
				     "writes on request only");
	if (status == STRATA_STATUS_OK && optind < argc && !options.command)
		status = wrong("\"%s\" is not an option (write -- before a command)", argv[optind]);
	if (status == STRATA_STATUS_OK && json && !spec)
		status = wrong("%s", "--json is of --aggregate only");
	if (status == STRATA_STATUS_OK && spec && (of_recording || options.command))
		status =
			wrong("%s", "--aggregate records nothing; leave options of recordings out");
	if (status == STRATA_STATUS_OK && !spec && !options.output) {
		set_default_output(output, sizeof(output));
		options.output = output;
		options.place = OUTPUT_NEW;
	}
	if (status == STRATA_STATUS_OK && !spec)
		status = check_rotation(&options);
	if (status == STRATA_STATUS_OK && (options.rotation.bytes || options.rotation.ms))
		status = begin_rotation(&options, first);
	if (status == STRATA_STATUS_OK)
		status = spec ? aggregate(spec, json, &options, xen_events)
			      : record_session(&options);
	select_xen_clear(&xen);
	free(options.apps);
	free(options.kernels);
	return status;
}
