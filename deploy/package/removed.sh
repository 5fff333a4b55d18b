#!/bin/sh
# Before the removal of a package: dpkg says remove, upgrade or failed-upgrade, rpm 0 or 1.
case "$1" in upgrade | failed-upgrade | 1) exit 0 ;; esac
[ -d /run/systemd/system ] && [ -z "${DPKG_ROOT:-}" ] || exit 0
systemctl disable --now product-comments
