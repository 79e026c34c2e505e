package foldertest

import (
	"context"
	"log/slog"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/tidemark/tidemark/cmd/tidemark/folder"
	"github.com/tidemark/tidemark/pkg/local/azurite"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
)

// Stage fakes the services of a data folder, and records their events in order.
type Stage struct {
	AzuriteErr, PingErr error
	AzuriteDies         bool

	mu     sync.Mutex
	events []string
}

// Event records an event.
func (s *Stage) Event(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, what)
}

// Events returns the recorded events.
func (s *Stage) Events() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.events
}

// Services returns the fake services.
func (s *Stage) Services() folder.Services {
	return folder.Services{
		Azurite: func(_ context.Context, o azurite.Options) (folder.Emulator, error) {
			s.Event("azurite " + filepath.Base(o.DataDir) + " " + strconv.Itoa(o.PortBase))
			return emulator{s, make(chan struct{})}, s.AzuriteErr
		},
		Open: func(get func(string) string, _ *slog.Logger) (storage.Store, error) {
			if get("STORAGE") == folder.Embedded {
				s.Event("open the folder")
			} else {
				s.Event("open " + get("AzureWebJobsStorage"))
			}
			return stagedStore{mem.New(time.Now), s}, nil
		},
	}
}

type emulator struct {
	s    *Stage
	done chan struct{}
}

func (emulator) ConnectionString() string { return "azurite!" }
func (e emulator) Stop()                  { e.s.Event("azurite stopped") }
func (e emulator) Done() <-chan struct{} {
	if e.s.AzuriteDies {
		close(e.done)
	}
	return e.done
}

type stagedStore struct {
	storage.Store
	s *Stage
}

func (s stagedStore) Ping(context.Context) error { return s.s.PingErr }
func (s stagedStore) Close() error               { s.s.Event("store closed"); return nil }
