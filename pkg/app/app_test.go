package app

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/lineage"
	"github.com/tidemark/tidemark/pkg/local/azurite/azuritetest"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// nowhere is the connection string of a storage account that refuses connections.
const nowhere = "DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey=a2V5;" +
	"BlobEndpoint=http://127.0.0.1:1/a;QueueEndpoint=http://127.0.0.1:1/a;TableEndpoint=http://127.0.0.1:1/a"

// Services that could not be opened are opened by the next call, and then stay open.
func TestServicesAreTriedAgain(t *testing.T) {
	t.Parallel() // it mostly waits
	settings := map[string]string{"TIDEMARK_DATA": t.TempDir(), "AzureWebJobsStorage": nowhere}
	a, err := New(env(settings), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Services(t.Context()); !fault.Is(err, fault.Unavailable) {
		t.Fatalf("have %v, want Unavailable", err)
	}
	settings["AzureWebJobsStorage"] = azuritetest.Start(t).ConnectionString()
	first, err := a.Services(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if second, err := a.Services(t.Context()); err != nil || second != first {
		t.Errorf("opened twice: %v", err)
	}
	e, err := first.Store.Table(snapshot.RunsTable).Get(t.Context(),
		storage.Key{Partition: "run", Row: "crawl-" + lineage.Current.String()})
	if err != nil || e.Props["normalizationVersion"] != lineage.Current.String() { // B1
		t.Errorf("the run is not recorded: %v, %v", e.Props, err)
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
}

// Activity just before a stop is visible after the next start (S13).
func TestS13ActivityOutlivesARestart(t *testing.T) {
	settings := env(map[string]string{"STORAGE": Embedded, "TIDEMARK_DATA": t.TempDir()})
	for start := range 2 {
		a, err := New(settings, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		s, err := a.Services(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if report, err := s.Activity.Read(t.Context(), 2); err != nil || report.Total.Errors != int64(2*start) {
			t.Errorf("start %d: %+v, %v", start, report, err)
		}
		a.Metrics().Checks.Add(1, "failed")
		if err := s.Activity.Flush(t.Context()); err != nil {
			t.Error(err)
		}
		a.Metrics().Checks.Add(1, "failed") // within the same minute
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Every service is set, except Indexes: an embedded store belongs to one process, so its index does, too. And there is
// a Browser only where one is set up.
func TestServicesAreComplete(t *testing.T) {
	a, err := New(env(map[string]string{"STORAGE": Embedded, "TIDEMARK_DATA": t.TempDir()}), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	s, err := a.Services(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	v := reflect.ValueOf(*s)
	for i := range v.NumField() {
		if f := v.Field(i); (f.Kind() == reflect.Pointer || f.Kind() == reflect.Interface || f.Kind() == reflect.Func) &&
			f.IsNil() && !slices.Contains([]string{"Indexes", "Browser"}, v.Type().Field(i).Name) {
			t.Errorf("%s is missing", v.Type().Field(i).Name)
		}
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
}

// A caller that waits while another one opens the services waits no longer than its own context allows.
func TestServicesWaitWithinTheirTime(t *testing.T) {
	a, err := New(env(nil), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if !a.building.TryAcquire(1) { // another caller opens the services, and never finishes
		t.Fatal("the turn is taken")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := a.Services(ctx); !fault.Is(err, fault.Unavailable) {
		t.Errorf("have %v, want Unavailable", err)
	}
	a.building.Release(1)
	if err := a.Close(); err != nil {
		t.Error(err)
	}
}

// A bad setting stops the start.
func TestBadSettingStopsTheStart(t *testing.T) {
	if _, err := New(env(map[string]string{"CRAWL_MAX_CONCURRENT": "x"}), nil); !fault.Is(err, fault.Invalid) {
		t.Errorf("have %v, want Invalid", err)
	}
}

// Prepare creates the queues of every function with a queue trigger, so that a host can poll them while the app
// starts.
func TestPrepareMakesTheQueues(t *testing.T) {
	get := env(map[string]string{"STORAGE": Embedded, "TIDEMARK_DATA": t.TempDir()})
	store, err := OpenStore(get, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	cfg, err := Load(get)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := Prepare(t.Context(), cfg, store); err != nil {
			t.Fatal(err)
		}
	}
	queues := triggerQueues(t)
	if len(queues) < 2 {
		t.Errorf("the functions read %v, want crawl-jobs and its poison at least", queues)
	}
	for _, name := range queues {
		if _, err := store.Queue(name).Receive(t.Context(), 1, time.Minute); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// triggerQueues returns the queues that trigger functions.
func triggerQueues(t *testing.T) (queues []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "functions", "*", "function.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		var f struct {
			Bindings []struct{ Type, QueueName string }
		}
		b, err := os.ReadFile(name)
		if err = errors.Join(err, json.Unmarshal(b, &f)); err != nil {
			t.Fatal(err)
		}
		if f.Bindings[0].Type == "queueTrigger" {
			queues = append(queues, f.Bindings[0].QueueName)
		}
	}
	return queues
}
