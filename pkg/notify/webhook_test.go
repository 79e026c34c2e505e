package notify

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/api/openapi"
	"github.com/tidemark/tidemark/pkg/api/openapi/openapitest"
	"github.com/tidemark/tidemark/pkg/base/treetest"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/notify/send"
)

// hook is a webhook as received.
type hook struct {
	Secret  string            `json:"secret"`
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
}

// hooks is a receiver that keeps webhooks.
type hooks struct {
	mu  sync.Mutex
	got []hook
}

func (h *hooks) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	one := hook{Headers: map[string]string{}, Body: string(body)}
	for name := range r.Header {
		one.Headers[strings.ToLower(name)] = r.Header.Get(name)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.got = append(h.got, one)
}

// TestW8Webhooks checks that the reference verifier of Standard Webhooks accepts a webhook, and refuses it once a
// letter is changed, and that the SDK of CloudEvents and the schemas of the API description accept its body (W8, W5).
func TestW8Webhooks(t *testing.T) {
	receiver := &hooks{}
	server := httptest.NewServer(receiver)
	t.Cleanup(server.Close)
	r := newRig(t)
	web, err := fetch.New(fetch.Config{AllowHosts: []string{"127.0.0.1"}})
	must(t, err)
	r.Book.sender = send.New(web, "Tidemark/test", time.Now) // the verifier checks the time
	made, err := r.SaveChannel(t.Context(), api.ChannelSpec{Name: "ops",
		ChannelSettings: api.ChannelSettings{Kind: Webhook, URL: server.URL + "/hook"}}, true)
	must(t, err)
	_, err = r.SaveRule(t.Context(), "", api.RuleSpec{Name: "All", Channels: []string{"ops"}})
	must(t, err)
	said, err := r.TestChannel(t.Context(), api.ChannelSpec{Name: "ops"})
	must(t, err)
	if !said.OK || said.Status != http.StatusOK {
		t.Errorf("a test: %+v", said)
	}
	r.publish(1, feed.Content)
	r.publish(40, feed.New)
	r.pass(15 * time.Minute)
	if len(receiver.got) != 12 {
		t.Fatalf("%d webhooks", len(receiver.got))
	}
	var all []hook
	for _, h := range receiver.got {
		h.Secret = made.SigningSecret
		all = append(all, h)
	}
	forged := all[0]
	forged.Body = strings.Replace(forged.Body, "test", "best", 1)
	found := verify(t, append(all, forged))
	described, err := openapitest.New(openapi.JSON)
	must(t, err)
	types := map[string]int{}
	for i, h := range all {
		types[found[i].Type]++
		if found[i].ID != h.Headers["webhook-id"] || found[i].Error != "" {
			t.Errorf("webhook %d: %+v\n%s", i, found[i], h.Body)
		}
		header := http.Header{}
		for name, value := range h.Headers {
			header.Set(name, value)
		}
		if err := described.Webhook(found[i].Type, header, []byte(h.Body)); err != nil {
			t.Errorf("webhook %d: %v\n%s", i, err, h.Body)
		}
	}
	if types["tidemark.change"] != 10 || types["tidemark.digest"] != 1 || types["tidemark.test"] != 1 {
		t.Errorf("%v", types)
	}
	if found[len(all)].Error == "" {
		t.Error("a forged webhook is taken")
	}
}

// taken is the reference verifiers' result for a webhook.
type taken struct{ Type, ID, Error string }

// verify runs the verifiers. The test fails when they cannot be installed; it is never skipped.
func verify(t *testing.T, all []hook) (out []taken) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "webhooks.json")
	body, err := json.Marshal(all)
	must(t, err)
	must(t, os.WriteFile(file, body, 0o600))
	must(t, json.Unmarshal(command(t, "node", filepath.Join("testdata", "verify.mjs"), modules(t), file), &out))
	return out
}

// modules returns the folder of the verifiers in .tools, and downloads them if they are missing.
func modules(t *testing.T) string {
	t.Helper()
	tools := treetest.Tools(t)
	home := filepath.Join(tools, "webhooks-1")
	if _, err := os.Stat(filepath.Join(home, "node_modules")); err == nil {
		return home
	}
	must(t, os.MkdirAll(tools, 0o755))
	// Installed beside home and renamed, so that home is always complete.
	temp, err := os.MkdirTemp(tools, "webhooks-")
	must(t, err)
	defer os.RemoveAll(temp)
	command(t, "npm", "install", "--prefix", temp, "standardwebhooks@1.1.1", "cloudevents@10.0.0", "--ignore-scripts",
		"--no-audit", "--no-fund")
	if err := os.Rename(temp, home); err != nil {
		_, err = os.Stat(filepath.Join(home, "node_modules")) // another process may have installed it first
		must(t, err)
	}
	return home
}

func command(t *testing.T, name string, args ...string) []byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	var failed strings.Builder
	cmd.Stderr = &failed
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v: %s", name, err, failed.String())
	}
	return out
}
