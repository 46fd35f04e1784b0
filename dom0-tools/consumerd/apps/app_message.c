// SPDX-License-Identifier: GPL-2.0-or-later
/* app_message.c - see app_message.h. */
#include "consumerd/apps/app_message.h"

#include <errno.h>
#include <sys/socket.h>

#include "consumerd/host/file_message.h"
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
	return file_message_send(socket, &outgoing->packet, outgoing->bytes, outgoing->fd,
				 MSG_NOSIGNAL | MSG_DONTWAIT);
}
