#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# STRATA_APP_SOCKET can name a socket in another user's directory. That user can replace the socket at any time, but not make root
# change or remove a file elsewhere.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"

place=/run/home precious=/run/precious
mkdir -p "$place/sub"
chown -R "$mallory:$mallory" "$place"
echo secret >$precious
chmod 600 $precious
mode() { stat -c %a "$1"; }
is() { [ "$1" = "$2" ] || { echo "# \"$1\", not \"$2\""; return 1; }; }
# recorded SOCKET: a recorder with that socket begins and ends.
recorded() { STRATA_APP_SOCKET=$1 "$strata" record --app all --duration 1ms --force -o "$work/named" >"$work/log" 2>&1; }

# recorded_or_said SOCKET: the same, and prints what it said.
recorded_or_said() { recorded "$1" || { cat "$work/log"; return 1; }; }

check "a socket in a user's directory is accepted" recorded $place/apps.sock
check "it is removed at the end" test ! -e $place/apps.sock

as "$mallory" ln -s $precious $place/link
SWAP_LINK=$place/link SWAP_SOCKET=$place/apps.sock LD_PRELOAD=$bin/swapped_socket.so recorded $place/apps.sock
check "the user put a link in its place" test -L $place/apps.sock
check "what the link names is as closed as before" is "$(mode $precious)" 600
check "the link stays" test -L $place/apps.sock
rm $place/apps.sock

# Who can rename the directory could choose which socket is removed.
mkdir /run/other
perl -MSocket -e 'socket($end, PF_UNIX, SOCK_SEQPACKET, 0) or die $!; bind($end, pack_sockaddr_un("/run/other/apps.sock")) or die $!'
as "$mallory" rmdir $place/sub
as "$mallory" ln -s /run/other $place/sub
check "a link of that user in the path is refused" refused 'can redirect it|link of user' recorded_or_said $place/sub/apps.sock
check "the socket that it leads to stays" test -S /run/other/apps.sock
mkdir -m 1777 /run/shared
as "$mallory" mkdir /run/shared/of-mallory
check "so is a directory that he created in a shared one" refused 'can redirect it' recorded_or_said /run/shared/of-mallory/apps.sock
finish
