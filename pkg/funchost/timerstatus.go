package funchost

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/fault"
)

// timerStatus is what is remembered of a timer from one start of the host to the next.
type timerStatus struct {
	Schedule    string // the text that Next follows from
	Last        time.Time
	Next        time.Time
	LastUpdated time.Time
}

// statusStore keeps timer statuses by function name.
type statusStore interface {
	load(function string) (s timerStatus, ok bool, err error)
	save(function string, s timerStatus) error
}

// newStatusStore keeps statuses in dir, or in memory when dir is empty.
func newStatusStore(dir string) statusStore {
	if dir == "" {
		return &memoryStatus{all: map[string]timerStatus{}}
	}
	return fileStatus{dir: dir}
}

type memoryStatus struct {
	mu  sync.Mutex
	all map[string]timerStatus
}

func (m *memoryStatus) load(function string) (timerStatus, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, ok := m.all[function]
	return s, ok, nil
}

func (m *memoryStatus) save(function string, s timerStatus) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.all[function] = s
	return nil
}

// fileStatus keeps one JSON file per timer, as the real host keeps one blob.
type fileStatus struct{ dir string }

func (f fileStatus) path(function string) string {
	return filepath.Join(f.dir, "Host.Functions."+function+".json")
}

// load treats a file that cannot be understood as none, for a timer must not stay silent over it.
func (f fileStatus) load(function string) (s timerStatus, ok bool, err error) {
	data, err := os.ReadFile(f.path(function))
	if errors.Is(err, fs.ErrNotExist) {
		return s, false, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err != nil {
		return timerStatus{}, false, fault.New(fault.Invalid, "timer status of %s: %w", function, err)
	}
	return s, true, nil
}

// save replaces the file in one step, so that a kill leaves the old status or the new one.
func (f fileStatus) save(function string, s timerStatus) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(f.dir, 0o755); err != nil {
		return err
	}
	temp := f.path(function) + ".new"
	if err := os.WriteFile(temp, data, 0o644); err != nil {
		return err
	}
	return os.Rename(temp, f.path(function))
}
