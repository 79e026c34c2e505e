package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The test binary is also the handler: a correct one, or one with a flaw that the checks must find.

const (
	roleVar = "CONFORMANCE_TEST_HANDLER"
	flawVar = "CONFORMANCE_TEST_FLAW"
)

func TestMain(m *testing.M) {
	if flaw, ok := os.LookupEnv(roleVar); ok {
		runHandler(flaw)
		return
	}
	os.Exit(m.Run())
}

func runHandler(flaw string) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		if flaw == "slow root" {
			select {}
		}
	})
	mux.HandleFunc("POST /work", func(w http.ResponseWriter, r *http.Request) { serveWork(w, r, flaw) })
	if flaw != "no route" {
		mux.HandleFunc("GET /api/items/{id}", func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, "no item "+r.PathValue("id"), http.StatusNotFound)
		})
	}
	fold := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if flaw != "one casing" || r.URL.Path == "/Work" {
			r.URL.Path = strings.ToLower(r.URL.Path)
		}
		if flaw == "no 404" && r.URL.Path == unknownPath {
			return
		}
		mux.ServeHTTP(w, r)
	})
	http.ListenAndServe("127.0.0.1:"+os.Getenv("FUNCTIONS_CUSTOMHANDLER_PORT"), fold)
}

func serveWork(w http.ResponseWriter, r *http.Request, flaw string) {
	body, _ := io.ReadAll(r.Body)
	media := "application/json"
	if flaw == "no media type" {
		media = "text/plain"
	}
	w.Header().Set("Content-Type", media)
	if flaw == "trusts Content-Length" && r.ContentLength < 0 {
		w.WriteHeader(http.StatusLengthRequired)
	} else if _, ok := message(body, flaw); !ok {
		w.WriteHeader(http.StatusInternalServerError)
		switch flaw {
		case "empty failure":
			return
		case "null":
			io.WriteString(w, "null")
			return
		case "logs as text":
			io.WriteString(w, `{"Logs":"bad"}`)
			return
		}
	}
	io.WriteString(w, "{}")
}

// message finds the message "hello" in either encoding.
func message(body []byte, flaw string) (string, bool) {
	var e struct{ Data map[string]string }
	if json.Unmarshal(body, &e) != nil {
		return "", false
	}
	var s string
	if json.Unmarshal([]byte(e.Data["msg"]), &s) == nil {
		return s, s == "hello"
	}
	return "hello", e.Data["msg"] == "aGVsbG8=" && flaw != "no binary"
}

func testApp(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(exe, filepath.Join(dir, "handler")); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"host.json": `{"version":"2.0","customHandler":{"description":{"defaultExecutablePath":"handler"},` +
			`"enableProxyingHttpRequest":true}}`,
		"Work/function.json": `{"bindings":[{"name":"msg","type":"queueTrigger","direction":"in","queueName":"work"}]}`,
		"Items/function.json": `{"bindings":[{"name":"req","type":"httpTrigger","direction":"in","methods":["get"],` +
			`"route":"items/{id}"},{"name":"res","type":"http","direction":"out"}]}`,
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestSubject checks a correct handler, or the flawed one that TestFlawsAreFound selects.
func TestSubject(t *testing.T) {
	Handler(t, testApp(t), Options{
		Env: []string{roleVar + "=" + os.Getenv(flawVar)},
		Messages: map[string]Message{"Work": {Body: []byte("hello"), Taken: func(a Answer) error {
			if a.Status != 200 {
				return errors.New("not taken")
			}
			return nil
		}}},
		Payloads: map[string][][]byte{"Work": {[]byte(`{"Data":{"msg":{}}}`)}},
	})
}

func TestFlawsAreFound(t *testing.T) {
	rows := []struct{ flaw, check string }{
		{"slow root", "root"},
		{"no 404", "unknown path"},
		{"no route", "get has a route"},
		{"one casing", "get in capitals"},
		{"no media type", "Content-Type is"},
		{"empty failure", "body is empty"},
		{"null", "no JSON object"},
		{"logs as text", "no list of strings"},
		{"trusts Content-Length", "with Content-Length"},
		{"no binary", "message is taken binary"},
	}
	for _, row := range rows {
		t.Run(row.flaw, func(t *testing.T) {
			cmd := exec.Command(os.Args[0], "-test.run=^TestSubject$", "-test.v")
			cmd.Env = append(os.Environ(), flawVar+"="+row.flaw)
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			err := cmd.Run()
			found := false
			want := strings.ReplaceAll(row.check, " ", "_")
			for line := range strings.Lines(out.String()) {
				found = found || strings.Contains(line, row.check) ||
					(strings.Contains(line, "FAIL") && strings.Contains(line, want))
			}
			if err == nil || !found {
				t.Errorf("flaw passed (%v):\n%s", err, out.String())
			}
		})
	}
}
