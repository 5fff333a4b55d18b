#!/bin/sh
# After the installation of a package. The service is not enabled: its settings come first. One that
# ran before an upgrade is restarted.
[ -d /run/systemd/system ] && [ -z "${DPKG_ROOT:-}" ] || exit 0
systemctl daemon-reload
systemctl try-restart product-comments
