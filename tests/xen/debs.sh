#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Fetches Debian packages without installing them: the one place that knows the cache. Sourced by kernel.sh, images.sh
# and lab, which use these functions and $top, the top of the checkout. It never changes what is installed.

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cache=$top/out/cache

# The status that die ends with; lab sets its own.
failed_status=1

# Ends the script with one sentence that says what failed, and what to do about it.
die() {
	printf '%s: %s\n' "${0##*/}" "$*" >&2
	exit "$failed_status"
}

# Stops with one sentence that names every missing command and the package that brings it.
# Arguments: pairs COMMAND PACKAGE.
need_commands() {
	local missing=()

	while [ $# -ge 2 ]; do
		command -v "$1" >/dev/null || missing+=("$2")
		shift 2
	done
	[ ${#missing[@]} -eq 0 ] ||
		die "packages are missing; run: apt-get install --no-install-recommends ${missing[*]}"
}

# Prints the path of PACKAGE's .deb file in the cache, downloading it when it is not there.
# Arguments: PACKAGE [VERSION [ARCHITECTURE]]; the version is the one that apt would install when it is empty.
fetch_deb() {
	local package=$1 version=${2:-} deb

	if [ -z "$version" ]; then
		version=$(apt-cache policy "$package" | sed -n 's/^  Candidate: //p')
		case $version in '' | '(none)') die "apt knows no package $package; run: apt-get update" ;; esac
	fi
	deb=$cache/${package}_${version//:/%3a}_${3:-amd64}.deb
	if [ ! -s "$deb" ]; then
		mkdir -p "$cache"
		(cd "$cache" && apt-get -qq -o APT::Sandbox::User=root download "$package=$version") >&2 ||
			die "cannot download $package $version; run: apt-get update"
	fi
	[ -s "$deb" ] || die "apt downloaded $package $version, but not as ${deb##*/}"
	printf '%s\n' "$deb"
}
