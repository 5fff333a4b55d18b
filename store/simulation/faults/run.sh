#!/bin/sh
# Puts back one mistake after the other and lets the simulation find it.
#
#   sh store/simulation/faults/run.sh [PATTERN…]
#
# Each patch in this directory is a mistake that the store once made, against the
# present code. It is applied to a copy of the files that it names, and Go
# builds with those in place of the tree's (-overlay), so that the tree stays as
# it is. Then histories are played until one fails, and the tests that the patch
# names are run: each must fail. A row for each fault is printed.
#
#   HISTORIES   the most that are played for a fault; 5000
#   FIRST       the first seed; 1
#   SECONDS     for which histories of a fault are played at most; 36000
#   TESTS       empty for no tests; the default is 1
#   PATTERN     of the names of patches; all if none is given
#
# It ends with status 1 if a patch does not apply or does not build, if a test
# does not fail, or if no history does although the patch does not say why
# (a line "unseen:").
set -u
cd "$(dirname "$0")/../../.."
here=store/simulation/faults
histories=${HISTORIES:-5000} first=${FIRST:-1} seconds=${SECONDS:-36000} tests=${TESTS-1}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM
status=0

# says NAME PATCH prints what a patch's head says under a name.
says() { sed -n "/^--- /q; s/^$1: //p" "$2"; }

# overlay PATCH DIR applies the patch to copies, and writes DIR/overlay.json.
overlay() {
	separator=
	printf '{"Replace":{' >"$2/overlay.json"
	for file in $(sed -n 's/^+++ b\///p' "$1"); do
		mkdir -p "$2/$(dirname "$file")"
		cp "$file" "$2/$file"
		printf '%s"%s":"%s"' "$separator" "$PWD/$file" "$2/$file" >>"$2/overlay.json"
		separator=,
	done
	printf '}}\n' >>"$2/overlay.json"
	patch -s -p1 --fuzz=0 -d "$2" <"$1"
}

# prove PATCH prints the row of a fault.
prove() {
	name=$(basename "$1" .patch) dir=$tmp/$(basename "$1" .patch)
	mkdir "$dir"
	if ! overlay "$1" "$dir" >"$dir/patch" 2>&1; then
		echo "| $name | the patch no longer applies: $(tr '\n' ' ' <"$dir/patch") |"
		return 1
	fi
	if ! go test -overlay "$dir/overlay.json" -c -o "$dir/histories" ./store/simulation >"$dir/build" 2>&1; then
		echo "| $name | the patched code does not build: $(tail -n 3 "$dir/build" | tr '\n' ' ') |"
		return 1
	fi
	failed=0
	(cd store/simulation && HISTORIES=$histories FIRST=$first SECONDS=$seconds "$dir/histories" -test.run '^TestHistories$' -test.v -test.timeout 10h) >"$dir/played" 2>&1
	seed=$(sed -n 's/.*Repeat it with SEED=\([0-9]*\).*/\1/p' "$dir/played" | sort -n | head -n 1)
	if [ -n "$seed" ]; then
		rule=$(sed -n 's/^ *broken: \([^:]*\):.*/\1/p' "$dir/played" | head -n 1)
		found="$seed | $((seed - first + 1)) | $rule"
	else
		played=$(sed -n 's/.* \([0-9]*\) histories from seed.*/\1/p' "$dir/played")
		found="| none of ${played:-0} | $(says unseen "$1")"
		[ -n "$(says unseen "$1")" ] || failed=1
	fi
	guards=
	while [ -n "$tests" ] && read -r package test; do
		if go test -count=1 -overlay "$dir/overlay.json" -run "^$test\$" "$package" >"$dir/test" 2>&1; then
			guards="$guards $test PASSES;" failed=1
		elif grep -q 'is not installed' "$dir/test"; then # of an engine that the test asks for
			guards="$guards $test lacks its engine;" failed=1
		elif grep -q "^--- FAIL: $test" "$dir/test"; then
			guards="$guards $test fails;"
		else
			guards="$guards $test does not run;" failed=1
		fi
	done <<END
$(says test "$1")
END
	echo "| $name | $found |$guards |"
	return $failed
}

echo '| fault | seed | histories until found | broken promise | tests |'
echo '| --- | --- | --- | --- | --- |'
for pattern in "${@:-}"; do
	for file in "$here"/*"$pattern"*.patch; do
		prove "$file" || status=1
	done
done
exit $status
