// SPDX-License-Identifier: MIT
/*
 * attach.c - connects a process with a recorder (strata/abi/app.h), and runs the one
 * thread that talks with the recorder.
 *
 * While no recorder runs, the thread sleeps on a futex (wait_page.c).  No message can
 * reach it then: only the process's own user and root can open that page, and the
 * process itself connects, to a place that belongs to root.
 *
 * A program may close all of its files, to become a daemon, and open others under the same numbers.
 * So before each use of a descriptor, the thread checks that it is still the thread's own.
 */
#include "libstrata/libstrata.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "libstrata/recorder_socket.h"
#include "libstrata/wait_page.h"

/* Guarded by the registry's lock, except what only the thread writes. */
static struct {
	int socket;          /* to the recorder; -1: not connected */
	uint32_t calls;      /* count of recorders' calls before the last attempt to connect */
	bool again;          /* the attempt was not possible, or the recorder was too busy */
	bool running;        /* the thread */
	uint32_t nr_told;    /* events */
	uint32_t nr_decided; /* of them, those that the recorder has selected or refused */
	pthread_cond_t decided;
} attach = { .socket = -1 };

/* Period of the forced switch; 0: never. */
static uint32_t switch_ms;

/* Longest wait for a recorder, each time. */
static uint32_t wait_ms = STRATA_APP_WAIT_MS;

/* Identifies the file that we opened as the socket. */
static struct stat opened_socket;

/* Pause before the next attempt after a lack of files or memory, or a busy recorder. */
#define AGAIN_NS 250000000

static bool is_ours(int fd, const struct stat *opened)
{
	struct stat now;

	return fd >= 0 && !fstat(fd, &now) && now.st_ino == opened->st_ino &&
	       now.st_dev == opened->st_dev;
}

static bool send_message(const struct strata_app_packet *packet, uint32_t bytes)
{
	return is_ours(attach.socket, &opened_socket) &&
	       send(attach.socket, packet, bytes, MSG_NOSIGNAL) == (ssize_t)bytes;
}

static void fill_head(struct strata_app_packet *packet, enum strata_app_message_type type)
{
	memset(&packet->head, 0, sizeof(packet->head));
	packet->head.magic = STRATA_APP_MAGIC;
	packet->head.version = STRATA_APP_ABI_VERSION;
	packet->head.type = (uint16_t)type;
}

static bool send_short(enum strata_app_message_type type)
{
	struct strata_app_packet packet;

	fill_head(&packet, type);
	return send_message(&packet, sizeof(packet.head));
}

/* Announces the events that the recorder does not know yet.  With the lock held. */
static bool tell_events(void)
{
	struct strata_app_packet packet;
	uint32_t bytes;

	for (; attach.nr_told < registry_nr_ids(); attach.nr_told++) {
		fill_head(&packet, STRATA_APP_EVENT);
		bytes = registry_describe(attach.nr_told, &packet.u.event);
		if (!send_message(&packet, (uint32_t)sizeof(packet.head) + bytes))
			return false;
	}
	return send_short(STRATA_APP_READY);
}

static bool say_hello(void)
{
	struct strata_app_packet packet;
	bool told;

	registry_lock();
	attach.nr_told = attach.nr_decided = 0;
	fill_head(&packet, STRATA_APP_HELLO);
	packet.head.value = rings_mode();
	packet.head.count = rings_nr_cpus();
	packet.head.headers = rings_header_forms();
	told = send_message(&packet, sizeof(packet.head)) && tell_events();
	registry_unlock();
	return told;
}

/* Ends a connection, in whatever state it is. */
static void hang_up(void)
{
	registry_lock();
	registry_select(NULL);
	rings_stop();
	rings_detach();
	if (is_ours(attach.socket, &opened_socket))
		close(attach.socket);
	attach.socket = -1;
	pthread_cond_broadcast(&attach.decided);
	registry_unlock();
}

/* @fd: the memory that came with it; -1: none */
static bool take_setup(const struct strata_app_message *head, int fd)
{
	if (fd < 0 || head->value != (uint32_t)rings_mode() || head->overwrite > 1 ||
	    head->headers >= STRATA_NR_HEADER_FORMS ||
	    !(rings_header_forms() & STRATA_HEADER_FORM_BIT(head->headers)) ||
	    !strata_switch_ms_valid(head->switch_ms) ||
	    rings_attach(fd, head, recorder_is_root(attach.socket)))
		return false;
	/* The reader reads open sub-buffers of single-store rings without our help. */
	switch_ms = rings_mode() == STRATA_APP_RESERVE_COMMIT ? head->switch_ms : 0;
	return send_short(STRATA_APP_ATTACHED);
}

static bool take_message(const struct strata_app_packet *packet, ssize_t bytes, int fd)
{
	if (bytes < (ssize_t)sizeof(packet->head) || packet->head.magic != STRATA_APP_MAGIC ||
	    packet->head.version != STRATA_APP_ABI_VERSION)
		return false;
	switch (packet->head.type) {
	case STRATA_APP_SETUP:
		return take_setup(&packet->head, fd);
	case STRATA_APP_SELECT:
		if (bytes < (ssize_t)(sizeof(packet->head) + sizeof(packet->u.selected)) ||
		    !strata_app_rings)
			return false;
		registry_lock();
		registry_select(packet->u.selected);
		attach.nr_decided = packet->head.count;
		pthread_cond_broadcast(&attach.decided);
		registry_unlock();
		return true;
	case STRATA_APP_STOP:
		registry_lock();
		registry_select(NULL);
		rings_stop();
		registry_unlock();
		return send_short(STRATA_APP_STOPPED);
	default:
		return false;
	}
}

/* Waits for a message, and hands over open sub-buffers meanwhile. */
static void await_message(void)
{
	struct pollfd fds = { .fd = attach.socket, .events = POLLIN };

	while (switch_ms && is_ours(attach.socket, &opened_socket) &&
	       poll(&fds, 1, (int)switch_ms) == 0)
		rings_switch();
}

/* Receives one message.  -1: the recorder is gone.  @fd: OUT, a descriptor that came with it, or
 * -1. */
static ssize_t receive(struct strata_app_packet *packet, int *fd)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec part = { .iov_base = packet, .iov_len = sizeof(*packet) };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = sizeof(control) };
	struct cmsghdr *with;
	ssize_t bytes;

	*fd = -1;
	await_message();
	if (!is_ours(attach.socket, &opened_socket))
		return -1;
	do
		bytes = recvmsg(attach.socket, &message, MSG_CMSG_CLOEXEC);
	while (bytes < 0 && errno == EINTR);
	with = bytes > 0 ? CMSG_FIRSTHDR(&message) : NULL;
	if (with && with->cmsg_level == SOL_SOCKET && with->cmsg_type == SCM_RIGHTS)
		memcpy(fd, CMSG_DATA(with), sizeof(*fd));
	return bytes > 0 ? bytes : -1;
}

static void serve(void)
{
	struct strata_app_packet packet;
	bool goes_on = say_hello();
	int fd;

	switch_ms = 0;
	while (goes_on) {
		ssize_t bytes = receive(&packet, &fd);

		goes_on = bytes > 0 && take_message(&packet, bytes, fd);
		if (fd >= 0)
			close(fd);
	}
	hang_up();
}

/* Whether a later attempt may succeed: files or memory of the program or the system were used up,
 * or the recorder was too busy. */
static bool may_pass(int error)
{
	return error == EMFILE || error == ENFILE || error == ENOMEM || error == ENOBUFS ||
	       error == EAGAIN;
}

/*
 * Connects to the recorder that listens, if there is one.  The page exists already, and the calls
 * are read first: a recorder that begins to listen after this attempt finds the page, and adds one
 * more call.
 */
static void try_to_connect(void)
{
	int socket;

	attach.calls = wait_page_calls();
	socket = recorder_connect(wait_ms);
	/* Try again only if a recorder exists. */
	attach.again = socket < 0 && may_pass(errno) && recorder_is_there();
	if (socket < 0)
		return;
	fstat(socket, &opened_socket);
	registry_lock();
	attach.socket = socket;
	registry_unlock();
}

/* Sleeps until the next attempt.  False: there will be none. */
static bool await_recorder(void)
{
	const struct timespec pause = { .tv_nsec = AGAIN_NS };

	if (wait_page_is_there())
		return wait_page_await(attach.calls, attach.again ? &pause : NULL);
	if (wait_page_make())
		return true;
	if (!may_pass(errno))
		return false;
	nanosleep(&pause, NULL);
	return true;
}

static void *serve_recorders(void *unused)
{
	(void)unused;
	do {
		wait_page_answer(attach.calls, attach.socket >= 0);
		if (attach.socket >= 0) {
			serve();
			wait_page_answer(attach.calls, false);
		}
		if (!await_recorder())
			return NULL; /* recorders cannot attach to this process */
		try_to_connect();
	} while (true);
}

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

/* The program's signals are for its own threads. */
static void start_thread(void)
{
	sigset_t all, before;
	pthread_attr_t attributes;
	pthread_t thread;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	attach.running = pthread_create(&thread, &attributes, serve_recorders, NULL) == 0;
	pthread_attr_destroy(&attributes);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void attach_start(void)
{
	bool waits;

	wait_ms = strata_app_wait_ms(secure_getenv(STRATA_APP_WAIT_VARIABLE));
	attach.nr_told = attach.nr_decided = 0;
	recorder_prepare();
	rings_prepare();
	waits = wait_page_make() || may_pass(errno);
	try_to_connect();
	if ((attach.socket >= 0 || waits) && stay_loaded())
		start_thread();
	if (attach.running)
		return;
	/* Without the thread, nothing would answer. */
	if (attach.socket >= 0)
		close(attach.socket);
	attach.socket = -1;
}

void attach_announce(void)
{
	struct timespec limit;

	clock_gettime(CLOCK_MONOTONIC, &limit);
	limit.tv_sec += wait_ms / 1000;
	limit.tv_nsec += wait_ms % 1000 * 1000000;
	if (limit.tv_nsec >= 1000000000) {
		limit.tv_sec++;
		limit.tv_nsec -= 1000000000;
	}
	registry_lock();
	/* The thread announces all events when it begins; after that this does. */
	if (attach.socket >= 0 && attach.nr_told && attach.nr_told < registry_nr_ids())
		tell_events();
	while (attach.socket >= 0 && attach.nr_decided < registry_nr_ids())
		if (registry_wait(&attach.decided, &limit))
			break;
	registry_unlock();
}

void attach_forget(void)
{
	if (is_ours(attach.socket, &opened_socket))
		close(attach.socket);
	attach.socket = -1;
	attach.running = false;
	wait_page_forget();
	/* Threads that only the parent has may have been waiting for it. */
	attach.decided = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
	rings_detach();
}
