// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * forger.c - FORGER PID: a program whose records say that they are of the process PID, 100 of them;
 * then it waits until it is killed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <strata/abi/app.h>
#include <strata/tracepoint.h>

STRATA_EVENT(forger, forged, strata_u32(number));

int main(int argc, char **argv)
{
	struct strata_app_context context = { 0 };
	uint32_t i;

	if (argc != 2)
		return 2;
	context.pid = context.tid = atoi(argv[1]);
	memcpy(&strata_app_context_word, &context, sizeof(context));
	for (i = 0; i < 100; i++)
		STRATA_TRACE(forger, forged, i);
	printf("done\n");
	fflush(stdout);
	pause();
	return 0;
}
