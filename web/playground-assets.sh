#!/bin/sh
# Copies what the playground embeds from web/node_modules into
# internal/site/playground/assets, with the licences of everything inside.
# Run it after `npm ci` in web/, and build the server afterwards.
set -eu

cd "$(dirname "$0")"
modules=node_modules
assets=../internal/site/playground/assets

if [ ! -f "$modules/graphiql/graphiql.min.js" ]; then
	echo "web/node_modules holds no graphiql: run 'npm ci' in web/ first" >&2
	exit 1
fi

mkdir -p "$assets"
cp "$modules/react/umd/react.production.min.js" \
	"$modules/react-dom/umd/react-dom.production.min.js" \
	"$modules/graphiql/graphiql.min.js" \
	"$modules/graphiql/graphiql.min.css" \
	"$assets/"

# The three packages by name, then those that graphiql's bundle was made of,
# which only its source map names.
packages() {
	printf '%s\n' graphiql react react-dom
	grep -oE 'node_modules/(@[^/"]+/)?[^/"]+/' "$modules/graphiql/graphiql.min.js.map" |
		sed -e 's,^node_modules/,,' -e 's,/$,,' | sort -u | grep -vxE 'react|react-dom'
}

packages | while read -r package; do
	printf '=== %s ===\n\n' "$package"
	found=no
	for file in "$modules/$package"/LICEN[CS]E*; do
		if [ -f "$file" ]; then
			cat "$file"
			found=yes
		fi
	done
	# Some packages carry no licence file; what they declare is all there is.
	if [ "$found" = no ] && [ -f "$modules/$package/package.json" ]; then
		grep -E '"(license|author|homepage)":' "$modules/$package/package.json" || true
	elif [ "$found" = no ]; then
		echo "bundled by graphiql; no copy of its licence is installed"
	fi
	printf '\n\n'
done >"$assets/LICENSES.txt"
