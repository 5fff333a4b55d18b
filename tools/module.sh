#!/bin/sh
# module.sh NAME: gives the module another path, in go.mod and where its packages are imported.
set -eu
cd "$(dirname "$0")/.."
new=${1:?give the path: make module NAME=example.org/shop/comments}
old=$(go list -m)
folders=$(git ls-files '*.go' | sed -n 's,/.*,,p' | sort -u | paste -sd '|')
go mod edit -module "$new"
git ls-files -z '*.go' '*.gotpl' gqlgen.yml | xargs -0 sed -Ei "s,([\" ])$old/($folders)\\b,\\1$new/\\2,g"
gofmt -w $(git ls-files '*.go') # imports are sorted by path
go build ./...
