// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * session_number.c - the number of a recorder, and with it its channel in the hypervisor; and the
 * right to record what only one recorder at a time can record.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "consumerd/host/recorder_number.h"
#include "stratad/session.h"

_Static_assert(RECORDERS_MAX <= STRATA_HV_CHANNELS,
	       "each recorder has a channel in the hypervisor");

/* Asks Xen for channel @number, which all later operations are about.  Whether it answers. */
static bool query_channel(struct session *session, unsigned int number, struct strata_hv_op *query)
{
	struct strata_error ignored;

	hypervisor_use_channel(session->hypervisor, number);
	return !hypervisor_query(session->hypervisor, query, &ignored);
}

/* A flight recorder goes on where one of its size died. */
static bool continues(void *data, unsigned int number)
{
	struct session *session = data;

	hypervisor_use_channel(session->hypervisor, number);
	return hypervisor_flies(session->hypervisor, session->options->xen_geometry);
}

/* Others leave a flight recorder that died as it is, if they can. */
static bool is_free(void *data, unsigned int number)
{
	struct session *session = data;
	struct strata_hv_op query;

	return query_channel(session, number, &query) &&
	       (query.u.query.state == STRATA_HV_IDLE ||
		!(query.u.query.flags & STRATA_HV_OVERWRITE));
}

/* Whether the channel has rings that nobody asks for once their recorder is dead: any but a flight
 * recorder's.  Rings that are not complete have an owner, but are IDLE. */
static bool has_left_over(struct session *session, unsigned int number, struct strata_hv_op *query)
{
	return query_channel(session, number, query) && query->u.query.owner[0] &&
	       !(query->u.query.flags & STRATA_HV_OVERWRITE);
}

/* Frees the rings of recorders that died, also those in our own channel, where we may make none. */
static void free_left(struct session *session)
{
	unsigned int i;

	for (i = 0; i < RECORDERS_MAX; i++) {
		const bool own = i == session->number;
		struct strata_error error;
		struct strata_hv_op query;
		int lock;

		if (!has_left_over(session, i, &query))
			continue;
		lock = own ? session->lock : recorder_number_take_dead(i, &error);
		if (lock < 0)
			continue;
		/* Whoever had the lock may have freed them meanwhile. */
		if (has_left_over(session, i, &query) &&
		    hypervisor_free_left(session->hypervisor, query.u.query.owner, &error))
			fprintf(stderr, "strata: %s\n", error.text);
		if (!own)
			close(lock);
	}
}

int session_take_number(struct session *session, struct strata_error *error)
{
	const bool flight = session->options->overwrite;

	if (!session->hypervisor) {
		session->lock = recorder_number_take(flight, NULL, NULL, &session->number, error);
		return session->lock < 0 ? -1 : 0;
	}
	session->lock = RECORDER_NUMBER_NONE;
	if (flight && session_records_xen(session))
		session->lock = recorder_number_take_wanted(flight, continues, session,
							    &session->number, error);
	if (session->lock == RECORDER_NUMBER_NONE)
		session->lock =
			recorder_number_take(flight, is_free, session, &session->number, error);
	if (session->lock < 0)
		return -1;
	free_left(session);
	hypervisor_use_channel(session->hypervisor, session->number);
	return 0;
}

int session_claim_kernels(struct session *session, struct strata_error *error)
{
	if (session->kernels_lock >= 0)
		return 0;
	session->kernels_lock = recorder_number_claim(RECORDER_KERNELS, "--kernel none",
						      session->number, session->options->overwrite,
						      error);
	return session->kernels_lock < 0 ? -1 : 0;
}

/* Whether the options select any kernel. */
static bool wants_kernels(const struct record_options *options)
{
	size_t i;

	for (i = 0; i < options->nr_kernels; i++)
		if (options->kernels[i].kind != SELECT_EVENTS ||
		    strcmp(options->kernels[i].domain, "none"))
			return true;
	return options->nr_kernels == 0;
}

int session_claim(struct session *session, struct strata_error *error)
{
	if (session->hypervisor && wants_kernels(session->options) &&
	    session_claim_kernels(session, error))
		return -1;
	if (!session->options->nr_apps)
		return 0;
	session->apps_lock = recorder_number_claim(RECORDER_APPS, "no --app, and no command",
						   session->number, session->options->overwrite,
						   error);
	return session->apps_lock < 0 ? -1 : 0;
}

void session_release_locks(struct session *session)
{
	const int locks[] = { session->apps_lock, session->kernels_lock, session->lock };
	size_t i;

	for (i = 0; i < sizeof(locks) / sizeof(locks[0]); i++)
		if (locks[i] >= 0)
			close(locks[i]);
}
