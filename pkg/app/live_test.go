package app

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/site"
)

// TestL10LiveSettings checks that a program takes over settings that it reads at use from the changed file, not others,
// and nothing from a file that is not right or over the environment (L10).
func TestL10LiveSettings(t *testing.T) {
	var said strings.Builder
	log := slog.New(slog.NewTextHandler(&said, nil))
	file := filepath.Join(t.TempDir(), ConfigFile)
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("LOG_LEVEL: warn\nPORT: 1\n")
	src := ReadSources(env(map[string]string{"CRAWL_MAX_CONCURRENT": "3"}), []string{"CRAWL_MAX_CONCURRENT=3"},
		filepath.Dir(file))
	cfg, err := Load(src.Get, src.Names()...)
	if err != nil {
		t.Fatal(err)
	}
	var level slog.Level
	cfg.live = Follow(src, cfg, log, func(c Config) { level = c.LogLevel })
	if level != slog.LevelWarn {
		t.Errorf("it begins with %v", level)
	}
	pace := cfg.politeness(func(string) bool { return false },
		func(string) (limits site.Limits, given bool) { return limits, false })
	refresh := func() { cfg.live.next = time.Time{}; cfg.live.Refresh() }
	write("LOG_LEVEL: debug\nPORT: 22\nCRAWL_MIN_DELAY_MS: 5000\nCRAWL_MAX_DELAY_MS: 7000\nCRAWL_MAX_CONCURRENT: 4\n")
	refresh()
	if p := pace("a.example"); level != slog.LevelDebug || p.MinDelay != 5*time.Second || p.MaxDelay != 7*time.Second ||
		p.MaxConcurrent != 3 {
		t.Errorf("level %v, %+v", level, p)
	}
	shown := func(name string) api.ServerSetting {
		all := cfg.live.Shown()
		return all[slices.IndexFunc(all, func(s api.ServerSetting) bool { return s.Name == name })]
	}
	if s := shown("PORT"); s.Value != "1" || !s.Restart {
		t.Errorf("shown %+v", s)
	}
	if s := shown("LOG_LEVEL"); s.Value != "debug" || s.Restart || s.From != "file" {
		t.Errorf("shown %+v", s)
	}
	write("LOG_LEVEL: loud\n")
	refresh()
	refresh()
	if level != slog.LevelDebug || strings.Count(said.String(), "not right") != 1 {
		t.Errorf("level %v; said %s", level, &said)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	refresh()
	if level != slog.LevelInfo || pace("a.example").MinDelay != time.Second {
		t.Errorf("without a file: %v", level)
	}
	if again := Follow(src, cfg, log, func(c Config) { level = c.LogLevel }); level != slog.LevelWarn {
		t.Errorf("a handler begins with %v", level)
	} else if again.Refresh(); level != slog.LevelInfo {
		t.Error("a handler that starts again has what the file said before")
	}
}

// TestL11ChangeWhileItRuns checks that a change is in the file and in force at once, with the comments of the file, and
// that what is refused, with what a start says, leaves the file alone (L11).
func TestL11ChangeWhileItRuns(t *testing.T) {
	file := filepath.Join(t.TempDir(), ConfigFile)
	const before = "# mine\nLOG_LEVEL: warn\nPORT: 1\n"
	if err := os.WriteFile(file, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	src := ReadSources(env(map[string]string{"CRAWL_MAX_CONCURRENT": "3"}), []string{"CRAWL_MAX_CONCURRENT=3"},
		filepath.Dir(file))
	cfg, err := Load(src.Get, src.Names()...)
	if err != nil {
		t.Fatal(err)
	}
	l := Follow(src, cfg, slog.New(slog.DiscardHandler), func(c Config) { cfg = c })
	for _, tt := range []struct {
		name, value, want string
		kind              fault.Kind
	}{
		{"CRAWL_MAX_CONCURRENT", "4", "is set in the environment", fault.Conflict},
		{"LOG_LEVL", "debug", "did you mean LOG_LEVEL?", fault.Invalid},
		{"PORT", "2", "takes effect at the next start only", fault.Invalid},
		{"LOG_LEVEL", "loud", `LOG_LEVEL="loud": allowed is debug, info, warn or error`, fault.Invalid},
		{"CRAWL_MIN_DELAY_MS", "3600001", `CRAWL_MIN_DELAY_MS="3600001": allowed is a whole number from`, fault.Invalid},
		{"TIDEMARK_DATA", "/", "from the environment only", fault.Invalid},
	} {
		err := l.Change(api.SettingsPatch{tt.name: &tt.value, "CRAWL_MAX_DELAY_MS": new("7000")})
		text, _ := os.ReadFile(file)
		if fault.KindOf(err) != tt.kind || !strings.Contains(err.Error(), tt.want) || string(text) != before ||
			tt.kind == fault.Invalid && fault.FieldOf(err) != tt.name {
			t.Errorf("%s: %v of %q, file %q", tt.name, err, fault.FieldOf(err), text)
		}
	}
	err = l.Change(api.SettingsPatch{"LOG_LEVEL": nil, "CRAWL_MIN_DELAY_MS": new("5000"),
		"CRAWL_MAX_DELAY_MS": new("7000")})
	text, _ := os.ReadFile(file)
	if want := "# mine\nPORT: 1\nCRAWL_MAX_DELAY_MS: 7000\nCRAWL_MIN_DELAY_MS: 5000\n"; err != nil ||
		string(text) != want || cfg.LogLevel != slog.LevelInfo || cfg.Politeness.MinDelay != 5*time.Second {
		t.Errorf("%v: %q, level %v, delay %v", err, text, cfg.LogLevel, cfg.Politeness.MinDelay)
	}
}
