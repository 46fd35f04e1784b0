// SPDX-License-Identifier: GPL-2.0-or-later
/* session_table.c - see session_table.h. */
#include "stratad/sessions/session_table.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "control/session_model.h"
#include "stratad/sessions/session_owner.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER; /* a hold or a consumer ended */
static struct managed_session *sessions[SESSION_TABLE_MAX];
static size_t nr_sessions;

/* Under the lock. */
static struct managed_session *find(const char *name)
{
	size_t i;

	for (i = 0; i < nr_sessions; i++)
		if (!strcmp(sessions[i]->model.name, name))
			return sessions[i];
	return NULL;
}

/* Under the lock. */
static void put(struct managed_session *session)
{
	if (--session->users || !session->removed)
		return;
	session_model_clear(&session->model);
	free(session);
}

static struct managed_channel idle_channel(struct managed_session *session)
{
	return (struct managed_channel){
		.session = session,
		.consumer = { .process = -1, .number = -1 },
		.ended = SESSION_NO_NEWS,
	};
}

struct managed_session *session_table_add(struct strata_session *model, struct strata_error *error)
{
	struct managed_session *session = NULL;
	size_t i;

	pthread_mutex_lock(&lock);
	if (find(model->name))
		strata_fail(error, "session %s exists already; `strata destroy %s` removes it",
			    model->name, model->name);
	else if (nr_sessions == SESSION_TABLE_MAX)
		strata_fail(error,
			    "there are %u sessions, as many as there can be; `strata "
			    "destroy` removes one",
			    SESSION_TABLE_MAX);
	else {
		session = calloc(1, sizeof(*session));
		if (!session)
			strata_fail(error, "out of memory");
	}
	if (session) {
		session->model = *model;
		for (i = 0; i < STRATA_SESSION_CHANNELS_MAX; i++)
			session->channels[i] = idle_channel(session);
		for (i = 0; i < STRATA_SESSION_TRIGGERS_MAX; i++)
			session->triggers[i] = idle_channel(session);
		session->held = true;
		session->users = 1;
		sessions[nr_sessions++] = session;
	}
	pthread_mutex_unlock(&lock);
	return session;
}

/* The only session of an owner.  Under the lock.  @nr: OUT, of his sessions */
static struct managed_session *find_only(uid_t owner, size_t *nr)
{
	struct managed_session *only = NULL;
	size_t i;

	*nr = 0;
	for (i = 0; i < nr_sessions; i++)
		if (session_owner(sessions[i]->model.name) == owner) {
			only = sessions[i];
			++*nr;
		}
	return *nr == 1 ? only : NULL;
}

/* The session that a command of @owner's without a name is for.  Under the lock. */
static struct managed_session *find_current(uid_t owner, struct strata_error *error)
{
	char name[STRATA_SESSION_NAME_BYTES];
	struct managed_session *session;
	size_t nr;

	session_files_current(owner, name);
	session = find(name);
	if (!session || session_owner(name) != owner)
		session = find_only(owner, &nr);
	if (!session)
		strata_fail(error, nr ? "name a session, or choose one with `strata "
					"set-session NAME`; `strata status` lists them"
				      : "there are no sessions; `strata create` begins one");
	return session;
}

/* @unless_ending: does not wait for the end of a stop */
static struct managed_session *hold(uid_t owner, const char *name, bool unless_ending,
				    struct strata_error *error)
{
	struct managed_session *session;

	pthread_mutex_lock(&lock);
	session = name ? find(name) : find_current(owner, error);
	if (!session && name)
		strata_fail(error, "there is no session %.*s; `strata status` lists them",
			    (int)STRATA_SESSION_NAME_BYTES, name);
	if (session) {
		session->users++;
		while (session->held && !(unless_ending && session->ends))
			pthread_cond_wait(&changed, &lock);
		if (session->removed || session->held) {
			strata_fail(error, "session %s %s", session->model.name,
				    session->removed ? "was destroyed" : "is being stopped");
			put(session);
			session = NULL;
		} else {
			session->held = true;
		}
	}
	pthread_mutex_unlock(&lock);
	return session;
}

struct managed_session *session_table_hold(uid_t owner, const char *name,
					   struct strata_error *error)
{
	return hold(owner, name, false, error);
}

struct managed_session *session_table_hold_unless_ending(uid_t owner, const char *name,
							 struct strata_error *error)
{
	return hold(owner, name, true, error);
}

void session_table_release(struct managed_session *session)
{
	pthread_mutex_lock(&lock);
	session->held = false;
	put(session);
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

void session_table_release_and_end(struct managed_channel *trigger)
{
	struct managed_session *session = trigger->session;

	pthread_mutex_lock(&lock);
	session->held = false;
	pthread_cond_broadcast(&changed);
	if (trigger->consumer.process >= 0)
		consumer_end(&trigger->consumer);
	while (trigger->consumer.process >= 0)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
}

void session_table_unclaim(struct managed_channel *trigger)
{
	pthread_mutex_lock(&lock);
	*trigger = idle_channel(trigger->session);
	pthread_mutex_unlock(&lock);
}

void session_table_free_trigger(struct managed_channel *trigger)
{
	struct managed_session *session = trigger->session;

	pthread_mutex_lock(&lock);
	*trigger = idle_channel(session);
	put(session);
	pthread_mutex_unlock(&lock);
}

void session_table_remove(struct managed_session *session)
{
	size_t i;

	pthread_mutex_lock(&lock);
	for (i = 0; i < nr_sessions; i++)
		if (sessions[i] == session)
			sessions[i] = sessions[--nr_sessions];
	session->removed = true;
	pthread_mutex_unlock(&lock);
}

void session_table_adopt(struct managed_session *session, const struct strata_session *model)
{
	struct strata_session earlier;

	/* Others look for its name meanwhile. */
	pthread_mutex_lock(&lock);
	earlier = session->model;
	session->model = *model;
	pthread_mutex_unlock(&lock);
	session_model_clear(&earlier);
}

static void *watch(void *data)
{
	struct managed_channel *channel = data;

	/* Nobody else changes it while it runs. */
	consumer_wait(&channel->consumer);
	pthread_mutex_lock(&lock);
	channel->ended = session_files_read_ended(&channel->of);
	consumer_forget(&channel->consumer);
	put(channel->session);
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int session_table_watch(struct managed_channel *channel, const struct session_consumer *of,
			const struct consumer *consumer, struct strata_error *error)
{
	struct managed_session *session = channel->session;
	pthread_t thread;
	int number;

	pthread_mutex_lock(&lock);
	channel->of = *of;
	channel->consumer = *consumer;
	session->users++;
	number = pthread_create(&thread, NULL, watch, channel);
	if (number) {
		session->users--;
		channel->consumer = (struct consumer){ .process = -1, .number = -1 };
		strata_fail(error, "session %s cannot be watched: %s", session->model.name,
			    strerror(number));
	} else {
		pthread_detach(thread);
	}
	pthread_mutex_unlock(&lock);
	return number ? -1 : 0;
}

bool session_table_consumer(const struct managed_channel *channel, struct consumer *consumer)
{
	pthread_mutex_lock(&lock);
	*consumer = channel->consumer;
	pthread_mutex_unlock(&lock);
	return consumer->process >= 0;
}

struct managed_channel *session_table_trigger(struct managed_session *session,
					      const struct session_consumer *of, bool claim)
{
	struct managed_channel *found = NULL, *spare = NULL;
	size_t i;

	pthread_mutex_lock(&lock);
	for (i = 0; i < STRATA_SESSION_TRIGGERS_MAX; i++) {
		struct managed_channel *one = &session->triggers[i];

		if (!strcmp(one->of.name, of->name))
			found = one;
		else if (!one->of.name[0])
			spare = one;
	}
	if (!found && claim && spare) {
		found = spare;
		found->of = *of;
	}
	pthread_mutex_unlock(&lock);
	return found;
}

/* Under the lock. */
static size_t count_counting(const struct managed_session *session)
{
	size_t nr = 0, i;

	for (i = 0; i < STRATA_SESSION_TRIGGERS_MAX; i++)
		nr += session->triggers[i].consumer.process >= 0;
	return nr;
}

/* Under the lock. */
static size_t count_recording(const struct managed_session *session)
{
	size_t nr = 0, i;

	for (i = 0; i < STRATA_SESSION_CHANNELS_MAX; i++)
		nr += session->channels[i].consumer.process >= 0;
	return nr;
}

size_t session_table_count_recording(const struct managed_session *session)
{
	size_t nr;

	pthread_mutex_lock(&lock);
	nr = count_recording(session);
	pthread_mutex_unlock(&lock);
	return nr;
}

size_t session_table_count_counting(const struct managed_session *session)
{
	size_t nr;

	pthread_mutex_lock(&lock);
	nr = count_counting(session);
	pthread_mutex_unlock(&lock);
	return nr;
}

void session_table_end(struct managed_session *session)
{
	size_t i;

	pthread_mutex_lock(&lock);
	session->ends = true;
	pthread_cond_broadcast(&changed);
	/* Here, where their watchers cannot close the descriptors meanwhile. */
	for (i = 0; i < STRATA_SESSION_TRIGGERS_MAX; i++)
		if (session->triggers[i].consumer.process >= 0)
			consumer_end(&session->triggers[i].consumer);
	for (i = 0; i < STRATA_SESSION_CHANNELS_MAX; i++)
		if (session->channels[i].consumer.process >= 0)
			consumer_end(&session->channels[i].consumer);
	while (count_recording(session) || count_counting(session))
		pthread_cond_wait(&changed, &lock);
	session->ends = false;
	pthread_mutex_unlock(&lock);
}

/* Recorders that a session has, or starts.  Under the lock. */
static size_t count_busy(const struct managed_session *session)
{
	const size_t nr = count_recording(session) + count_counting(session);

	return session->starts > nr ? session->starts : nr;
}

int session_table_begin_start(struct managed_session *session, size_t nr_recorders,
			      unsigned int max_of_owner, unsigned int max_of_members,
			      struct strata_error *error)
{
	const uid_t owner = session_owner(session->model.name);
	size_t of_owner = 0, of_members = 0, i;
	int result = 0;

	pthread_mutex_lock(&lock);
	for (i = 0; i < nr_sessions; i++) {
		const uid_t other = session_owner(sessions[i]->model.name);
		const size_t busy = count_busy(sessions[i]);

		if (sessions[i] == session || !busy)
			continue;
		of_owner += other == owner;
		of_members += other == SESSION_OWNER_SELF ? 0 : busy;
	}
	if (of_owner >= max_of_owner)
		result = strata_fail(error,
				     "user %u records %zu sessions, as many as a member of "
				     "the group tracing may; stop one",
				     owner, of_owner);
	else if (of_members + nr_recorders > max_of_members)
		result = strata_fail(error,
				     "members of the group tracing take %zu of the machine's "
				     "recorders, and may take %u together; use fewer channels and "
				     "triggers, or try again when another session has stopped",
				     of_members, max_of_members);
	else
		session->starts = nr_recorders;
	pthread_mutex_unlock(&lock);
	return result;
}

void session_table_end_start(struct managed_session *session)
{
	pthread_mutex_lock(&lock);
	session->starts = 0;
	pthread_mutex_unlock(&lock);
}

size_t session_table_count_of(uid_t owner)
{
	size_t nr;

	pthread_mutex_lock(&lock);
	find_only(owner, &nr);
	pthread_mutex_unlock(&lock);
	return nr;
}

size_t session_table_count_of_members(void)
{
	size_t nr;

	pthread_mutex_lock(&lock);
	find_only(SESSION_OWNER_SELF, &nr);
	nr = nr_sessions - nr;
	pthread_mutex_unlock(&lock);
	return nr;
}

size_t session_table_names(char (**names)[STRATA_SESSION_NAME_BYTES])
{
	size_t nr = 0, i;

	pthread_mutex_lock(&lock);
	*names = calloc(nr_sessions + 1, sizeof(**names));
	for (i = 0; *names && i < nr_sessions; i++, nr++)
		memcpy((*names)[i], sessions[i]->model.name, STRATA_SESSION_NAME_BYTES);
	pthread_mutex_unlock(&lock);
	return nr;
}
