#!/bin/sh
# Adds a page, waits until it is indexed, searches, and lists what changed meanwhile.
#
#   sh curl.sh URL WORDS
#
# TIDEMARK_SERVER is the server, http://localhost:7071 when unset; TIDEMARK_KEY is a key, for a server on this machine
# that you run yourself the one that it leaves for you when unset.
# It needs curl and a POSIX shell. Answers are JSON on one line; sed is enough for the few fields here.
set -eu
server=$(printf %s "${TIDEMARK_SERVER:-http://localhost:7071}" | sed 's|^http://localhost|http://127.0.0.1|')
left="${XDG_STATE_HOME:-${HOME:-}/.local/state}/tidemark/keys/${server#*://}"
key=${TIDEMARK_KEY:-$(cat "$left" 2>/dev/null || true)}
url=$1 words=$2
since=$(date -u +%Y-%m-%dT%H:%M:%SZ)

# api sends a request; after a refusal it prints the problem document, which says what to do, and the script ends.
api() {
	answer=$(curl -sS --fail-with-body ${key:+-H "x-functions-key: $key"} "$@") || {
		printf '%s\n' "$answer" >&2
		exit 1
	}
	printf '%s\n' "$answer"
}

# text makes a JSON string of an argument.
text() { printf '"%s"' "$(printf %s "$1" | sed 's/[\\"]/\\&/g')"; }

# field reads the first field of that name.
field() { sed -n "s/^[^}]*\"$1\":\"\([^\"]*\)\".*/\1/p"; }

# changed lists what has changed since a time, one change a line, page by page.
changed() {
	after=
	while :; do
		page=$(api -G "$server/api/changes" -d "since=$1" -d order=oldest -d top=500 --data-urlencode "continuation=$after")
		printf '%s\n' "$page" | tr '{' '\n' |
			sed -n 's/.*"url":"\([^"]*\)".*"at":"\([^"]*\)","kind":"\([^"]*\)".*/changed \1 at \2: \3/p'
		after=$(printf '%s\n' "$page" | sed -n 's/.*"continuation":"\([^"]*\)".*/\1/p')
		[ -n "$after" ] || break
	done
}

item=$(api "$server/api/AddUrlDocument" -H 'Content-Type: application/json' -d "{\"url\":$(text "$url")}")
id=$(printf '%s\n' "$item" | field id)
echo "added $id"

tries=0 status=Pending
while [ "$status" = Pending ] || [ "$status" = Crawled ]; do
	tries=$((tries + 1))
	[ $tries -le 120 ] || { echo "$id is still $status" >&2; exit 1; }
	[ $tries -eq 1 ] || sleep 0.5
	item=$(api "$server/api/items/$id")
	status=$(printf '%s\n' "$item" | field status)
done
echo "it is $status"

found=$(api "$server/api/Search" -H 'Content-Type: application/json' -d "{\"q\":$(text "$words"),\"top\":3}")
printf '%s\n' "$found" | tr '{' '\n' | sed -n 's/.*"type":"page","url":"\([^"]*\)","title":"\([^"]*\)".*/found \2 \1/p'

changed "$since"
