#!/bin/sh
# Builds the release of HEAD for one platform twice, from two clones in folders of other lengths, with another umask and
# time zone, and compares every file that would be published. With FRESH=1 the second compiles everything again.
set -eu
cd "$(dirname "$0")/../.."
dir=$(mktemp -d)
trap 'chmod -R u+w "$dir"; rm -rf "$dir"' EXIT
export TARGETS="${TARGETS:-linux/amd64}"
for name in one two/of/the/same; do
  git clone -q . "$dir/$name"
  (
    cd "$dir/$name"
    if test "$name" = one; then umask 022; export TZ=UTC; else umask 077; export TZ=Asia/Tokyo; fi
    if test "$name" != one && test "${FRESH:-}" = 1; then export GOCACHE="$dir/cache"; fi
    make --no-print-directory release >/dev/null
  )
done
diff -r "$dir/one/build/release" "$dir/two/of/the/same/build/release"
echo "the same bytes twice:"
cat "$dir/one/build/release/SHA256SUMS"
