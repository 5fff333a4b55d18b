#!/bin/sh
# Runs a command in a network namespace that has nothing but loopback:
#
#	go test -exec "$PWD/store/storetest/isolated.sh" ./...
#
# For servers that listen on every interface. Needs Linux; without root also
# user namespaces.
set -eu

if [ $# -eq 0 ]; then
	echo "usage: $0 command [argument ...]" >&2
	exit 2
fi
if ! command -v unshare >/dev/null; then
	echo "$0: unshare is missing: install util-linux" >&2
	exit 1
fi
# Debian keeps ip in a folder that is not in everyone's PATH.
PATH=$PATH:/usr/sbin:/sbin
if ! command -v ip >/dev/null; then
	echo "$0: ip is missing: install iproute2" >&2
	exit 1
fi

if [ "$(id -u)" -eq 0 ]; then
	namespaces=-n
else
	namespaces=-rn # root in a user namespace of its own, to bring up loopback
fi
# shellcheck disable=SC2016 # $@ is meant for the inner shell
exec unshare "$namespaces" sh -c 'ip link set lo up && exec "$@"' sh "$@"
