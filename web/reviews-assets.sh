#!/bin/sh
# Bundles the custom element and the style of sections into internal/site/reviews/assets,
# which the binary embeds. Run it after `npm ci` in web/.
set -eu
cd "$(dirname "$0")"
node_modules/.bin/esbuild reviews/reviews.ts reviews/reviews.css --bundle --minify --format=esm --target=es2022 \
	--loader:.graphql=text --log-level=warning --outdir=../internal/site/reviews/assets
