#!/bin/sh
# Installs the embedded engine of this system, if npm has it: the lock file names
# it for one system alone. Another system's name, such as darwin-arm64, may be given.
set -eu
cd "$(dirname "$0")"
system=${1:-$(node -p 'process.platform + "-" + process.arch')}
version=$(node -p 'require("./package.json").optionalDependencies["@dynoxide/linux-x64"]')
folder=node_modules/@dynoxide/$system
[ -e "$folder" ] && exit 0

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if ! npm pack --silent --pack-destination "$work" "@dynoxide/$system@$version" >/dev/null; then
	echo "npm has no embedded engine for $system: bin/product-comments says what else runs there" >&2
	exit 0
fi
mkdir -p "$folder"
tar -xzf "$work"/*.tgz -C "$folder" --strip-components 1
