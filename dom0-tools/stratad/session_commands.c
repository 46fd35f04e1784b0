// SPDX-License-Identifier: GPL-2.0-or-later
/* session_commands.c - serves commands to a recording, and writes snapshots when a guest dies; see
 * session.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/exit_status.h"
#include "consumerd/host/control_socket.h"
#include "stratad/session.h"
#include "stratad/snapshot.h"

/* Timeout of a selection for xenstored. */
#define SELECT_MS 10000u

/* Between looks at programs that start while all rings are emptied; or as long as the last look
 * took, if that is longer: programs that talk without end take half of the time at most. */
#define SERVE_MS 1u

static struct hypervisor *recorded_hypervisor(struct session *session)
{
	return session_records_xen(session) ? session->hypervisor : NULL;
}

/* The part of a message that tells what a snapshot lacks; "" if nothing. */
static const char *what_is_missing(const struct recorder_totals *totals)
{
	if (totals->was_full)
		return "; the disk was full, so events were lost: free some space, or record to another disk (--output)";
	if (totals->was_shared)
		return "; a user or guest used up its share of the disk, so events were lost: free some space, or record to another disk (--output)";
	if (totals->was_too_large)
		return "; files of streams reached the limit of a file's size (ulimit -f), so events were lost";
	if (totals->bad_packets)
		return "; invalid packets were left out";
	return "";
}

/* While a snapshot is written, or memory cleared: a program that starts waits for us, and one
 * user's full rings may take longer than that.  Programs that end are drained afterwards. */
static void serve_programs(void *data)
{
	struct session *session = data;
	const uint64_t pause = (uint64_t)recorder_recording(session->recorder)->tsc_khz * SERVE_MS;
	const uint64_t begin = strata_clock();
	uint64_t taken;

	if (begin < session->serve_again_ticks)
		return;
	principals_begin_turn(recorder_principals(session->recorder));
	apps_tend(&session->apps);
	taken = strata_clock() - begin;
	session->serve_again_ticks = begin + taken + (taken > pause ? taken : pause);
}

/* @recorder: of the snapshot.  @written: OUT, its directory */
static void prepare_snapshot(struct session *session, struct recorder *recorder,
			     char written[PATH_MAX])
{
	snprintf(written, PATH_MAX, "%s", recorder_dir(recorder)->path);
	recorder_set_meanwhile(recorder, serve_programs, session);
}

void session_keep_last_moments(void *data, const struct participant *one)
{
	struct session *session = data;
	const struct strata_recording *recording = recorder_recording(session->recorder);
	struct principal *who = principals_domain(recorder_principals(session->recorder),
						  one->domain, one->uuid, one->guest.name);
	struct recorder_totals totals = { 0 };
	struct strata_error error = { "" };
	enum recorder_copy extent = RECORDER_COPY_ALL;
	struct recorder *recorder;
	char written[PATH_MAX];
	bool news, failed;

	if (!who)
		return; /* out of memory: do not report it */
	if (session->options->final_max && session->finals >= session->options->final_max) {
		principal_complain(
			who,
			"%s: its final events are not saved, because %u copies of final events "
			"are all that one start makes; stop and start the session for more",
			recording->sources[one->source].name, session->finals);
		return;
	}
	/* It decides when to die, and all rings are copied then. Large rings of others must not
	 * prevent it. */
	if (!recorder_has_room_for_copy(session->recorder, who, extent))
		extent = RECORDER_COPY_OWN;
	if (!recorder_has_room_for_copy(session->recorder, who, extent)) {
		principal_complain(
			who,
			"%s: its final events are not saved, because its share of the disk has no "
			"room for a copy of its rings; free some space",
			recording->sources[one->source].name);
		return;
	}
	if (allowance_moments(&session->kernels.allowances, one->uuid, &news) !=
	    ALLOWANCE_GRANTED) {
		if (news)
			fprintf(stderr,
				"strata: %s has died %u times: its final events are no longer saved\n",
				recording->sources[one->source].name, ALLOWANCE_MOMENTS);
		return;
	}
	session_find_cpus(session);
	recorder = recorder_open_final(recorder_dir(session->recorder)->path,
				       recording->sources[one->source].name, &error);
	if (recorder)
		prepare_snapshot(session, recorder, written);
	failed = !recorder || snapshot_take(&session->kernels, recorded_hypervisor(session),
					    &session->apps, one, extent, recorder, &totals, &error);
	/* Most of one that failed may be there. */
	if (!failed || totals.bytes)
		recorder_note_copy(session->recorder, who, extent, totals.bytes);
	if (failed) {
		fprintf(stderr, "strata: %s\n", error.text);
		return;
	}
	fprintf(stderr,
		"strata: its final events are in %s: %" PRIu64 " events (%" PRIu64 " KiB)%s%s\n",
		written, totals.events, totals.bytes >> 10,
		extent == RECORDER_COPY_OWN
			? "; those of other guests and applications are left out, because its "
			  "share of the disk has no room for them: free some space"
			: "",
		what_is_missing(&totals));
	session->snapshots++;
	session->finals++;
}

static int take_snapshot(struct session *session, struct control_request *request,
			 enum output_place place, char *answer, size_t bytes)
{
	struct recorder_totals totals;
	char written[PATH_MAX];
	struct strata_error error = { "" };
	struct recorder *recorder;

	if (!session->options->overwrite) {
		snprintf(
			answer, bytes,
			"events are already written to disk; `strata record --overwrite` keeps them in memory for snapshots");
		return STRATA_STATUS_FAILED;
	}
	session_find_cpus(session);
	recorder = recorder_open(request->argument, place, &error);
	if (recorder)
		prepare_snapshot(session, recorder, written);
	if (!recorder ||
	    snapshot_take(&session->kernels, recorded_hypervisor(session), &session->apps, NULL,
			  RECORDER_COPY_ALL, recorder, &totals, &error)) {
		snprintf(answer, bytes, "%s", error.text);
		return STRATA_STATUS_FAILED;
	}
	session->snapshots++;
	snprintf(answer, bytes, "%" PRIu64 " events (%" PRIu64 " KiB) are in %s%s", totals.events,
		 totals.bytes >> 10, written, what_is_missing(&totals));
	return what_is_missing(&totals)[0] ? STRATA_STATUS_PARTIAL : STRATA_STATUS_OK;
}

static int serve_snapshot(struct session *session, struct control_request *request, char *answer,
			  size_t bytes)
{
	return take_snapshot(session, request, OUTPUT_FREE, answer, bytes);
}

static int serve_snapshot_force(struct session *session, struct control_request *request,
				char *answer, size_t bytes)
{
	return take_snapshot(session, request, OUTPUT_REPLACE, answer, bytes);
}

/* Why the recording cannot rotate; NULL: it can. */
static const char *why_no_rotation(const struct session *session)
{
	if (session->options->overwrite)
		return "a flight recorder does not rotate; `strata snapshot` writes its events";
	if (session->options->app_files)
		return "a recording that contains the rings of its applications (--app-memory "
		       "file) cannot rotate";
	if (!session->options->rotation_dir)
		return "the recorder was started without --rotate-size and --rotate-time";
	return NULL;
}

/* Where a rotation is to continue.  NULL: the recorder chooses. */
static const char *next_recording(const struct control_request *request)
{
	return request->argument[0] ? request->argument : NULL;
}

static int serve_rotate(struct session *session, struct control_request *request, char *answer,
			size_t bytes)
{
	const char *why = why_no_rotation(session);
	struct strata_error error = { "" };
	char ended[PATH_MAX];
	int result = -1;

	snprintf(ended, sizeof(ended), "%s", session->dir.path);
	if (!why)
		result = session_rotate(session, next_recording(request), &error);
	if (result < 0) {
		snprintf(answer, bytes, "%s", why ? why : error.text);
		return STRATA_STATUS_FAILED;
	}
	snprintf(answer, bytes, "the recording in %s is %s; recording continues in %s", ended,
		 result ? "incomplete, because of a write error" : "complete", session->dir.path);
	return result ? STRATA_STATUS_PARTIAL : STRATA_STATUS_OK;
}

/* "BYTES MS KEEP" */
static int serve_rotation(struct session *session, struct control_request *request, char *answer,
			  size_t bytes)
{
	const char *why = why_no_rotation(session);
	struct strata_rotation when;

	if (!why && sscanf(request->argument, "%" SCNu64 " %" SCNu32 " %" SCNu32, &when.bytes,
			   &when.ms, &when.keep) != 3)
		why = "the rotation is invalid; use the strata of the same build";
	if (why) {
		snprintf(answer, bytes, "%s", why);
		return STRATA_STATUS_FAILED;
	}
	rotation_set(session->rotation, &when);
	answer[0] = '\0';
	return STRATA_STATUS_OK;
}

/* 0 or -1. */
static int clear_memory(struct session *session, struct strata_error *error)
{
	int result;

	recorder_set_meanwhile(session->recorder, serve_programs, session);
	result = snapshot_clear(&session->kernels, recorded_hypervisor(session), session->recorder,
				error);
	recorder_set_meanwhile(session->recorder, NULL, NULL);
	return result;
}

static int serve_clear(struct session *session, struct control_request *request, char *answer,
		       size_t bytes)
{
	struct strata_error error = { "" };
	const char *why = session->options->overwrite ? NULL : why_no_rotation(session);
	int result;

	session_find_cpus(session);
	if (!why)
		result = session->options->overwrite
				 ? clear_memory(session, &error)
				 : session_clear(session, next_recording(request), &error);
	if (why || result) {
		snprintf(answer, bytes, "%s", why ? why : error.text);
		return STRATA_STATUS_FAILED;
	}
	snprintf(answer, bytes, "the recorded events are removed; %s%s",
		 session->options->overwrite ? "recording continues in memory"
					     : "recording continues in ",
		 session->options->overwrite ? "" : session->dir.path);
	return STRATA_STATUS_OK;
}

static int serve_status(struct session *session, struct control_request *request, char *answer,
			size_t bytes)
{
	(void)request;
	/* Behind the exit status, in one line. */
	session_describe_status(session, answer, bytes - 8);
	return STRATA_STATUS_OK;
}

/* How long a selection waits for applications. */
#define SELECT_APPS_MS 500u

/* Answered later, when all kernels and applications have got their commands. */
static int serve_select(struct session *session, struct control_request *request, char *answer,
			size_t bytes)
{
	struct strata_error error = { "" };

	session->kernels.failed = false;
	if (session_reselect(session, request->argument, &error)) {
		snprintf(answer, bytes, "%s", error.text);
		return STRATA_STATUS_FAILED;
	}
	session->selector = *request;
	session->selecting = true;
	session->selecting_ticks = strata_clock();
	return STRATA_STATUS_OK;
}

static void answer_selector(struct session *session, int status, const char *text)
{
	session->selecting = false;
	control_socket_answer(&session->selector, status, text);
}

static void answer_what_holds(struct session *session)
{
	static const char is_now[] = "the selection is now:";
	char text[CONTROL_LINE_BYTES - 64] = "";

	memcpy(text, is_now, sizeof(is_now));
	session_describe_selection(session, text + sizeof(is_now) - 1,
				   sizeof(text) - sizeof(is_now) + 1);
	answer_selector(session, STRATA_STATUS_OK, text);
}

/* Answers a selection when all its commands are in xenstore, and messages are sent. */
static void tend_selection(struct session *session)
{
	const struct participants *kernels = &session->kernels;
	const uint64_t waited_ms = session_ms_since(session, session->selecting_ticks);

	if (kernels->failed)
		answer_selector(session, STRATA_STATUS_FAILED, kernels->why_failed.text);
	else if (!participants_unwritten(kernels) &&
		 (waited_ms >= SELECT_APPS_MS || apps_settled(&session->apps)))
		answer_what_holds(session);
	else if (participants_unwritten(kernels) && waited_ms >= SELECT_MS)
		answer_selector(session, STRATA_STATUS_FAILED,
				"xenstored does not answer: kernels record other events as soon as "
				"it does");
}

void session_serve_end(struct session *session)
{
	if (session->selecting)
		answer_selector(session, STRATA_STATUS_FAILED,
				"the recorder is ending; start another one");
}

static const struct {
	const char *word;
	int (*serve)(struct session *session, struct control_request *request, char *answer,
		     size_t bytes);
} commands[] = {
	{ "snapshot", serve_snapshot }, { "snapshot-force", serve_snapshot_force },
	{ "select", serve_select },     { "status", serve_status },
	{ "rotate", serve_rotate },     { "rotation", serve_rotation },
	{ "clear", serve_clear },
};

void session_serve(struct session *session)
{
	struct control_request request;
	char answer[CONTROL_LINE_BYTES] = "this recorder knows no such command; use the strata of "
					  "the same build";
	int status = STRATA_STATUS_USAGE;
	size_t i;

	if (session->selecting)
		tend_selection(session);
	/* One command after the other. */
	if (session->selecting || !control_socket_take(&session->control, &request))
		return;
	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(request.word, commands[i].word))
			status = commands[i].serve(session, &request, answer, sizeof(answer));
	if (!session->selecting)
		control_socket_answer(&request, status, answer);
}
