#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Decides whether a version of Debian's xen may be built: never an older one than what is installed or
# offered, unless xen-patch/xen-version names it or the caller forces it, and then with a loud message.
#
# Sourced by build.sh, which has say() and die().

# Print the newest of the versions on standard input.
newest_of()
{
	local version newest=

	while read -r version; do
		if [ -z "$newest" ] || dpkg --compare-versions "$version" gt "$newest"; then
			newest=$version
		fi
	done
	printf '%s\n' "$newest"
}

# Print the newest version of Xen that is installed, or that apt would install; nothing if Xen is neither installed nor offered.
offered_xen()
{
	apt-cache policy libxen-dev xen-utils-common xenstore-utils xen-hypervisor-4.17-amd64 2>/dev/null |
		sed -nE 's/^  (Installed|Candidate): ([^(].*)/\2/p' | sed 's/+b[0-9]*$//' | newest_of
}

# Print the version that xen-version allows; nothing if it allows none.
pinned_xen()
{
	sed -n '/^[^#]/p' "$1" 2>/dev/null | head -n 1
}

# Dies if a version is older than the newest one and nothing allows that.
# Arguments: VERSION NEWEST PINNED FORCED (yes: the caller wants it).
check_version()
{
	local version=$1 newest=$2 pinned=$3 forced=$4

	if [ -z "$newest" ] || dpkg --compare-versions "$version" ge "$newest"; then
		return
	fi
	if [ "$version" != "$pinned" ] && [ "$forced" != yes ]; then
		die "the newest source of xen that can be built is $version; $newest is installed or offered" \
		    "next step: --older builds it all the same; xen-patch/xen-version may allow it for good;" \
		    "or give the source of $newest with --xen-source DIR"
	fi
	say "****************************************************************"
	say "WARNING: this Xen is OLDER than the one installed or offered"
	say "  built:   $version"
	say "  offered: $newest"
	if [ "$version" = "$pinned" ]; then
		say "  xen-patch/xen-version allows that, and says why"
	else
		say "  --older wants that"
	fi
	say "****************************************************************"
}
