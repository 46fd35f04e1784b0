// SPDX-License-Identifier: MIT
/*
 * attach.c - the threads of a process that talk with recorders (strata/abi/app.h): one waits for
 * recorders, and each recorder that is connected has one, so none waits for another.
 *
 * The waiting thread sleeps on a futex (wait_page.c).  No message can reach it: only the
 * process's own user and root can open that page, and the process itself connects, to places that
 * belong to root.
 *
 * A recorder's place (recorder_socket.h) is idle or served.  A recorder's call may find its place
 * served, because the connection with the recorder that had it before is just ending.  So the
 * thread that served it looks whether somebody has called since that connection was made, before
 * the place is idle again.
 *
 * The first message to a recorder says whether this process wakes it, which takes the waiting
 * thread.  The first thread that a process may have serves a recorder; whether there is a second
 * one that waits is known before the first sends that message.
 */
#include "libstrata/libstrata.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "libstrata/connection.h"
#include "libstrata/recorder_socket.h"
#include "libstrata/wait_page.h"
#include "libstrata/wake.h"

/* Guarded by the registry's lock, but for what is said. */
static struct {
	bool served[RECORDERS];    /* by a thread, or by one that is being made */
	uint64_t calls[RECORDERS]; /* before the last attempt to connect to that recorder */
	uint64_t answered; /* of the waiting thread: calls before its last round of attempts */
	bool later;        /* likewise: an attempt was not possible */
	bool waits_next;   /* of attach_start(): the waiting thread has not been started yet */
	bool waits;        /* likewise: it has been */
	bool no_thread;    /* likewise: one that serves a recorder could not be */
} attach;

/* Held by attach_start() until it has connected: from then on the waiting thread does. */
static pthread_mutex_t connecting = PTHREAD_MUTEX_INITIALIZER;

/* Held by attach_start() until the waiting thread runs, or cannot be started. */
static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER;

/* Pause before the next attempt after a lack of files or memory, or a busy recorder. */
#define AGAIN_NS 250000000

/* A static program has neither. */
#pragma weak dlopen
#pragma weak dladdr1

/*
 * Keeps the library that holds this code loaded, also when a program closes the library that
 * needed it: the thread never ends.  False: it could be unloaded.
 */
static bool stay_loaded(void)
{
	struct link_map *map = NULL;
	Dl_info info;

	if (!dlopen || !dladdr1)
		return true;
	if (!dladdr1((void *)stay_loaded, &info, (void **)&map, RTLD_DL_LINKMAP) || !map)
		return false;
	/* The program itself has no name there. */
	return !map->l_name[0] || dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

/* The program's signals are for its own threads.  False: this process may have no more threads. */
static bool start_thread(void *(*run)(void *), void *argument)
{
	sigset_t all, before;
	pthread_attr_t attributes;
	pthread_t thread;
	bool started;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	started = pthread_create(&thread, &attributes, run, argument) == 0;
	pthread_attr_destroy(&attributes);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return started;
}

/*
 * Connects to a recorder whose place the caller has made `served`.  The page exists already, and
 * the calls are read first: a recorder that begins to listen after this attempt finds the page, and
 * adds one more call.
 */
static enum connection_try try_to_connect(uint32_t recorder, const struct timespec *until)
{
	const uint64_t calls = wait_page_calls();

	registry_lock();
	attach.calls[recorder] = calls;
	registry_unlock();
	return connection_open(recorder, until);
}

/* False: no recorder has called since the last attempt, and its place is idle now. */
static bool was_called_meanwhile(uint32_t recorder)
{
	bool called;

	registry_lock();
	called = wait_page_calls() != attach.calls[recorder];
	attach.served[recorder] = called;
	registry_unlock();
	return called;
}

/* Connects to a recorder again, and once more after a pause as long as that is not possible now. */
static bool connect_again(uint32_t recorder)
{
	const struct timespec pause = { .tv_nsec = AGAIN_NS };
	enum connection_try result;
	struct timespec until;

	for (;;) {
		until = connection_limit();
		result = try_to_connect(recorder, &until);
		if (result != CONNECTION_LATER)
			return result == CONNECTION_MADE;
		nanosleep(&pause, NULL);
	}
}

/* Waits until another thread has released a mutex. */
static void await_release(pthread_mutex_t *mutex)
{
	pthread_mutex_lock(mutex);
	pthread_mutex_unlock(mutex);
}

static void *serve_recorder(void *number)
{
	const uint32_t recorder = (uint32_t)(uintptr_t)number;
	bool connected = true;

	await_release(&starting);
	do {
		if (connected)
			connection_serve(recorder);
		if (!was_called_meanwhile(recorder))
			return NULL;
		connected = connect_again(recorder);
	} while (true);
}

/* Makes a place `served`.  False: it was already. */
static bool begin_to_serve(uint32_t recorder)
{
	bool begins;

	registry_lock();
	begins = !attach.served[recorder];
	attach.served[recorder] = true;
	registry_unlock();
	return begins;
}

static void stop_to_serve(uint32_t recorder)
{
	registry_lock();
	attach.served[recorder] = false;
	registry_unlock();
}

static void *await_recorders(void *unused);

/* Starts the waiting thread, once, if recorders can call this process.  A process without it wakes
 * no recorder. */
static void start_to_wait(bool can_be_called)
{
	if (!attach.waits_next)
		return;
	attach.waits_next = false;
	attach.waits = can_be_called && start_thread(await_recorders, NULL);
	if (attach.waits && wait_page_is_there())
		rings_mark_own();
	pthread_mutex_unlock(&starting);
}

/* Connects to all recorders that listen and are not connected.  The number of connections made. */
static uint32_t connect_all(bool can_be_called)
{
	const struct timespec until = connection_limit();
	uint32_t recorder, nr = 0;

	attach.answered = wait_page_calls();
	attach.later = false;
	/* After the calls are read: who asks from now on calls once more. */
	connection_wake(wake_take());
	for (recorder = 0; recorder < RECORDERS; recorder++) {
		enum connection_try result;

		if (!begin_to_serve(recorder))
			continue;
		result = try_to_connect(recorder, &until);
		/* Without its thread, nothing would answer. */
		if (result == CONNECTION_MADE &&
		    !start_thread(serve_recorder, (void *)(uintptr_t)recorder)) {
			connection_drop(recorder);
			result = CONNECTION_LATER;
			attach.no_thread = true;
		}
		if (result != CONNECTION_MADE)
			stop_to_serve(recorder);
		else
			start_to_wait(can_be_called);
		attach.later |= result == CONNECTION_LATER;
		nr += result == CONNECTION_MADE;
	}
	return nr;
}

/* Whether a page that could not be made can be later. */
static bool may_be_made(void)
{
	return errno == EMFILE || errno == ENFILE || errno == ENOMEM;
}

/* Sleeps until the next attempt.  False: there will be none. */
static bool await_recorder(void)
{
	const struct timespec pause = { .tv_nsec = AGAIN_NS };

	if (wait_page_is_there())
		return wait_page_await(attach.answered, attach.later ? &pause : NULL);
	if (wait_page_make()) {
		rings_mark_own();
		return true;
	}
	if (!may_be_made())
		return false;
	nanosleep(&pause, NULL);
	return true;
}

static void *await_recorders(void *unused)
{
	(void)unused;
	await_release(&connecting);
	do {
		wait_page_answer(attach.answered);
		if (!await_recorder())
			return NULL; /* recorders cannot attach to this process */
		connect_all(true);
	} while (true);
}

/* This process is never recorded: tells the recorders that it is not connected to. */
static void tell_no_thread(void)
{
	const struct timespec until = connection_limit();
	uint32_t recorder;

	for (recorder = 0; recorder < RECORDERS; recorder++) {
		if (!begin_to_serve(recorder))
			continue;
		if (connection_open(recorder, &until) == CONNECTION_MADE) {
			connection_tell_no_thread(recorder, &until);
			connection_drop(recorder);
		}
		stop_to_serve(recorder);
	}
}

void attach_start(void)
{
	bool can_be_called;

	connection_prepare(strata_app_wait_ms(secure_getenv(STRATA_APP_WAIT_VARIABLE)));
	rings_prepare();
	if (!stay_loaded())
		return;
	can_be_called = wait_page_make() || may_be_made();
	pthread_mutex_lock(&connecting);
	pthread_mutex_lock(&starting);
	attach.waits_next = true;
	attach.waits = attach.no_thread = false;
	connect_all(can_be_called);
	start_to_wait(can_be_called);
	/* The waiting thread would try again. */
	if (attach.no_thread && !attach.waits)
		tell_no_thread();
	pthread_mutex_unlock(&connecting);
}

static void *announce_rest(void *number)
{
	connection_announce_rest((uint32_t)(uintptr_t)number);
	return NULL;
}

void attach_announce(void)
{
	const struct timespec until = connection_limit();
	uint32_t recorder;

	for (recorder = 0; recorder < RECORDERS; recorder++)
		if (!connection_announce(recorder, &until) &&
		    !start_thread(announce_rest, (void *)(uintptr_t)recorder))
			connection_cannot_announce_rest(recorder);
	connection_await_all(&until);
}

void attach_forget(void)
{
	uint32_t recorder;

	for (recorder = 0; recorder < RECORDERS; recorder++)
		attach.served[recorder] = false;
	/* A thread that only the parent has may hold them. */
	connecting = starting = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	wait_page_forget();
	connection_forget_all();
}
