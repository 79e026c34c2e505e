package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/ops/keyfile"
)

// A stage is a running Tidemark and its site, all in one temporary folder.
type stage struct {
	ctx       context.Context
	bin, dir  string
	storage   string // Tidemark's kind of storage, as in the setting STORAGE
	site      string // address of the site
	client    *api.Client
	server    string
	log       string // the site's request log
	logged    int    // number of lines of the log that were already read
	processes []*exec.Cmd
}

func newStage(ctx context.Context, bin string, port int, storage string) (*stage, error) {
	if err := checkPorts(port, storage); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "tidemark-demo-")
	if err != nil {
		return nil, err
	}
	s := &stage{
		ctx: ctx, bin: bin, dir: dir, storage: storage, log: filepath.Join(dir, "requests.log"),
		site:   fmt.Sprintf("http://localhost:%d", port+1),
		server: fmt.Sprintf("http://localhost:%d", port),
	}
	if err := os.CopyFS(filepath.Join(dir, "site"), os.DirFS("testdata/site")); err != nil {
		return nil, errors.Join(err, s.close())
	}
	fmt.Printf("Starting a site at %s and Tidemark at %s, storage %s; all of it in %s\n", s.site, s.server, storage, dir)
	if err := s.start(port); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// start runs the site and the app and waits until both answer.
func (s *stage) start(port int) error {
	err := s.spawn(filepath.Join(s.bin, "demosite"),
		"-dir", filepath.Join(s.dir, "site"), "-addr", fmt.Sprintf("localhost:%d", port+1), "-log", s.log)
	if err != nil {
		return err
	}
	err = s.spawn(filepath.Join(s.bin, "tidemark"), "start", "--port", fmt.Sprint(port),
		"--azurite-port-base", fmt.Sprint(port+2), "--data", filepath.Join(s.dir, "data"))
	if err != nil {
		return err
	}
	return s.until(3*time.Minute, "Tidemark to answer", func() (bool, error) {
		s.client = keyfile.Client(os.Getenv, s.server) // the key is there once it runs
		h, err := api.GetHealth.Call(s.ctx, s.client, api.None{})
		return err == nil && h.Status == "ok", nil
	})
}

// spawn starts a program whose output goes to a separate log file.
func (s *stage) spawn(name string, args ...string) error {
	out, err := os.Create(filepath.Join(s.dir, filepath.Base(name)+".log"))
	if err != nil {
		return err
	}
	defer out.Close()
	cmd := exec.CommandContext(s.ctx, name, args...)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.Env = append(os.Environ(), "CRAWL_ALLOW_HOSTS="+strings.TrimPrefix(s.site, "http://"), "CRAWL_GONE_AFTER=3",
		"STORAGE="+s.storage)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGINT) }
	cmd.WaitDelay = 30 * time.Second
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%s: %w (make demo builds it)", name, err)
	}
	s.processes = append(s.processes, cmd)
	return nil
}

// close stops everything in reverse order, as Ctrl-C would.
func (s *stage) close() error {
	var errs []error
	for i := len(s.processes) - 1; i >= 0; i-- {
		p := s.processes[i]
		_ = p.Process.Signal(syscall.SIGINT)
		if err := p.Wait(); err != nil && s.ctx.Err() == nil && p.ProcessState.ExitCode() > 0 {
			errs = append(errs, fmt.Errorf("%s: %w", filepath.Base(p.Path), err))
		}
	}
	return errors.Join(append(errs, os.RemoveAll(s.dir))...)
}

// until(…) polls until done returns true.
func (s *stage) until(limit time.Duration, what string, done func() (bool, error)) error {
	deadline := time.Now().Add(limit)
	for {
		ok, err := done()
		if ok || err != nil {
			return err
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("waited %s for %s\n%s", limit, what, s.tail())
		}
		if defaults.Pause(s.ctx, 200*time.Millisecond) != nil {
			return context.Cause(s.ctx)
		}
	}
}

// tail returns the end of the app's log, for the message of a failure.
func (s *stage) tail() string {
	b, _ := os.ReadFile(filepath.Join(s.dir, "tidemark.log"))
	return string(b[max(0, len(b)-2000):])
}

// tidemark runs the command as a user would and shows its output.
func (s *stage) tidemark(args ...string) error {
	fmt.Printf("$ tidemark %s\n", strings.Join(args, " "))
	cmd := exec.CommandContext(s.ctx, filepath.Join(s.bin, "tidemark"), append(args, "--server", s.server)...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}

// A request is one line of the site's log.
type request struct {
	Method string
	Path   string
	Status int
}

// requests returns the requests that the site has received since the last call, except those for robots.txt.
func (s *stage) requests() ([]request, error) {
	f, err := os.Open(s.log)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []request
	lines := bufio.NewScanner(f)
	n := 0
	for ; lines.Scan(); n++ {
		var r request
		if n < s.logged {
			continue
		}
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, err
		}
		if r.Path != "/robots.txt" {
			out = append(out, r)
		}
	}
	s.logged = n
	return out, lines.Err()
}

// items reads the whole registry, and returns the items by URL.
func (s *stage) items() (map[string]api.Item, error) {
	out := map[string]api.Item{}
	for page, err := range s.client.Pages(s.ctx, api.ItemQuery{}) {
		if err != nil {
			return nil, err
		}
		for _, it := range page.Items {
			out[it.NormalizedSource] = it
		}
	}
	return out, nil
}

// idle waits until no item is due or being checked.
func (s *stage) idle() error {
	return s.until(3*time.Minute, "the backlog to drain", func() (bool, error) {
		st, err := api.GetStatus.Call(s.ctx, s.client, api.StatusQuery{Host: ""})
		return err == nil && st.Backlog() == 0, err
	})
}
