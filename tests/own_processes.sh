#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs COMMAND... where it sees its own processes alone, and has an empty /run: so it calls nobody else's applications, and finds
# nobody else's recorders.  Needs root.
exec unshare --mount --propagation private --pid --fork --kill-child --mount-proc \
	sh -c 'mount -t tmpfs none /run && exec "$@"' sh "$@"
