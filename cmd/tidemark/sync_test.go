package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
)

// chunkPage is an answer of the feed of chunks, with a change for each id.
func chunkPage(cursor string, copying bool, ids ...string) answered {
	var changes []string
	for _, id := range ids {
		changes = append(changes, aChunk(id))
	}
	return answered{body: fmt.Sprintf(`{"changes":[%s],"cursor":%q,"generation":"g","copying":%t}`,
		strings.Join(changes, ","), cursor, copying)}
}

func aChunk(id string) string {
	return `{"op":"upsert","chunkId":"` + id + `","itemId":"url_a","text":"a < b","at":"2026-03-01T11:00:00Z"}`
}

const (
	begin, copied = `{"op":"begin","generation":"g"}` + "\n", `{"op":"copied"}` + "\n"
	noCursor      = `{"title":"Gone","status":410,"detail":"no longer"}`
	away          = `{"title":"Away","status":503,"detail":"away"}`
	refused       = `{"title":"Forbidden","status":403,"detail":"this key may not"}`
)

func cursorLine(cursor string) string { return `{"op":"cursor","cursor":"` + cursor + `"}` + "\n" }

func TestJ9Sync(t *testing.T) {
	none := func(cursor string) answered { return chunkPage(cursor, false) }
	performAll(t, []script{
		{name: "a copy in two batches", args: []string{"sync", "--once"},
			answers: []answered{chunkPage("c.1", true, "a", "b"), chunkPage("c.2", false, "c"), none("c.2")},
			out: begin + aChunk("a") + "\n" + aChunk("b") + "\n" + cursorLine("copying:c.1") +
				aChunk("c") + "\n" + copied + cursorLine("c.2"),
			asked: []string{"GET /api/chunks/changes?top=500", "GET /api/chunks/changes?since=c.1&top=500",
				"GET /api/chunks/changes?since=c.2&top=500"}},
		{name: "an empty index", args: []string{"sync", "--once"}, answers: []answered{none("c.1")},
			out: begin + copied + cursorLine("c.1")},
		{name: "a copy goes on, and waits for the index", args: []string{"sync", "--once", "--since", "copying:c.1"},
			answers: []answered{chunkPage("c.1", true), chunkPage("c.1", true), chunkPage("c.2", false, "c"), none("c.2")},
			out:     aChunk("c") + "\n" + copied + cursorLine("c.2"),
			err:     "tidemark: the index is being filled: the copy is complete after that\n"},
		{name: "changes after a copy", args: []string{"sync", "--since", "c.1", "--host", "A.example", "--tag", "t",
			"--vectors", "--interval", "1m"},
			answers: []answered{none("c.1"), chunkPage("c.2", false, "c"), {403, refused}}, code: 1,
			out: aChunk("c") + "\n" + cursorLine("c.2"), err: "tidemark: this key may not\n",
			asked: []string{"GET /api/chunks/changes?host=a.example&since=c.1&tag=t&top=100&vectors=true",
				"GET /api/chunks/changes?host=a.example&since=c.1&tag=t&top=100&vectors=true",
				"GET /api/chunks/changes?host=a.example&since=c.2&tag=t&top=100&vectors=true"}},
		{name: "it begins again", args: []string{"sync", "--once", "--since", "old"},
			answers: []answered{{410, noCursor}, chunkPage("c.2", false, "c"), none("c.2")},
			out:     begin + aChunk("c") + "\n" + copied + cursorLine("c.2"),
			err:     "tidemark: a new copy begins, because the server no longer knows the cursor\n"},
		{name: "it never begins", args: []string{"sync"}, answers: []answered{{410, noCursor}}, code: 1,
			err: "tidemark: no longer\n"},
		{name: "a server that is away for a while", args: []string{"sync", "--once", "--since", "c.1"},
			answers: []answered{chunkPage("c.2", false, "c"), {503, away}, {502, away}, none("c.2")},
			out:     aChunk("c") + "\n" + cursorLine("c.2"),
			err:     "tidemark: away; again in 1s\ntidemark: away; again in 2s\ntidemark: the server answers again\n"},
		{name: "a server that stays away", args: []string{"sync", "--once", "--since", "c.1"}, code: 1,
			answers: []answered{chunkPage("c.2", false, "c"), {503, away}}, out: aChunk("c") + "\n" + cursorLine("c.2"),
			err: "tidemark: away; again in 1s\ntidemark: away; again in 2s\ntidemark: away; again in 4s\n" +
				"tidemark: away; again in 8s\ntidemark: away\n"},
		{name: "a server that was never there", args: []string{"sync"}, answers: []answered{{503, away}}, code: 1,
			err: "tidemark: away\n"},
	})
}

func TestJ9SyncUsage(t *testing.T) {
	const see = "\nsee `tidemark sync --help`\n"
	for _, tt := range []struct {
		args []string
		says string
		code int
	}{
		{[]string{"--exec"}, "give a program after --exec" + see, 2},
		{[]string{"store.py"}, `"store.py" is no flag: a program comes after --exec` + see, 2},
		{[]string{"--since", "a", "--cursor", "b"}, "--since and --cursor exclude each other" + see, 2},
		{[]string{"--top", "1001"}, "--top is 1001: give 1 to 1000" + see, 2},
		{[]string{"--interval", "0s"}, "--interval is 0s: give 100ms to 1h" + see, 2},
		{[]string{"--every", "1s"}, "unknown flag: --every" + see, 2},
		{[]string{"--exec", "no-such-program"}, `exec: "no-such-program": executable file not found in $PATH` + "\n", 1},
	} {
		perform(t, script{name: tt.says, args: append([]string{"sync"}, tt.args...), code: tt.code,
			err: "tidemark: " + tt.says, asked: []string{}})
	}
}

// TestJ9SyncCursorFile checks that the file of the cursor serves from one run to the next, and that a file that cannot
// be read or written is an error and no new copy.
func TestJ9SyncCursorFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "store.cursor")
	args := []string{"sync", "--once", "--cursor", file}
	perform(t, script{args: args, answers: []answered{chunkPage("c.1", true, "a"), {403, refused}}, code: 1,
		out: begin + aChunk("a") + "\n" + cursorLine("copying:c.1"), err: "tidemark: this key may not\n"})
	if have := readText(t, file); have != "copying:c.1\n" {
		t.Errorf("the file has %q", have)
	}
	perform(t, script{args: args, answers: []answered{chunkPage("c.2", false)}, out: copied + cursorLine("c.2"),
		asked: []string{"GET /api/chunks/changes?since=c.1&top=500"}})
	perform(t, script{args: args, answers: []answered{chunkPage("c.3", false)}, // a cursor that moved without a change
		asked: []string{"GET /api/chunks/changes?since=c.2&top=500"}})
	if have := readText(t, file); have != "c.3\n" {
		t.Errorf("the file has %q", have)
	}
	other := `{"title":"Bad","status":400,"detail":"it is of another host","errors":[{"field":"since","message":"x"}]}`
	perform(t, script{args: args, answers: []answered{{400, other}}, code: 1, err: "tidemark: it is of another host; " +
		"since: x (" + file + " has the cursor: remove it to begin with a copy)\n"})

	dir := t.TempDir()
	empty, missing := filepath.Join(dir, "empty"), filepath.Join(dir, "missing", "cursor")
	must(t, os.WriteFile(empty, nil, 0o600))
	for name, says := range map[string]string{dir: "reading the cursor: read " + dir,
		empty: empty + " is empty: remove it", missing: "the cursor cannot be written: open " + filepath.Dir(missing)} {
		var out, errOut bytes.Buffer
		code := run(t.Context(), &terminal.Terminal{Out: &out, Err: &errOut, Now: time.Now}, noEnv,
			[]string{"sync", "--cursor", name})
		if code != 1 || !strings.Contains(errOut.String(), says) || out.Len() > 0 {
			t.Errorf("%d, %s%s, want %s", code, &out, &errOut, says)
		}
	}
}

// TestJ9SyncExec checks that a program gets each batch until it has taken it, without the keys of Tidemark, and that
// the cursor moves after that.
func TestJ9SyncExec(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "cursor")
	for _, name := range []string{"TIDEMARK_KEY", "SECRETS_KEY", "API_KEYS", "CREDENTIAL_SHOP", "TIDEMARK_KEI"} {
		t.Setenv(name, "hunter2")
	}
	t.Setenv("STORE_KEY", "of the program")
	// It fails every second time, after it has read a part.
	program := `cat "$2" >> "$1/cursors" 2>/dev/null; env >> "$1/env"; echo "$3" >> "$1/args"
		if [ -e "$1/failed" ]; then rm "$1/failed"; cat >> "$1/taken"; echo stored; exit 0; fi
		touch "$1/failed"; read -r line; echo "out of order" >&2; exit 7`
	args := []string{"sync", "--cursor", file, "--exec", "sh", "-c", program, "sh", dir, file, "--once"}
	failed := "out of order\ntidemark: sh ended with exit code 7; again in 1s\ntidemark: sh has taken the batch\n"
	perform(t, script{args: args, code: 1, out: "stored\nstored\n", err: failed + failed + "tidemark: this key may not\n",
		answers: []answered{chunkPage("c.1", true, "a"), chunkPage("c.2", false, "b"), {403, refused}}})
	want := begin + aChunk("a") + "\n" + cursorLine("copying:c.1") + aChunk("b") + "\n" + copied + cursorLine("c.2")
	if diff := cmp.Diff(want, readText(t, filepath.Join(dir, "taken"))); diff != "" {
		t.Error(diff)
	}
	seen := readText(t, filepath.Join(dir, "cursors"))
	if seen != "copying:c.1\ncopying:c.1\n" || readText(t, file) != "c.2\n" {
		t.Errorf("the program saw the cursors %q, and then there is %q", seen, readText(t, file))
	}
	env := readText(t, filepath.Join(dir, "env"))
	if strings.Contains(env, "hunter2") || !strings.Contains(env, "STORE_KEY=") || !strings.Contains(env, "PATH=") {
		t.Errorf("the environment of the program:\n%s", env)
	}
	if have := readText(t, filepath.Join(dir, "args")); have != strings.Repeat("--once\n", 4) {
		t.Errorf("the arguments are %q", have)
	}

	// With --once, a failure is the end, and nothing is lost.
	args = append([]string{"sync", "--once"}, args[1:]...)
	perform(t, script{args: args, code: 1, answers: []answered{chunkPage("c.3", false, "c"), chunkPage("c.3", false)},
		err: "out of order\ntidemark: sh ended with exit code 7; the cursor has not moved\n"})
	perform(t, script{args: args, answers: []answered{chunkPage("c.3", false, "c"), chunkPage("c.3", false)},
		out: "stored\n", err: "tidemark: in step: 1 change in 1 batch\n",
		asked: []string{"GET /api/chunks/changes?since=c.2&top=500", "GET /api/chunks/changes?since=c.3&top=500"}})
	if have := readText(t, file); have != "c.3\n" {
		t.Errorf("the file has %q", have)
	}
}

// TestJ9SyncInterrupted checks that a program may finish its batch after Ctrl-C, which then counts as taken, and that a
// batch that it did not finish is kept.
func TestJ9SyncInterrupted(t *testing.T) {
	big := make([]string, 1000) // more than a pipe holds
	for i := range big {
		big[i] = strings.Repeat("x", 1000)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, chunkPage("c.1", false, big...).body)
	}))
	defer server.Close()
	for ending, want := range map[string]string{"cat > /dev/null": "c.1\n", "exit 1": ""} {
		dir := t.TempDir()
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go func() {
			for ctx.Err() == nil {
				if _, err := os.Stat(filepath.Join(dir, "begun")); err == nil {
					stop()
					must(t, os.WriteFile(filepath.Join(dir, "stopped"), nil, 0o600))
				}
				time.Sleep(5 * time.Millisecond)
			}
		}()
		printed, err := os.Create(filepath.Join(dir, "printed")) // which the command and the program can write together
		must(t, err)
		defer printed.Close()
		code := run(ctx, &terminal.Terminal{Out: printed, Err: printed, Now: time.Now,
			Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }}, noEnv,
			[]string{"sync", "--server", server.URL, "--cursor", filepath.Join(dir, "cursor"), "--exec", "sh", "-c",
				`touch "$0/begun"; until [ -e "$0/stopped" ]; do sleep 0.02; done; sleep 0.1; ` + ending, dir})
		have, _ := os.ReadFile(filepath.Join(dir, "cursor"))
		said := readText(t, printed.Name())
		if code != 130 || string(have) != want || !strings.Contains(said, "sh has 10s to finish its batch") {
			t.Errorf("%s: %d, cursor %q, want %q\n%s", ending, code, have, want, said)
		}
	}
}
