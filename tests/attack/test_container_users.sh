#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Container managers add ranges of root to /etc/subuid. A user in such a container is not root: the limits of shares apply.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/hostile.sh
. "$(dirname "$0")/hostile.sh"

echo "root:$mallory:1" >"$work/subuid"
[ -e /etc/subuid ] || touch /etc/subuid
mount --bind "$work/subuid" /etc/subuid
begin container --app all
attack silent 2100
check "a program is recorded beside 2,100 connections of a container's user" as "$victim" $bin/victim 100 0
end_recording
end_attacks
check "all of its events" is "$(readable_steps container)" 100
check "the refusal names him" said container "user $mallory holds [0-9]+ of its share of [0-9]+ connections"
finish
