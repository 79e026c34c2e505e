#!/bin/sh
# Builds the release of HEAD for one platform twice, from two clones in folders whose names have different lengths, with
# different umasks and time zones, and compares all published files. With FRESH=1 the second build compiles everything
# again.
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
