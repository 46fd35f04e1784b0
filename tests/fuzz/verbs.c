// SPDX-License-Identifier: GPL-2.0-or-later
/* verbs.c - see verbs.h. */
#include "verbs.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_status.h"
#include "control/library/listing.h"
#include "strata/commands.h"
#include "strata/list_text.h"
#include "fake_host.h"
#include "fake_hypervisor.h"
#include "stratad/listing/list_request.h"
#include "stratad/record_session.h"

/* Each of three waits for answers lasts ten seconds at most, a look every two milliseconds or more;
 * a liar can cost one of its own before the start. */
#define WAITS_MAX 30000u

#define TEXT_BYTES_MAX (128u << 10)

/* For so long, in virtual time. */
#define RECORD_MS 200u

bool verbs_shown;

/* Output goes to a buffer meanwhile. */
struct words {
	FILE *to, *out, *err;
	char *text;
	size_t length;
};

static void listen(struct words *words)
{
	words->to = open_memstream(&words->text, &words->length);
	if (!words->to)
		abort();
	words->out = stdout;
	words->err = stderr;
	stdout = words->to;
	stderr = words->to;
}

/* Only the tool's own text goes to a terminal, and not much. */
static const char *heard(struct words *words)
{
	size_t i;

	stdout = words->out;
	stderr = words->err;
	fclose(words->to);
	if (verbs_shown)
		fwrite(words->text, 1, words->length, stderr);
	if (words->length > TEXT_BYTES_MAX)
		return "it says too much";
	for (i = 0; i < words->length; i++)
		if ((unsigned char)words->text[i] < ' ' && words->text[i] != '\n')
			return "it prints control characters";
	return NULL;
}

static const char *check_host(void)
{
	if (fake_host.misuse)
		return fake_host.misuse;
	if (fake_host.mappings || fake_host.mapped_pages)
		return "pages of guests stay mapped";
	if (fake_host.open_handles)
		return "handles stay open";
	if (fake_host.waits > WAITS_MAX)
		return "it waits too often";
	return NULL;
}

/* As the command line would have it.  Returns how many. */
static size_t select_events(const struct plan *plan, struct kernel_selection *kernels)
{
	struct strata_error error = { "" };
	size_t nr = 0;

	if (plan->defaults)
		return 0;
	if (select_parse_kernel(SELECT_EVENTS, plan->some ? "*:tick,text/*,mixed" : "*:all",
				&kernels[nr++], &error) ||
	    (plan->probes &&
	     select_parse_kernel(SELECT_KPROBE, "*:do_it+0x10", &kernels[nr++], &error)) ||
	    (plan->contexts &&
	     select_parse_kernel(
		     SELECT_CONTEXT,
		     "*:prio,procname,callstack-kernel,callstack-user,perf:cpu:cs,perf:cpu:cycles",
		     &kernels[nr++], &error)))
		abort();
	return nr;
}

const char *record_checked(const char *raw, const struct plan *plan, bool partial, char **text)
{
	struct xen_selection xen = { .budget_per_s = 100000 };
	struct kernel_selection kernels[3];
	const struct record_options options = {
		.output = raw,
		.place = OUTPUT_REPLACE,
		.ready_fd = -1,
		.duration_ms = plan->duration_ms ? plan->duration_ms : RECORD_MS,
		.xen = &xen,
		.xen_events = "all",
		.xen_domains = plan->xen && plan->some ? "!idle" : NULL,
		.xen_geometry = FAKE_XEN_GEOMETRY,
		.kernels = kernels,
		.nr_kernels = select_events(plan, kernels),
		.switch_ms = plan->switch_ms,
		.overwrite = plan->overwrite,
		.guest_pages = plan->guest_pages,
		.event_header = plan->form,
	};
	struct strata_error error = { "" };
	struct words words;
	const char *wrong;
	bool nothing;
	int status;

	if (plan->xen && select_xen_events(&xen, "all", &error))
		abort();
	listen(&words);
	status = record_session(&options);
	wrong = heard(&words);
	select_xen_clear(&xen);
	/* All liars may be refused before the recording begins. */
	nothing = words.text && strstr(words.text, "there is nothing to record");
	if (text)
		*text = words.text;
	else
		free(words.text);
	if (status != STRATA_STATUS_OK && !(partial && status == STRATA_STATUS_PARTIAL) &&
	    !(status == STRATA_STATUS_FAILED && nothing && liars_are_alone()))
		return "the recording fails";
	if (plan->xen && !fake_hypervisor_freed())
		return "Xen's rings stay";
	return wrong ? wrong : check_host();
}

/* As `stratad --list` and `strata list --events` do, in one process. */
static bool list_all(void)
{
	struct json_object *request = json_object_new_object();
	struct strata_control *control = strata_control_new();
	struct strata_error error = { "" };
	bool well;

	json_object_object_add(request, "events", json_object_new_boolean(true));
	json_object_object_add(request, "fields", json_object_new_boolean(true));
	control->reply = list_request_answer(request);
	well = json_object_get_int(json_object_object_get(control->reply, "status")) ==
		       STRATA_STATUS_OK &&
	       !listing_read(control, &error);
	if (well)
		list_text_host(strata_control_listing(control), true, false);
	strata_control_free(control);
	json_object_put(request);
	return well;
}

const char *list_checked(void)
{
	struct words words;
	const char *wrong;
	bool well;

	listen(&words);
	well = list_all();
	wrong = heard(&words);
	free(words.text);
	if (!well)
		return "strata list fails";
	return wrong ? wrong : check_host();
}

const char *merge_checked(const char *raw, const char *out, bool honest)
{
	char *argv[] = { "merge", (char *)(uintptr_t)raw, "-o", (char *)(uintptr_t)out, "--force",
			 NULL };
	struct words words;
	bool nothing;
	int status;

	listen(&words);
	optind = 0;
	status = strata_cmd_merge(5, argv);
	/* It shows times in columns, and its progress: with tabs and the like. */
	heard(&words);
	nothing = words.text && strstr(words.text, "it contains no readable event");
	free(words.text);
	/* A liar alone may have recorded nothing but times that it cannot have seen. */
	if (status == STRATA_STATUS_FAILED && nothing && !honest)
		return NULL;
	return status == STRATA_STATUS_OK || status == STRATA_STATUS_PARTIAL ? NULL
									     : "strata merge fails";
}
