package app

import (
	"errors"
	"io/fs"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
)

// live are the settings that a program reads when it uses them. A change of them in the settings file takes effect
// while it runs.
var live = []string{"LOG_LEVEL", "CRAWL_MIN_DELAY_MS", "CRAWL_MAX_DELAY_MS", "CRAWL_MAX_CONCURRENT"}

// LiveSettings returns the names of the settings whose change takes effect without a new start.
func LiveSettings() []string { return slices.Clone(live) }

// statEvery is the least time between two checks whether the settings file has changed.
const statEvery = time.Second

// Live follows the settings file while a program runs. All settings but a few stay as they were at the start.
type Live struct {
	apply func(Config)
	log   *slog.Logger
	now   atomic.Pointer[state]

	mu   sync.Mutex
	next time.Time   // of the next check of the file
	read bool        // whether the file was read
	seen fs.FileInfo // the file as it was read last; nil if there was none
}

// state is what the settings are now.
type state struct {
	src *Sources
	cfg Config
}

// Follow returns the settings of a program that has started with them. It calls apply, now and after each change. The
// file may have changed since the start of the host that has given the settings, so it is read at the first refresh.
func Follow(src *Sources, cfg Config, log *slog.Logger, apply func(Config)) *Live {
	l := &Live{apply: apply, log: log}
	l.now.Store(&state{src, cfg})
	apply(cfg)
	return l
}

// Refresh applies what has changed in the settings file. A file that is not right changes nothing, and is logged once.
func (l *Live) Refresh() {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if now.Before(l.next) {
		return
	}
	l.next = now.Add(statEvery)
	was := l.now.Load()
	is, err := os.Stat(was.src.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) || l.read && unchanged(l.seen, is) {
		return
	}
	l.read, l.seen = true, is
	src, err := was.src.reread()
	var cfg Config
	if err == nil {
		cfg, err = Load(src.Get, src.Names()...)
	}
	if err != nil {
		l.log.Warn("the settings file has changed and is not right; what was applies", "file", was.src.Path, "err", err)
		return
	}
	var changed []string
	for _, name := range live {
		if src.Get(name) != was.src.Get(name) {
			changed = append(changed, name)
		}
	}
	if len(changed) > 0 {
		l.now.Store(&state{src, cfg})
		l.apply(cfg)
		l.log.Info("settings changed", "settings", strings.Join(changed, ", "))
	}
}

func unchanged(was, is fs.FileInfo) bool {
	if was == nil || is == nil {
		return was == nil && is == nil
	}
	return os.SameFile(was, is) && was.ModTime().Equal(is.ModTime()) && was.Size() == is.Size()
}

// Shown returns all settings as they are now.
func (l *Live) Shown() []api.ServerSetting {
	l.Refresh()
	return l.now.Load().src.Shown()
}

// before calls [Live.Refresh] before each request, so that a program without requests does nothing. The sweep is one
// each minute.
func (l *Live) before(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l.Refresh()
		next.ServeHTTP(w, r)
	})
}

// reread returns the sources with the settings of the file that may change while a program runs. The others stay.
func (s *Sources) reread() (*Sources, error) {
	file, err := readConfig(s.Path, false)
	if err != nil {
		return nil, err
	}
	next, values := *s, file.values()
	next.file = maps.Clone(s.file)
	if next.file == nil {
		next.file = map[string]string{}
	}
	for _, name := range live {
		delete(next.file, name)
		if value, given := values[name]; given {
			next.file[name] = value
		}
	}
	return &next, nil
}
