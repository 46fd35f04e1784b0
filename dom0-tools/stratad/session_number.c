// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * session_number.c - the number of a recorder, and with it its channel in the hypervisor, in each
 * kernel and in each application.
 */
#include <stdio.h>

#include <strata/abi/app.h>
#include <strata/abi/guest.h>

#include "consumerd/host/recorder_number.h"
#include "stratad/session.h"

_Static_assert(RECORDERS_MAX <= STRATA_HV_CHANNELS,
	       "each recorder has a channel in the hypervisor");
_Static_assert(RECORDERS_MAX <= STRATA_GUEST_CHANNELS_MAX, "and in each kernel");
_Static_assert(RECORDERS_MAX <= STRATA_APP_CHANNELS, "and in each application");

/* Asks Xen for channel @number, which all later operations are about.  Whether it answers. */
static bool query_channel(struct session *session, unsigned int number, struct strata_hv_op *query)
{
	struct strata_error ignored;

	hypervisor_use_channel(session->hypervisor, number);
	return !hypervisor_query(session->hypervisor, query, &ignored);
}

bool session_continues(const struct session *session)
{
	return session->options->overwrite && !session->options->begins_empty;
}

/* A flight recorder goes on where one of its size died. */
static bool continues(void *data, unsigned int number)
{
	struct session *session = data;

	hypervisor_use_channel(session->hypervisor, number);
	return hypervisor_flies(session->hypervisor, session_xen_geometry(session));
}

static bool died_flying(unsigned int number)
{
	char holder[RUN_LOCK_HOLDER_BYTES];
	bool flight;

	return recorder_number_died(number, holder, &flight) && flight;
}

/* One without Xen goes on where one without Xen died. */
static bool continues_kernels(void *data, unsigned int number)
{
	struct strata_hv_op query;

	return died_flying(number) && query_channel(data, number, &query) &&
	       query.u.query.state == STRATA_HV_IDLE;
}

/* Others leave a flight recorder that died as it is, if they can. */
static bool is_free(void *data, unsigned int number)
{
	struct session *session = data;
	struct strata_hv_op query;

	if (died_flying(number))
		return false;
	return !session->hypervisor || (query_channel(session, number, &query) &&
					(query.u.query.state == STRATA_HV_IDLE ||
					 !(query.u.query.flags & STRATA_HV_OVERWRITE)));
}

static void complain(const struct strata_error *error)
{
	fprintf(stderr, "strata: %s\n", error->text);
}

/* Whether the channel has rings that nobody asks for once their recorder is dead: any but a flight
 * recorder's.  Rings that are not complete have an owner, but are IDLE. */
static bool has_left_over(struct session *session, unsigned int number, struct strata_hv_op *query)
{
	return query_channel(session, number, query) && query->u.query.owner[0] &&
	       !(query->u.query.flags & STRATA_HV_OVERWRITE);
}

/* Ends what recorder @number left, which died, unless it was a flight recorder: nobody else asks
 * for it.  In our own channel of the hypervisor, too, where we may make no rings. */
static void free_left_of(struct session *session, unsigned int number)
{
	const bool own = number == session->number;
	char holder[RUN_LOCK_HOLDER_BYTES];
	struct strata_error error;
	struct strata_hv_op query;
	bool flight = false, died;
	int lock;

	died = !own && recorder_number_died(number, holder, &flight);
	if (flight || (!died && !has_left_over(session, number, &query)))
		return;
	lock = own ? session->lock : recorder_number_take_dead(number, &error);
	if (lock < 0)
		return;
	/* Whoever had the lock may have freed them meanwhile. */
	if (has_left_over(session, number, &query) &&
	    hypervisor_free_left(session->hypervisor, query.u.query.owner, &error))
		complain(&error);
	if (died && participants_free_left(&session->kernels, number, holder, &error))
		complain(&error);
	if (!own)
		run_lock_release(lock);
}

static void free_left(struct session *session)
{
	struct strata_error error;
	unsigned int i;

	for (i = 0; i < RECORDERS_MAX; i++)
		free_left_of(session, i);
	/* Also in kernels that are not recorded this time. */
	if (!session_continues(session) &&
	    participants_free_left(&session->kernels, session->number, "a recorder", &error))
		complain(&error);
}

int session_take_number(struct session *session, struct strata_error *error)
{
	const bool flight = session->options->overwrite;

	session->lock = RECORDER_NUMBER_NONE;
	if (session_continues(session) && session->hypervisor)
		session->lock = recorder_number_take_wanted(
			flight, session_records_xen(session) ? continues : continues_kernels,
			session, &session->number, error);
	if (session->lock == RECORDER_NUMBER_NONE)
		session->lock =
			recorder_number_take(flight, is_free, session, &session->number, error);
	if (session->lock < 0)
		return -1;
	if (!session->hypervisor)
		return 0;
	free_left(session);
	hypervisor_use_channel(session->hypervisor, session->number);
	return 0;
}

void session_release_number(struct session *session)
{
	if (session->lock >= 0)
		run_lock_release(session->lock);
}
