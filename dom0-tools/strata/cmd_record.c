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
#include "strata/commands.h"
#include "recording/recording.h"
#include "stratad/record_session.h"
#include "strata/read/time_text.h"

#define DEFAULT_OUTPUT      "strata-recording-"
#define DEFAULT_SUBBUF_BITS 16 /* 64 KiB ... */
#define DEFAULT_NR_BITS     5  /* ... 32 times: 2 MiB a CPU */
#define DEFAULT_APP_NR_BITS 4
#define DEFAULT_SWITCH_MS   1000
#define DEFAULT_BUDGET      500000 /* two windows of it fit into such a buffer */

/* Of the options about kernels, plus an enum select_kind; above all characters. */
#define OPTION_KERNEL 256

static void usage(FILE *out)
{
	fprintf(out,
		"Usage: strata record [OPTIONS] [-- COMMAND [ARG...]]\n"
		"Records the hypervisor, and every kernel that has strata.ko loaded. COMMAND is started\n"
		"when the recording stands, and the recording ends with it; it and the processes that\n"
		"it starts are recorded as applications, unless --app says which.\n\n"
		"  -d, --duration TIME        stop after 10s, 500ms, 2m; without it: Ctrl-C\n"
		"  -o, --output DIR           where to (default: " DEFAULT_OUTPUT "DATE-TIME)\n"
		"      --force                replaces a recording that is there, once the new one begins\n"
		"      --xen EVENTS           classes and names of Xen's events, comma-separated:\n"
		"                             sched,evtchn_*,grant_map; !NAME: not these (default: all;\n"
		"                             none: leave the hypervisor out)\n"
		"      --xen-domain DOMAINS   only what happens while these run: names, patterns or\n"
		"                             numbers, dom0, idle; g1/0, g1/2-3: some of its vCPUs;\n"
		"                             !NAME: all but this one (default: all)\n"
		"      --xen-budget EVENTS    of Xen's events that a guest may cause in a second on a\n"
		"                             CPU; what is beyond is counted (default: 500000; none)\n"
		"      --xen-buffer SIZE[xN]  N sub-buffers of SIZE a CPU (default: 64Kx32)\n"
		"      --kernel DOMAIN:EVENTS events of one kernel: name or number of the domain (dom0,\n"
		"                             patterns like web*); names of events, or GROUP/NAME,\n"
		"                             with wildcards, comma-separated; default: who runs, and\n"
		"                             why; all: all that it has, which floods; none: but for\n"
		"                             probes.  May be repeated; then only those named are\n"
		"                             recorded (without it: every kernel with the module, the\n"
		"                             default events; --kernel none: no kernel)\n"
		"      --kprobe DOMAIN:SYMBOL[+OFFSET]\n"
		"                             an event for each time that a kernel comes by there\n"
		"      --kretprobe DOMAIN:SYMBOL\n"
		"                             an event, with what it returned, for each time that a\n"
		"                             function of a kernel returns\n"
		"      --tid DOMAIN:N,N,...   only what happens while these threads are current\n"
		"      --pid DOMAIN:N,N,...   likewise, processes with all their threads\n"
		"      --app PROGRAM[:EVENTS] events of an application that is linked with libstrata:\n"
		"                             name, pattern or number of the process, all; names of\n"
		"                             events, or GROUP/NAME, with wildcards, comma-separated\n"
		"                             (default: all of them). May be repeated. It takes part\n"
		"                             when it starts, and also if it runs already; without Xen\n"
		"                             and its options, applications are all that is recorded\n"
		"      --app-buffer SIZE[xN]  as --xen-buffer, for each application (default: 64Kx16)\n"
		"      --guest-pages N        maps at most N pages of guests, an eighth of them of one\n"
		"                             (default: 196608, three quarters of what Xen allows dom0;\n"
		"                             more where gnttab_max_maptrack_frames is larger)\n"
		"      --event-header FORM    how each event of kernels and applications begins: full,\n"
		"                             12 bytes (the default); compact, 4 bytes, if its id is\n"
		"                             below 31; large, 8 bytes. Longer after a pause. The\n"
		"                             hypervisor's, and single-store applications', are full\n"
		"      --app-memory KIND      shm: goes with the application and us (default);\n"
		"                             file: stays when both are killed, for `strata recover`, in\n"
		"                             DIR/rings; file:MEMORY: in that directory, which may lie in\n"
		"                             a tmpfs: the disk then never holds an application up.\n"
		"                             Of root's applications; others' rings are in sealed memory\n"
		"      --app-file-users USER,...\n"
		"                             with --app-memory file, also of these users, by name or\n"
		"                             number: each of them can then fill that disk\n"
		"      --switch-timer MS      after so many milliseconds what is in a half full sub-buffer\n"
		"                             is recorded, too, where its CPU is awake: %u to %u;\n"
		"                             0: not before it is full, or recording ends (default: %u)\n"
		"      --ready-fd N           writes a line to the open file N when the recording stands\n"
		"      --wait                 a domain that is named need not be there yet\n"
		"      --overwrite            flight recorder: keep the newest in memory; it is written\n"
		"                             by `strata snapshot`, when a guest dies (into\n"
		"                             DIR-died-NAME), and at the end\n\n"
		"A kernel whose domain starts, or whose module is loaded, while it records takes part\n"
		"from then on, if it is one of those that are recorded. A name without a pattern has to\n"
		"be a domain's that runs, unless with --wait.\n"
		"Status: 0 all was recorded, 1 failed, 2 wrong usage, 3 recorded, but something named on\n"
		"stderr had to be left out. With a COMMAND, what would be 0 is the command's: 128 and\n"
		"its number for a signal, 127 if there is no such command, 126 if it cannot be started.\n"
		"Ctrl-C goes to the command, too, and recording ends with that; a second one ends it\n"
		"at once.\n"
		"Example: strata record --duration 10s --output /tmp/slow --xen 'sched,evtchn_*' "
		"--kernel 'g1:sched_*,irq_*'\n",
		STRATA_SWITCH_MS_MIN, STRATA_SWITCH_MS_MAX, DEFAULT_SWITCH_MS);
}

/* Reads --switch-timer.  STRATA_STATUS_OK or what to exit with. */
static int take_switch_timer(const char *text, struct record_options *options)
{
	unsigned long ms;

	errno = 0;
	ms = strtoul(text, NULL, 10);
	if (!text[0] || text[strspn(text, "0123456789")] || errno || ms > UINT32_MAX ||
	    !strata_switch_ms_valid((uint32_t)ms)) {
		fprintf(stderr,
			"strata: --switch-timer: \"%s\" is not a number of milliseconds from %u to %u, "
			"or 0: never\n",
			text, STRATA_SWITCH_MS_MIN, STRATA_SWITCH_MS_MAX);
		return STRATA_STATUS_USAGE;
	}
	options->switch_ms = (uint32_t)ms;
	return STRATA_STATUS_OK;
}

/* "64K", "64Kx32", "1Mx4".  NULL, or why it is none that a ring can have. */
static const char *parse_geometry(const char *text, struct strata_ring_geometry *geo)
{
	unsigned long bytes, number = 1ul << DEFAULT_NR_BITS;
	char *end;

	bytes = strtoul(text, &end, 10);
	if (*end == 'K' || *end == 'k')
		bytes <<= 10, end++;
	else if (*end == 'M' || *end == 'm')
		bytes <<= 20, end++;
	if (*end == 'x')
		number = strtoul(end + 1, &end, 10);
	if (*end || end == text)
		return "that is no size";
	if (!bytes || !number)
		return "there is nothing in it";
	if (bytes & (bytes - 1) || number & (number - 1))
		return "no power of two";
	if (number == 1)
		return "with one sub-buffer the writer would have none while a reader has it";
	if (bytes < 1ul << STRATA_SUBBUF_BITS_MIN)
		return "its sub-buffers are too small";
	if (bytes > 1ul << STRATA_SUBBUF_BITS_MAX || number > STRATA_NR_SUBBUFS_MAX)
		return "too large";
	geo->subbuf_bits = (uint8_t)(ffsl((long)bytes) - 1);
	geo->nr_subbufs_bits = (uint8_t)(ffsl((long)number) - 1);
	return NULL;
}

static bool parse_form(const char *text, enum strata_header_form *form)
{
	unsigned int i;

	for (i = 0; i < STRATA_NR_HEADER_FORMS; i++) {
		*form = (enum strata_header_form)i;
		if (!strcmp(text, strata_header_form_name(i)))
			return true;
	}
	return false;
}

static int wrong(const char *format, const char *what)
{
	fprintf(stderr, "strata: ");
	fprintf(stderr, format, what);
	fprintf(stderr, "; `strata record --help` says how\n");
	return STRATA_STATUS_USAGE;
}

static int take_geometry(const char *option, const char *argument, struct strata_ring_geometry *geo)
{
	const char *why = parse_geometry(argument, geo);

	if (!why)
		return STRATA_STATUS_OK;
	fprintf(stderr,
		"strata: %s: \"%s\" is not SIZExN with powers of two, 4K to 4M, 2 to 256: %s\n",
		option, argument, why);
	return STRATA_STATUS_USAGE;
}

static int take_pages(const char *argument, struct record_options *options)
{
	char *end;
	unsigned long pages = strtoul(argument, &end, 10);

	if (argument[0] < '0' || argument[0] > '9' || *end || pages == 0 || pages > UINT32_MAX)
		return wrong("--guest-pages wants a number of pages, not %s", argument);
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
	return wrong("--app-memory: \"%s\" is no kind of memory that there is: shm, file, "
		     "file:DIR",
		     argument);
}

/* Reads --ready-fd.  STRATA_STATUS_OK or what to exit with. */
static int take_ready_fd(const char *text, struct record_options *options)
{
	unsigned long fd = strtoul(text, NULL, 10);

	if (!text[0] || text[strspn(text, "0123456789")] || fd > INT_MAX ||
	    fcntl((int)fd, F_GETFD) < 0)
		return wrong("--ready-fd: \"%s\" is no open file's number", text);
	/* A command that kept it open would keep whoever waits for its end. */
	if (fd > STDERR_FILENO && fcntl((int)fd, F_SETFD, FD_CLOEXEC))
		return wrong("--ready-fd: %s cannot be closed for the command", text);
	options->ready_fd = (int)fd;
	return STRATA_STATUS_OK;
}

/* Reads one option into @options.  STRATA_STATUS_OK or what to exit with. */
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
		return take_geometry("--xen-buffer", argument, &options->xen_geometry);
	case 't':
		return take_switch_timer(argument, options);
	case 'w':
		options->wait = true;
		return STRATA_STATUS_OK;
	case 'e':
		return parse_form(argument, &options->event_header)
			       ? STRATA_STATUS_OK
			       : wrong("--event-header: \"%s\" is none of full, compact, large",
				       argument);
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
		return take_geometry("--app-buffer", argument, &options->app_geometry);
	case 'G':
		return take_pages(argument, options);
	case 'M':
		return take_memory(argument, options);
	case 'U':
		if (!app_file_users_add(options->app_file_users, argument, &error))
			return STRATA_STATUS_OK;
		strata_fail_in(&error, "--app-file-users");
		break;
	case OPTION_KERNEL ... OPTION_KERNEL + SELECT_PID:
		if (!select_parse_kernel((enum select_kind)(option - OPTION_KERNEL), argument,
					 &options->kernels[options->nr_kernels], &error)) {
			options->nr_kernels++;
			return STRATA_STATUS_OK;
		}
		break;
	default:
		return wrong("%s", "that is no option of record");
	}
	fprintf(stderr, "strata: %s\n", error.text);
	return STRATA_STATUS_USAGE;
}

/* Options that make no sense where there is no Xen. */
static bool is_of_xen(int option)
{
	return option != 'd' && option != 'o' && option != 'a' && option != 'A' && option != 'f' &&
	       option != 'e' && option != 'M' && option != 'U' && option != 't' && option != 'F' &&
	       option != 'R';
}

/* What it is, and what it starts, is recorded, unless other applications are asked for. */
static void take_command(char *const *argv, struct record_options *options)
{
	options->command = argv;
	if (options->nr_apps)
		return;
	options->apps[0] = (struct app_selection){ .of_command = true, .events = "all" };
	options->nr_apps = 1;
}

/* A recording of its own for each: it replaces none. */
static void set_default_output(char *name, size_t bytes)
{
	time_t now = time(NULL);
	struct tm local;

	strftime(name, bytes, DEFAULT_OUTPUT "%Y%m%d-%H%M%S", localtime_r(&now, &local));
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
		{ "tid", required_argument, NULL, OPTION_KERNEL + SELECT_TID },
		{ "pid", required_argument, NULL, OPTION_KERNEL + SELECT_PID },
		{ "app", required_argument, NULL, 'a' },
		{ "app-buffer", required_argument, NULL, 'A' },
		{ "guest-pages", required_argument, NULL, 'G' },
		{ "event-header", required_argument, NULL, 'e' },
		{ "app-memory", required_argument, NULL, 'M' },
		{ "app-file-users", required_argument, NULL, 'U' },
		{ "switch-timer", required_argument, NULL, 't' },
		{ "ready-fd", required_argument, NULL, 'R' },
		{ "wait", no_argument, NULL, 'w' },
		{ "overwrite", no_argument, NULL, 'f' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct xen_selection xen = { .budget_per_s = DEFAULT_BUDGET };
	struct app_file_users file_users = { .nr = 0 };
	struct record_options options = {
		.app_file_users = &file_users,
		.xen = &xen,
		.xen_events = "all",
		.xen_geometry = { DEFAULT_SUBBUF_BITS, DEFAULT_NR_BITS },
		.app_geometry = { DEFAULT_SUBBUF_BITS, DEFAULT_APP_NR_BITS },
		.switch_ms = DEFAULT_SWITCH_MS,
		.ready_fd = -1,
	};
	bool of_xen = false, timed = false;
	char output[64];
	int option, status = STRATA_STATUS_OK;
	struct strata_error error = { "" };

	options.kernels = calloc((size_t)argc, sizeof(*options.kernels));
	/* One more than there can be options: the command's. */
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
		status = take_option(option, optarg, &options);
		of_xen |= is_of_xen(option);
		timed |= option == 't';
	}
	if (status == STRATA_STATUS_OK && optind < argc && strcmp(argv[optind - 1], "--") == 0)
		take_command(argv + optind, &options);
	options.apps_may_do = options.nr_apps && !of_xen;
	if (status == STRATA_STATUS_OK && timed && options.switch_ms && options.overwrite)
		status = wrong("%s", "--switch-timer is not for --overwrite, which hands over when "
				     "it is asked");
	if (status == STRATA_STATUS_OK && optind < argc && !options.command)
		status = wrong("\"%s\" is one word too many (a command comes after --)",
			       argv[optind]);
	if (status == STRATA_STATUS_OK && !options.output) {
		set_default_output(output, sizeof(output));
		options.output = output;
		options.place = OUTPUT_NEW;
	}
	if (status == STRATA_STATUS_OK)
		status = record_session(&options);
	select_xen_clear(&xen);
	free(options.apps);
	free(options.kernels);
	return status;
}
