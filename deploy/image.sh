#!/bin/sh
# image.sh BINARY ARCHITECTURE ARCHIVE: makes an OCI archive of a container image
# from scratch, with the binary and the certificates that it needs to reach AWS,
# and nothing else. It starts nothing and needs no network, nor root: only umoci
# and ca-certificates, which Debian has. The same binary gives the same bytes.
set -eu
binary=$1 architecture=$2 archive=$3
certificates=${CERTIFICATES:-/etc/ssl/certs/ca-certificates.crt}
# When everything in the image was made: the commit's time, if there is one.
time=@${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
time=$(date -u -d "$time" +%Y-%m-%dT%H:%M:%SZ)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root layout=$work/oci
mkdir -p "$root/etc/ssl/certs"
install -m 755 "$binary" "$root/product-comments"
install -m 644 "$certificates" "$root/etc/ssl/certs/ca-certificates.crt"
chmod 755 "$root" "$root/etc" "$root/etc/ssl" "$root/etc/ssl/certs"
find "$root" -exec touch -h -d "$time" {} +

# Whoever runs this, everything belongs to root and nothing to the user that the
# image runs as. --rootless has umoci say so.
unshare=""
[ "$(id -u)" = 0 ] || unshare=--rootless
umoci init --layout "$layout"
umoci new --image "$layout:latest"
umoci insert $unshare --history.created "$time" --image "$layout:latest" "$root/etc" /etc
umoci insert $unshare --history.created "$time" --image "$layout:latest" "$root/product-comments" /product-comments
umoci config --image "$layout:latest" --created "$time" --history.created "$time" \
	--author "" --os linux --architecture "$architecture" \
	--config.user 65532:65532 --config.workingdir / \
	--config.entrypoint /product-comments --config.cmd serve \
	--config.env ENGINE=dynamodb --config.env ADDR=0.0.0.0:8080 --config.env LOG_FORMAT=json \
	--config.exposedports 8080/tcp --config.stopsignal SIGTERM \
	--config.label org.opencontainers.image.title=product-comments \
	--config.label org.opencontainers.image.licenses=Apache-2.0 \
	--config.label org.opencontainers.image.created="$time" \
	--config.label org.opencontainers.image.revision="$(git rev-parse HEAD 2>/dev/null || echo unknown)"
umoci gc --layout "$layout"
find "$layout" -exec touch -d "$time" {} +
mkdir -p "$(dirname "$archive")"
tar -C "$layout" --sort=name --owner=0 --group=0 --numeric-owner -cf "$archive" .
