#!/usr/bin/env bash
# Checks the model of the protocol with spin: run.sh in about a minute; run.sh deep, for up to half an hour each.
# What must hold is searched to the end; each mutant must be caught. deep searches larger bounds, by hashes of states.
set -euo pipefail
cd "$(dirname "$0")"
for tool in spin gcc; do
  command -v "$tool" >/dev/null || { echo "$tool is missing: apt-get install spin gcc libc6-dev" >&2; exit 1; }
done
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

safety="-DSAFETY -DNOCLAIM -DCOLLAPSE"
liveness="-DCOLLAPSE -DNFAIR=3"
bits="-DSAFETY -DNOCLAIM -DBITSTATE"

# one NAME WANT MODEL SEARCH PAN: WANT is holds or caught. A search that ends before the end proves nothing.
one() {
  local dir=$out/$1 found
  mkdir "$dir" && cp registry.pml "$dir" && cd "$dir"
  # shellcheck disable=SC2086 # lists of flags
  spin -a $3 registry.pml >/dev/null && gcc -w -O2 $4 -o pan pan.c && timeout 1800 ./pan $5 >log 2>&1
  if grep -qE 'assertion violated|acceptance cycle|invalid end state \(' log; then found=caught
  elif grep -q 'errors: 0' log && ! grep -q 'depth too small' log; then found=holds
  elif [[ "$4" == *BITSTATE* ]] && ! grep -q 'depth too small' log; then found=holds # as far as it came
  else found="not finished"; fi
  echo "$1: $found, $(grep -oE '^ *[0-9e+.]+ states, stored' log | tr -s ' ')"
  [ "$found" = "$2" ] || { tail -n 40 log; return 1; }
}
export -f one
export out

runs() {
  local small="-DSKEW=0 -DWORKERS=1" m
  if [ "${1:-}" = deep ]; then
    echo "two workers|holds|-DSKEW=0 -DWORKERS=2 -DCALLS=2 -DFAULTS=2 -DDELAYS=2|$bits|-w33 -m2000000"
    echo "two clocks|holds|-DSKEW=1 -DWORKERS=2 -DCALLS=2 -DFAULTS=1 -DDELAYS=2|$bits|-w33 -m2000000"
    echo "two items|holds|-DSKEW=0 -DWORKERS=2 -DITEMS=2 -DCALLS=3 -DFAULTS=1 -DDELAYS=1|$bits|-w33 -m2000000"
    return
  fi
  echo "delays|holds|$small -DCALLS=1 -DFAULTS=0 -DDELAYS=2|$safety|-m200000"
  echo "faults|holds|$small -DCALLS=2 -DFAULTS=1 -DDELAYS=0|$safety|-m200000"
  echo "clocks|holds|-DSKEW=1 -DWORKERS=1 -DCALLS=1 -DFAULTS=0 -DDELAYS=0|$safety|-m200000"
  echo "eventually|holds|$small -DCALLS=1 -DFAULTS=1 -DDELAYS=0|$liveness|-a -f -m200000"
  echo "taking over|holds|-DSKEW=0 -DWORKERS=2 -DCALLS=1 -DFAULTS=1 -DDELAYS=0|$safety|-m200000"
  for m in 13 14; do
    echo "mutant $m|caught|-DSKEW=0 -DWORKERS=2 -DCALLS=1 -DFAULTS=1 -DDELAYS=0 -DMUTANT=$m|$safety|-m200000"
  done
  for m in 1 5 6 7 8 10 12; do
    echo "mutant $m|caught|$small -DCALLS=1 -DFAULTS=1 -DDELAYS=3 -DMUTANT=$m|$safety|-m200000"
  done
  for m in 3 4 11; do
    echo "mutant $m|caught|$small -DCALLS=2 -DFAULTS=0 -DDELAYS=0 -DMUTANT=$m|$safety|-m200000"
  done
  for m in 2 9; do
    echo "mutant $m|caught|$small -DCALLS=1 -DFAULTS=1 -DDELAYS=0 -DMUTANT=$m|$liveness|-a -f -m200000"
  done
}

runs "$@" | tr '\n' '\0' | xargs -0 -P "$(nproc)" -I{} bash -c 'IFS="|" read -r a b c d e <<<"{}"; one "$a" "$b" "$c" "$d" "$e"'
