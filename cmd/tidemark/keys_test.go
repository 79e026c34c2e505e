package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/cmd/tidemark/folder"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
)

// TestL4KeysWithoutAServer checks that the commands create, list and delete keys in the store of a data folder, and
// say that they use it.
func TestL4KeysWithoutAServer(t *testing.T) {
	data := t.TempDir()
	keys := func(args ...string) (string, string, int) {
		var out, said bytes.Buffer
		p := &terminal.Terminal{Out: &out, Err: &said, Name: "tidemark", Now: time.Now}
		code := run(t.Context(), p, noEnv, append(append([]string{"keys"}, args...), "--data", data))
		return out.String(), said.String(), code
	}
	out, said, code := keys("add", "anna", "--scope", "read")
	if code != 0 || !strings.Contains(out, "tm_") || !strings.Contains(said, "no server is asked") {
		t.Errorf("added: %d %s%s", code, out, said)
	}
	if out, _, _ := keys("list"); !strings.Contains(out, "anna  read   added") {
		t.Errorf("listed: %s", out)
	}
	if out, _, _ := keys("list", "--json"); !strings.Contains(out, `{"keys":[{"name":"anna","scope":"read"`) {
		t.Errorf("listed as JSON: %s", out)
	}
	if _, said, code := keys("add", "Anna", "--scope", "read"); code != 1 || !strings.Contains(said, "a-z") {
		t.Errorf("a bad name: %d %s", code, said)
	}
	if _, said, code := keys("add", "berta"); code != 2 || !strings.Contains(said, "scope") {
		t.Errorf("no scope: %d %s", code, said)
	}
	if out, _, code := keys("remove", "anna"); code != 0 || !strings.Contains(out, "removed") {
		t.Errorf("removed: %d %s", code, out)
	}
	release, err := folder.Hold(data, folder.AppLock)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if _, said, code := keys("list"); code != 1 || !strings.Contains(said, "in use by another Tidemark") {
		t.Errorf("while it runs: %d %s", code, said)
	}
}
