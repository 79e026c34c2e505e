"""Adds a page, waits until it is indexed, searches, and lists what changed meanwhile.

    python3 example.py URL WORDS

TIDEMARK_SERVER is the server, http://localhost:7071 when unset; TIDEMARK_KEY is a key, for a server on this machine
that you run yourself the one that it leaves for you when unset.
It needs Python 3.9 or newer and nothing else.
"""

import datetime
import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

SERVER = os.environ.get("TIDEMARK_SERVER", "http://localhost:7071").replace("http://localhost", "http://127.0.0.1")


def left_key():
    """Gives the key that a server on this machine leaves for its user, or none."""
    state = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
    try:
        with open(os.path.join(state, "tidemark", "keys", SERVER.split("://")[-1])) as file:
            return file.read().strip()
    except OSError:
        return ""


KEY = os.environ.get("TIDEMARK_KEY") or left_key()


def call(method, path, body=None, **query):
    """Sends a request and gives the answer's JSON; a refusal raises RuntimeError, which says what to do."""
    address = SERVER + "/api/" + path + ("?" + urllib.parse.urlencode(query) if query else "")
    headers = {"Accept": "application/json", "Content-Type": "application/json"}
    if KEY:
        headers["x-functions-key"] = KEY
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address, data=data, headers=headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=120) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as refused:
        text = refused.read().decode(errors="replace")
        raise RuntimeError(f"{method} {path}: {refused.code} {text}") from None


def wait(item_id, seconds=60):
    """Polls an item until it was checked, and gives its status."""
    end = time.monotonic() + seconds
    while True:
        status = call("GET", "items/" + item_id)["status"]
        if status not in ("Pending", "Crawled"):
            return status
        if time.monotonic() > end:
            raise RuntimeError(f"{item_id} is still {status}")
        time.sleep(0.5)


def changed(since):
    """Gives what has changed since a time, page by page."""
    query = {"since": since, "order": "oldest", "top": 500}
    while True:
        page = call("GET", "changes", **query)
        yield from page["changes"]
        if not page.get("continuation"):
            return
        query["continuation"] = page["continuation"]


def main(url, words):
    since = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    item = call("POST", "AddUrlDocument", {"url": url})
    print("added", item["id"])
    print("it is", wait(item["id"]))
    for result in call("POST", "Search", {"q": words, "top": 3})["results"]:
        print("found", result["title"], result["url"])
    for change in changed(since):
        print(f"changed {change['url']} at {change['at']}: {change['kind']}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: example.py URL WORDS")
    main(*sys.argv[1:])
