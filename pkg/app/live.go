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
	"github.com/tidemark/tidemark/pkg/base/fault"
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
	file, err := readConfig(was.src.Path, false)
	var src *Sources
	var cfg Config
	if err == nil {
		src = was.src.reread(file)
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

// Shown returns all settings as they are now. In Azure each change of them is a new start.
func (l *Live) Shown() []api.ServerSetting {
	l.Refresh()
	now := l.now.Load()
	all := now.src.Shown()
	for i := range all {
		all[i].Restart = all[i].Restart || now.cfg.Cloud
	}
	return all
}

// Change changes settings that may change while the program runs, in the settings file, and applies them; nil takes a
// setting out of the file. They are checked as at a start. Errors: Invalid, with the name of the setting; Conflict for
// what the environment sets, and where the file cannot be written.
func (l *Live) Change(values api.SettingsPatch) error {
	if err := l.write(values); err != nil {
		return err
	}
	l.mu.Lock()
	l.next = time.Time{}
	l.mu.Unlock()
	l.Refresh()
	return nil
}

func (l *Live) write(values api.SettingsPatch) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	now, texts := l.now.Load(), map[string]string{}
	for name, value := range values {
		if texts[name] = ""; value != nil {
			texts[name] = *value
		}
	}
	c, err := now.src.change(texts)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		if !slices.Contains(live, name) || now.cfg.Cloud {
			return fault.Field(name, "%s takes effect at the next start only: change it where the program is started, as "+
				"with `tidemark settings set`", name)
		}
	}
	next := now.src.reread(c.file)
	if _, err := Load(next.Get, next.Names()...); err != nil {
		return fault.Field(faulty(err, texts), "%w", err)
	}
	if err := c.Save(); err != nil {
		return fault.New(fault.Conflict, "the settings file cannot be written: %w", err)
	}
	return nil
}

// faulty returns the name of the changed setting of which an error says what is wrong; "" if it is another.
func faulty(err error, changed map[string]string) string {
	all, _ := errors.AsType[Problems](err)
	for _, said := range all {
		name, _, _ := strings.Cut(said, "=")
		if _, found := changed[name]; found {
			return name
		}
	}
	return ""
}

// before calls [Live.Refresh] before each request, so that a program without requests does nothing. The sweep is one
// each minute.
func (l *Live) before(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l.Refresh()
		next.ServeHTTP(w, r)
	})
}

// reread returns the sources with the settings of a file that may change while a program runs. The others stay.
func (s *Sources) reread(file *configFile) *Sources {
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
	return &next
}
