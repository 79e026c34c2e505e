package app

import (
	"log/slog"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage"
)

// TestAZ2RestartedServer checks AZ2 on the embedded store: after everything was killed, the next server gets the jobs
// at once, and their items and leases with them.
func TestAZ2RestartedServer(t *testing.T) {
	settings := map[string]string{"STORAGE": Embedded, "TIDEMARK_DATA": t.TempDir()}
	get := func(name string) string { return settings[name] }
	open := func() (storage.Store, *registry.Registry) {
		s, err := OpenStore(get, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		return s, registry.New(s, registry.Options{})
	}
	begin := func(s storage.Store, reg *registry.Registry, process string) *registry.Batch {
		messages, err := s.Queue(registry.JobQueue).Receive(t.Context(), 1, 10*time.Minute)
		if err != nil || len(messages) == 0 {
			return nil
		}
		job, err := registry.ParseJob(messages[0].Body)
		if err != nil {
			t.Fatal(err)
		}
		job.Attempt = registry.Attempt{Message: messages[0].ID, Instance: instance(get), Process: process}
		b, err := reg.Jobs.Begin(t.Context(), job)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	s, reg := open()
	if err := Recover(t.Context(), s); err != nil {
		t.Fatal("a new s: ", err)
	}
	if err := reg.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	var sources []source.Source
	for _, url := range []string{"https://a.example/1", "https://a.example/2"} {
		src, err := source.DefaultRules().ParseURL(url)
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, src)
	}
	reg.Items.Register(t.Context(), sources, registry.RegisterOptions{})
	if b := begin(s, reg, "p1"); b == nil || len(b.Items) != 2 {
		t.Fatal("the first server has not begun")
	}
	s.Close()
	if s, reg = open(); begin(s, reg, "p2") != nil {
		t.Error("the job is visible before the server says that it works alone")
	}
	defer func() { s.Close() }()
	if err := Recover(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if b := begin(s, reg, "p2"); b == nil || len(b.Items) != 2 || !b.Items[0].Interrupted {
		t.Errorf("the next server has %+v", b)
	}
}
