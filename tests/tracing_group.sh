# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A group tracing and a /var/lib of its own for a test of members: sourced by it, as root, in a mount namespace of its own.
# The test sets tracing to the group's number, and becomes a member by that number: the group lists no user.

# make_tracing_group FILE: FILE becomes /etc/group, and /var/lib is empty.  False: it cannot be mounted.
make_tracing_group() {
	{
		grep -v '^tracing:' /etc/group
		echo "tracing:x:${tracing:?}:"
	} >"$1"
	mount --make-rprivate / && mount --bind "$1" /etc/group && mount -t tmpfs -o mode=755 none /var/lib
}
