#!/bin/sh
# Bundles the scripts and styles of sections and of the staff's desk into internal/site/reviews/assets
# and internal/site/staff/assets, which the binary embeds. Run it after `npm ci` in web/.
set -eu
cd "$(dirname "$0")"
bundle() { # bundle NAME
	node_modules/.bin/esbuild "$1/$1.ts" "$1/$1.css" --bundle --minify --format=esm --target=es2022 \
		--loader:.graphql=text --log-level=warning --outdir="../internal/site/$1/assets"
}
bundle reviews
bundle staff
