// SPDX-License-Identifier: MIT
/*
 * serve.c - connection_serve(): the thread of a connection, which hears what the recorder says.
 *
 * The recorder is trusted as far as recorder_is_root() says; rings.c and counts.c check its memory.
 */
#include "libstrata/connection.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <strata/own_fd.h>

#include "libstrata/connection_state.h"
#include "libstrata/counts.h"
#include "libstrata/libstrata.h"
#include "libstrata/recorder_socket.h"

/* The channel of a connection that is served, in its thread. */
static uint32_t channel_of(const struct connection *one)
{
	return (uint32_t)one->channel;
}

/* Ends a connection, in whatever state it is. */
static void hang_up(uint32_t recorder)
{
	const uint32_t channel = channel_of(&connection_list[recorder]);

	registry_lock();
	registry_select(channel, NULL);
	rings_stop(channel);
	rings_detach(channel);
	registry_unlock();
	connection_drop(recorder);
}

/* @fd: the memory that came with it; -1: none */
static bool take_setup_of_counts(struct connection *one, const struct strata_app_packet *packet,
				 ssize_t bytes, int fd)
{
	const uint32_t channel = channel_of(one);

	if (fd < 0 || bytes < (ssize_t)(sizeof(packet->head) + sizeof(packet->u.spec)) ||
	    rings_attached(channel) ||
	    counts_attach(channel, fd, packet, recorder_is_root(one->socket)))
		return false;
	one->switch_ms = 0;
	return connection_answer(one, STRATA_APP_ATTACHED);
}

/* @fd: the memory that came with it; -1: none */
static bool take_setup(struct connection *one, const struct strata_app_message *head, int fd)
{
	const bool single = head->value == STRATA_APP_SINGLE_STORE;

	if (fd < 0 || (!single && head->value != STRATA_APP_RESERVE_COMMIT) ||
	    !(head->value & rings_modes()) || head->overwrite > 1 ||
	    head->headers >= STRATA_NR_HEADER_FORMS ||
	    (single && head->headers != STRATA_HEADER_FULL) ||
	    !strata_switch_ms_valid(head->switch_ms) ||
	    rings_attach(channel_of(one), fd, head, recorder_is_root(one->socket)))
		return false;
	/* The reader reads open sub-buffers of single-store rings without our help. */
	one->switch_ms = single ? 0 : head->switch_ms;
	return connection_answer(one, STRATA_APP_ATTACHED);
}

static void take_selection(struct connection *one, const struct strata_app_packet *packet)
{
	const uint32_t channel = channel_of(one);
	uint8_t merged[sizeof(packet->u.selected)];
	bool went_on;

	registry_lock();
	registry_select(channel, counts_has(channel) ? counts_select(channel, packet, merged)
						     : packet->u.selected);
	one->nr_decided = packet->head.count;
	went_on = one->given_up;
	one->given_up = false;
	pthread_cond_broadcast(&connection_decided);
	registry_unlock();
	/* If that fails, the recorder has gone. */
	if (went_on)
		connection_say_went_on(one);
}

static bool take_message(struct connection *one, const struct strata_app_packet *packet,
			 ssize_t bytes, int fd)
{
	const uint32_t channel = channel_of(one);

	if (bytes < (ssize_t)sizeof(packet->head) || packet->head.magic != STRATA_APP_MAGIC ||
	    packet->head.version != STRATA_APP_ABI_VERSION)
		return false;
	switch (packet->head.type) {
	case STRATA_APP_SETUP:
		if (packet->head.value == STRATA_APP_COUNT)
			return take_setup_of_counts(one, packet, bytes, fd);
		return take_setup(one, &packet->head, fd);
	case STRATA_APP_SELECT:
		if (bytes < (ssize_t)(sizeof(packet->head) +
				      (counts_has(channel) ? sizeof(packet->u.measured)
							   : sizeof(packet->u.selected))) ||
		    !rings_attached(channel))
			return false;
		take_selection(one, packet);
		return true;
	case STRATA_APP_STOP:
		registry_lock();
		registry_select(channel, NULL);
		rings_stop(channel);
		registry_unlock();
		return connection_answer(one, STRATA_APP_STOPPED);
	default:
		return false;
	}
}

/* Waits for a message, and hands over open sub-buffers meanwhile. */
static void await_message(const struct connection *one)
{
	struct pollfd fds = { .fd = one->socket, .events = POLLIN };

	while (one->switch_ms && connection_is_ours(one) && poll(&fds, 1, (int)one->switch_ms) == 0)
		rings_switch(channel_of(one));
}

/* Receives one message.  -1: the recorder is gone.  @fd: OUT, a descriptor that came with it, or
 * -1. */
static ssize_t receive(const struct connection *one, struct strata_app_packet *packet, int *fd)
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
	await_message(one);
	if (!connection_is_ours(one))
		return -1;
	do
		bytes = recvmsg(one->socket, &message, MSG_CMSG_CLOEXEC);
	while (bytes < 0 && errno == EINTR);
	with = bytes > 0 ? CMSG_FIRSTHDR(&message) : NULL;
	if (with && with->cmsg_level == SOL_SOCKET && with->cmsg_type == SCM_RIGHTS)
		memcpy(fd, CMSG_DATA(with), sizeof(*fd));
	*fd = strata_own_fd(*fd);
	return bytes > 0 ? bytes : -1;
}

void connection_serve(uint32_t recorder)
{
	struct connection *one = &connection_list[recorder];
	struct strata_app_packet packet;
	bool goes_on;
	int fd;

	one->switch_ms = 0;
	goes_on = connection_say_hello(one);
	while (goes_on) {
		ssize_t bytes = receive(one, &packet, &fd);

		goes_on = bytes > 0 && take_message(one, &packet, bytes, fd);
		if (fd >= 0)
			close(fd);
	}
	hang_up(recorder);
}
