package main

import (
	"bytes"
	"fmt"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/tidemark/tidemark/cmd/tidemark/folder"
	"github.com/tidemark/tidemark/cmd/tidemark/foldertest"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage"
)

// TestAZ2CommandsFreeNothing checks AZ2: commands that lock the data folder for a moment, and a second server, which is
// refused, leave what a server has in work as it is.
func TestAZ2CommandsFreeNothing(t *testing.T) {
	data := foldertest.WithItem(t, time.Now())
	receive := func() []storage.Message {
		rows, err := app.OpenStore(func(n string) string { return foldertest.Embedded(data)[n] },
			slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		got, err := rows.Queue(registry.JobQueue).Receive(t.Context(), 1, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if len(receive()) != 1 {
		t.Fatal("no job waits")
	}
	command := func(args ...string) int {
		var out, said bytes.Buffer
		p := &terminal.Terminal{Out: &out, Err: &said, Name: "tidemark", Now: time.Now}
		return run(t.Context(), p, noEnv, append(args, "--data", data))
	}
	file := filepath.Join(t.TempDir(), "b")
	for _, args := range [][]string{{"keys", "list"}, {"doctor"}, {"backup", file}, {"restore", "--check", file}} {
		command(args...)
		if len(receive()) > 0 {
			t.Errorf("%s gave a job back", args)
		}
	}
	release, err := folder.Hold(data, folder.AppLock)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if code := command("start", "--no-input", "--port", fmt.Sprint(foldertest.FreePort(t))); code == 0 {
		t.Error("a second server was not refused")
	}
	if len(receive()) > 0 {
		t.Error("a second server, which was refused, gave a job back")
	}
}
