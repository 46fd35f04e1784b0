// SPDX-License-Identifier: GPL-2.0-or-later
/* app_message.c - see app_message.h. */
#include "consumerd/apps/app_message.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "consumerd/host/hang_up.h"

void app_message_receive(int socket, struct app_incoming *arrived)
{
	bool carries;
	ssize_t bytes;

	arrived->kind = APP_ARRIVAL_CARRIES;
	arrived->bytes = 0;
	hang_up_look(socket, &carries);
	if (carries)
		return;
	bytes = recv(socket, &arrived->packet, sizeof(arrived->packet), MSG_DONTWAIT | MSG_TRUNC);
	if (bytes > 0) {
		arrived->kind = APP_ARRIVAL_MESSAGE;
		arrived->bytes = (uint32_t)bytes;
	} else {
		arrived->kind = bytes < 0 && (errno == EAGAIN || errno == EINTR) ? APP_ARRIVAL_NONE
										 : APP_ARRIVAL_END;
	}
}

int app_message_send(int socket, struct app_outgoing *outgoing)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec part = { .iov_base = &outgoing->packet, .iov_len = outgoing->bytes };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

	if (outgoing->fd >= 0) {
		memset(&control, 0, sizeof(control));
		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
		control.align.cmsg_level = SOL_SOCKET;
		control.align.cmsg_type = SCM_RIGHTS;
		control.align.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.align), &outgoing->fd, sizeof(outgoing->fd));
	}
	/* A packet is sent as a whole. */
	return sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? errno : 0;
}
