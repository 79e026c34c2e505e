package apiclient

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/local/programtest"
	"github.com/tidemark/tidemark/pkg/ops/keyfile"
)

// integrations is the folder of the examples.
const integrations = "../../docs/integrations"

// TestL6Examples runs each example of docs/integrations as its first lines say. It adds a page of a real site to the
// real program, waits until the page is indexed, finds it, and lists it as changed, but not a page that was indexed
// before (L6).
func TestL6Examples(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir()) // where the server leaves its key, and the examples find it
	server, site := runTidemark(t), runSite(t)
	client := keyfile.Client(os.Getenv, server)
	_, err := api.AddURL.Call(t.Context(), client, api.AddURLRequest{URL: site + "/old"})
	must(t, err)
	eventually(t, "the old page is indexed", func() bool {
		st, err := api.GetStatus.Call(t.Context(), client, api.StatusQuery{})
		return err == nil && st.Items[api.StatusIndexed] == 1
	})
	time.Sleep(time.Until(time.Now().Truncate(time.Second).Add(time.Second))) // curl.sh measures time in seconds

	compiled := typescript(t, server)
	for _, example := range []struct {
		name    string
		command []string
	}{
		{"curl", []string{"sh", "curl.sh"}},
		{"go", []string{"go", "run", "-C", "go", "."}},
		{"python", []string{"python3", "python/example.py"}},
		{"typescript", []string{"node", filepath.Join(compiled, "build", "example.js")}},
	} {
		t.Run(example.name, func(t *testing.T) {
			page := site + "/" + example.name
			out := play(t, server, append(example.command, page, example.name+` "high water"`)...)
			for again := range 3 { // a change is published after the page is indexed: on a busy machine, after the example asked
				if strings.Contains(out, "changed "+page+" at 20") {
					break
				}
				page = fmt.Sprintf("%s/%s?%d", site, example.name, again)
				out = play(t, server, append(example.command, page, example.name+` "high water"`)...)
			}
			for _, want := range []string{"added url_", "it is Indexed\n", "found Tides by " + example.name + " " + page,
				"changed " + page + " at 20"} {
				if !strings.Contains(out, want) {
					t.Errorf("%q is missing in:\n%s", want, out)
				}
			}
			if strings.Contains(out, site+"/old at") {
				t.Errorf("a page that was indexed before is listed as changed:\n%s", out)
			}
			// A refusal is a failure, and its message has the server's words.
			if out, err := try(t, server, append(example.command, "ftp://port.example/", "tides")...); err == nil ||
				!strings.Contains(out, "scheme is neither http nor https") {
				t.Errorf("a bad address: %v\n%s", err, out)
			}
		})
	}
	t.Run("langchain", func(t *testing.T) {
		driver, err := filepath.Abs(filepath.Join("testdata", "retrieve.py"))
		must(t, err)
		retrieves(t, play(t, server, "python3", driver, ".", "python tides"), site+"/python Tides by python of ")
		short(t, "langchain_retriever.py")
	})
	t.Run("langchain in TypeScript", func(t *testing.T) {
		const driver = `const { TidemarkRetriever } = await import(process.argv[1]);
			const retriever = new TidemarkRetriever({ server: process.env.TIDEMARK_SERVER, tokens: 200 });
			for (const d of await retriever.invoke("python tides")) {
				console.log("retrieved", d.metadata.source, d.metadata.title, "of", d.metadata.capture, d.pageContent);
			}`
		out := play(t, server, "node", "--input-type=module", "-e", driver,
			filepath.Join(compiled, "build", "langchain_retriever.js"))
		retrieves(t, out, site+"/python Tides by python of ")
		short(t, "typescript/langchain_retriever.ts")
	})
	// A widely used linter finds the description valid (L6). Above, openapi-typescript has read it, too.
	t.Run("lint", func(t *testing.T) {
		cmd := exec.CommandContext(t.Context(), "npm", "run", "lint")
		cmd.Dir = compiled
		if out, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("Your API description is valid")) {
			t.Errorf("%v\n%s", err, out)
		}
	})
}

// retrieves checks the output of a retriever for a query that a page answers.
func retrieves(t *testing.T, out, page string) {
	t.Helper()
	if !strings.Contains(out, "retrieved "+page) || !strings.Contains(out, "As python has it") {
		t.Errorf("%s is not retrieved, or without its text:\n%s", page, out)
	}
}

// short checks that a retriever has at most the 40 lines that were asked for.
func short(t *testing.T, name string) {
	t.Helper()
	source, err := os.ReadFile(filepath.Join(integrations, name))
	if n := bytes.Count(source, []byte("\n")); err != nil || n > 40 {
		t.Errorf("%s has %d lines (%v), want 40 at most", name, n, err)
	}
}

// play runs an example from the folder of all examples, and returns its output.
func play(t *testing.T, server string, command ...string) string {
	t.Helper()
	out, err := try(t, server, command...)
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(command, " "), err, out)
	}
	return out
}

func try(t *testing.T, server string, command ...string) (string, error) {
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	cmd.Dir = integrations
	cmd.Env = append(os.Environ(), "TIDEMARK_SERVER="+server, "TIDEMARK_KEY=", "PYTHONDONTWRITEBYTECODE=1")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// installed copies an example to a folder outside the checkout and installs the packages in its lock file, once for
// each version of the file. It returns the copy.
func installed(t *testing.T, name string, patterns ...string) string {
	t.Helper()
	from := filepath.Join(integrations, name)
	lock, err := os.ReadFile(filepath.Join(from, "package-lock.json"))
	must(t, err)
	sum := sha256.Sum256(lock)
	tools, err := filepath.Abs(filepath.Join("..", "..", ".tools"))
	must(t, err)
	packages := filepath.Join(tools, "integrations", name+"-"+hex.EncodeToString(sum[:6]))
	to := t.TempDir()
	for _, pattern := range append(patterns, "*.json") {
		names, err := filepath.Glob(filepath.Join(from, pattern))
		must(t, err)
		for _, name := range names {
			text, err := os.ReadFile(name)
			must(t, err)
			must(t, os.WriteFile(filepath.Join(to, filepath.Base(name)), text, 0o644))
		}
	}
	if _, err := os.Stat(filepath.Join(packages, "node_modules", ".package-lock.json")); err != nil {
		must(t, os.MkdirAll(packages, 0o755))
		for _, name := range []string{"package.json", "package-lock.json"} {
			text, err := os.ReadFile(filepath.Join(to, name))
			must(t, err)
			must(t, os.WriteFile(filepath.Join(packages, name), text, 0o644))
		}
		npm(t, packages, "ci", "--no-audit", "--no-fund", "--ignore-scripts")
	}
	must(t, os.Symlink(filepath.Join(packages, "node_modules"), filepath.Join(to, "node_modules")))
	return to
}

// npm runs npm in a folder.
func npm(t *testing.T, folder string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "npm", args...)
	cmd.Dir = folder
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("npm %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// typescript compiles the examples for TypeScript outside the checkout, by the server's description of itself.
func typescript(t *testing.T, server string) string {
	t.Helper()
	t.Setenv("TIDEMARK_SERVER", server)
	to := installed(t, "typescript", "*.ts", "*.mjs")
	npm(t, to, "run", "build")
	return to
}

// runSite serves a page for each example.
func runSite(t *testing.T) string {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(r.URL.Path, "/")
		if !slices.Contains([]string{"old", "curl", "go", "python", "typescript"}, name) {
			http.NotFound(w, r)
			return
		}
		_, _ = io.WriteString(w, "<html lang=en><title>Tides by "+name+"</title><main><h1>Tides by "+name+
			"</h1><p>As "+name+" has it, high water at the harbour is at noon.</p></main>")
	}))
	t.Cleanup(site.Close)
	return site.URL
}

// patience is how long the program may take to end.
const patience = 20 * time.Second

// runTidemark builds the program and starts it as a user would, with an empty folder.
func runTidemark(t *testing.T) (server string) {
	t.Helper()
	port := freePort(t)
	startTidemark(t, programtest.Build(t), port, t.TempDir())
	return "http://127.0.0.1:" + port
}

// freePort returns a port that nothing listens on.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer l.Close()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !done(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited a minute until %s", what)
		}
	}
}
