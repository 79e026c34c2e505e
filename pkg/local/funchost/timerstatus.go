package funchost

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// timerStatus is the state of a timer that survives a restart of the host.
type timerStatus struct {
	Schedule    string // the expression that Next was computed from
	Last        time.Time
	Next        time.Time
	LastUpdated time.Time
}

// statusFolder keeps one JSON file per timer, as the real host keeps one blob; "" keeps nothing.
type statusFolder string

func (f statusFolder) path(function string) string {
	return filepath.Join(string(f), "Host.Functions."+function+".json")
}

// load treats a file that cannot be parsed as missing, because a damaged file must not stop its timer.
func (f statusFolder) load(function string) (s timerStatus, ok bool, err error) {
	if f == "" {
		return s, false, nil
	}
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

// save replaces the file in one step, so that after a kill the file has the old or the new status.
func (f statusFolder) save(function string, s timerStatus) error {
	if f == "" {
		return nil
	}
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(string(f), 0o755); err != nil {
		return err
	}
	temp := f.path(function) + ".new"
	if err := os.WriteFile(temp, data, 0o644); err != nil {
		return err
	}
	return os.Rename(temp, f.path(function))
}
