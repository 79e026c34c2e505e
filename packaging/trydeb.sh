#!/bin/sh
# Tries the deb in a Debian of its own whose first process is systemd: installation, a PDF read under the unit's
# limits, an upgrade that keeps data and settings, removal, purge. For root, on Debian with mmdebstrap and
# systemd-container; takes some minutes. With OLD=FILE and NEW=FILE it tries those instead of building two versions.
set -eu
cd "$(dirname "$0")/.."
for tool in mmdebstrap systemd-nspawn; do
  command -v $tool >/dev/null || { echo "install these first: apt-get install mmdebstrap systemd-container" >&2; exit 1; }
done
dir=$(mktemp -d)
root=$dir/root
host=
stop() {
  test -z "$host" || { kill "$host" 2>/dev/null; wait "$host" 2>/dev/null || true; }
  rm -rf "$dir"
}
trap stop EXIT
build() { # of a version
  make --no-print-directory release TARGETS=linux/amd64 VERSION="$1" >/dev/null
  cp build/release/tidemark_*_amd64.deb "$dir/"
}
test -n "${OLD:-}" || { build 0.0.1; OLD=$(ls "$dir"/*.deb); }
test -n "${NEW:-}" || { build 999.0.0; NEW=$dir/tidemark_999.0.0_amd64.deb; }

test -n "${ROOT:-}" && cp -a "$ROOT" "$root" ||
  mmdebstrap --quiet --variant=minbase --include=systemd,systemd-sysv,init-system-helpers bookworm "$root"
cp "$OLD" "$root/root/old.deb"
cp "$NEW" "$root/root/new.deb"
mkdir "$root/srv/documents"
echo "127.0.0.1 localhost" >"$root/etc/hosts" # which an installer of Debian would write
cp pkg/content/extract/pdf/testdata/"${PDF:-office.pdf}" "$root/srv/documents/try.pdf"

# Its own network: nothing of this machine is in the way, and nothing beyond it is asked.
systemd-nspawn -q -D "$root" --register=no --keep-unit --private-network --machine="try$$" --boot \
  </dev/null >"$dir/boot.log" 2>&1 &
host=$!
within() { nsenter -t "$(pgrep -P $host | head -n 1)" -a -- "$@"; }
wait_for() { # what, then a command
  what=$1
  shift
  for _ in $(seq 60); do "$@" >/dev/null 2>&1 && return; sleep 1; done
  echo "FAILED: $what" >&2
  "$@" >&2 || true
  within journalctl -u tidemark --no-pager 2>/dev/null | tail -n 30 >&2 || tail "$dir/boot.log" >&2
  exit 1
}
says() { # a text, then a command that must print it
  text=$1
  shift
  "$@" 2>&1 | grep -q -- "$text"
}
booted() { within systemctl is-system-running 2>/dev/null | grep -Eq 'running|degraded'; }

wait_for "systemd runs" booted
within dpkg -i /root/old.deb
wait_for "it runs after its installation" within tidemark health
within sh -c 'chmod 755 /srv/documents; chmod 644 /srv/documents/*'
within tidemark settings set FILE_ROOT /srv/documents --data /var/lib/tidemark
test "$(within stat -c '%U %a' /etc/tidemark/tidemark.yaml)" = "tidemark 600"
within tidemark settings FILE_ROOT --data /var/lib/tidemark | grep -q "FILE_ROOT=/srv/documents (file)"
within systemctl restart tidemark
wait_for "it runs again" within tidemark health
within tidemark add-file /srv/documents/try.pdf
wait_for "a PDF is read by a process of its own" says try.pdf within tidemark items --status Indexed
within systemctl show tidemark -p User,NoNewPrivileges,MemoryMax,MainPID

within dpkg -i --force-confold /root/new.deb
wait_for "the new version runs" within tidemark health
within tidemark --version
wait_for "data and settings were kept" says try.pdf within tidemark items --status Indexed
within dpkg -r tidemark
if within systemctl is-active tidemark; then echo "FAILED: it runs after its removal" >&2; exit 1; fi
test -f "$root/etc/tidemark/tidemark.yaml" || { echo "FAILED: settings went with the program" >&2; exit 1; }
within dpkg -P tidemark 2>&1 | tee "$dir/purge.log"
grep -q "stays in /var/lib/tidemark" "$dir/purge.log"
test ! -e "$root/etc/tidemark/tidemark.yaml" && test -d "$root/var/lib/tidemark/store"
echo "installed, upgraded, removed and purged: the data is kept"
