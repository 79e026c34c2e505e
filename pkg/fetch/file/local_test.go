//go:build unix

package file_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/fetch/file"
)

const canary = "what lies outside"

func write(t testing.TB, path, body string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(body), 0o644); err != nil {
		t.Fatal(err)
	}
}

// age sets the modification time of a file to d ago.
func age(t testing.TB, path string, d time.Duration) {
	t.Helper()
	then := time.Now().Add(-d)
	if err := os.Chtimes(path, then, then); err != nil {
		t.Fatal(err)
	}
}

func TestA9UnchangedLocalFileIsNotRead(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "docs", "a.txt")
	write(t, path, "first")
	age(t, path, time.Hour)
	c, ctx := newClient(t, file.Config{Root: root}), context.Background()

	first, err := c.Get(ctx, file.Request{Location: place(t, path)})
	must(t, err)
	want := file.Response{Info: file.Info{LastModified: first.LastModified, Length: 5}, Body: []byte("first"),
		WireBytes: 5, RawHash: rawHash("first")}
	if diff := cmp.Diff(want, first); diff != "" || first.LastModified.IsZero() {
		t.Fatal(diff)
	}
	again, err := c.Get(ctx, file.Request{Location: place(t, path), Known: first.Info})
	must(t, err)
	if !again.Unchanged || again.Body != nil || again.RawHash != "" || again.Info != first.Info {
		t.Errorf("have %+v", again)
	}
	for name, change := range map[string]func(){
		"other time": func() { age(t, path, time.Minute) },
		"other length": func() {
			write(t, path, "second")
			must(t, os.Chtimes(path, first.LastModified, first.LastModified))
		},
	} {
		change()
		if got, err := c.Get(ctx, file.Request{Location: place(t, path), Known: first.Info}); err != nil || got.Unchanged ||
			got.RawHash == "" {
			t.Errorf("%s: have %+v, %v", name, got, err)
		}
	}
}

func TestA9YoungTimesProveNothing(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "a.txt")
	write(t, path, "one")
	at := time.Now()
	for _, tc := range []struct {
		now   time.Time
		known bool
	}{{at, false}, {at.Add(time.Hour), true}, {at.Add(-time.Hour), true}} {
		c := newClient(t, file.Config{Root: root, Now: func() time.Time { return tc.now }})
		first, err := c.Get(context.Background(), file.Request{Location: place(t, path)})
		must(t, err)
		again, err := c.Get(context.Background(), file.Request{Location: place(t, path), Known: first.Info})
		must(t, err)
		if again.Unchanged != tc.known {
			t.Errorf("at %v: have unchanged %v", tc.now, again.Unchanged)
		}
	}
}

func TestHostileLocalPaths(t *testing.T) {
	base := t.TempDir()
	root := filepath.Join(base, "root")
	write(t, filepath.Join(base, "secret.txt"), canary)
	write(t, filepath.Join(base, "rooted", "secret.txt"), canary)
	write(t, filepath.Join(root, "in.txt"), "inside")
	write(t, filepath.Join(root, "sub", "in.txt"), "below")
	for link, target := range map[string]string{
		"near": "in.txt", "folder": "sub", "up": "../secret.txt", "upfolder": "..",
		"absolute": filepath.Join(base, "secret.txt"),
		"home":     filepath.Join(root, "in.txt"), "loop": "loop", "ping": "pong", "pong": "ping", "dangling": "nothing",
		"nowhere": "../nothing",
		"sub/out": "../../secret.txt", "sub/back": "../in.txt", "deep": "sub/out", "proc": "/proc/self/environ",
		"tty": "/dev/tty",
	} {
		must(t, os.Symlink(target, filepath.Join(root, link)))
	}
	must(t, syscall.Mkfifo(filepath.Join(root, "pipe"), 0o644))
	for name, tc := range map[string]struct {
		path string
		kind fault.Kind
	}{
		"file":                       {root + "/in.txt", ""},
		"link inside":                {root + "/near", ""},
		"linked folder":              {root + "/folder/in.txt", ""},
		"link up and in again":       {root + "/sub/back", ""},
		"absent":                     {root + "/other.txt", fault.NotFound},
		"below a file":               {root + "/in.txt/a", fault.NotFound},
		"dangling link":              {root + "/dangling", fault.NotFound},
		"link out":                   {root + "/up", fault.Blocked},
		"link out to nothing":        {root + "/nowhere", fault.Blocked}, // not even this may be known
		"through a link out":         {root + "/upfolder/secret.txt", fault.Blocked},
		"out by a deeper link":       {root + "/sub/out", fault.Blocked},
		"link to a link out":         {root + "/deep", fault.Blocked},
		"absolute link":              {root + "/absolute", fault.Blocked},
		"absolute link home":         {root + "/home", fault.Blocked},
		"link into proc":             {root + "/proc", fault.Blocked},
		"link to a terminal":         {root + "/tty", fault.Blocked},
		"loop":                       {root + "/loop", fault.Blocked},
		"loop of two":                {root + "/ping", fault.Blocked},
		"folder":                     {root + "/sub", fault.Blocked},
		"pipe":                       {root + "/pipe", fault.Blocked},
		"root itself":                {root, fault.Blocked},
		"beside the root":            {base + "/secret.txt", fault.Blocked},
		"name that begins like it":   {base + "/rooted/secret.txt", fault.Blocked},
		"elsewhere":                  {"/etc/passwd", fault.Blocked},
		"device":                     {"/dev/zero", fault.Blocked},
		"Windows path":               {`C:\in.txt`, fault.Blocked},
		"name too long for a file":   {root + "/" + strings.Repeat("a", 300), fault.Invalid},
		"long path of short names":   {root + strings.Repeat("/a", 900), fault.NotFound},
		"backslashes are no slashes": {root + `/..\secret.txt`, fault.NotFound},
		"escapes are no dots":        {root + "/%2e%2e/secret.txt", fault.NotFound},
	} {
		t.Run(name, func(t *testing.T) {
			r := file.Request{Location: place(t, tc.path)}
			got, err := newClient(t, file.Config{Root: root}).Get(context.Background(), r)
			if fault.KindOf(err) != tc.kind || strings.Contains(string(got.Body), canary) ||
				(err == nil) != (got.RawHash != "") {
				t.Errorf("have %q, %v; want kind %q", got.Body, err, tc.kind)
			}
		})
	}
}

// TestLinkThatTurnsWhileItIsFollowed checks a link that changes between the check and the opening.
func TestLinkThatTurnsWhileItIsFollowed(t *testing.T) {
	base := t.TempDir()
	root, turning := filepath.Join(base, "root"), filepath.Join(base, "root", "turning")
	write(t, filepath.Join(base, "secret.txt"), canary)
	write(t, filepath.Join(root, "in.txt"), "inside")
	must(t, os.Symlink("in.txt", turning))
	stop, done := make(chan struct{}), make(chan error, 1)
	go func() {
		defer close(done)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			target := []string{"../secret.txt", "in.txt"}[i%2]
			if err := errors.Join(os.Symlink(target, root+"/next"), os.Rename(root+"/next", turning)); err != nil {
				done <- err
				return
			}
		}
	}()
	c, read := newClient(t, file.Config{Root: root}), 0
	for range 3000 {
		got, err := c.Get(context.Background(), file.Request{Location: place(t, turning)})
		if strings.Contains(string(got.Body), canary) {
			t.Fatal("what lies outside was read")
		}
		if err == nil {
			read++
		}
	}
	close(stop)
	if err := <-done; err != nil || read == 0 {
		t.Errorf("have %d readings, %v", read, err)
	}
}

func TestLocalNeedsARoot(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a"), canary)
	for name, tc := range map[string]struct {
		root string
		kind fault.Kind
	}{
		"none":         {"", fault.Blocked},
		"missing":      {dir + "/later/..//later", fault.Unavailable},
		"root of all":  {"/", ""},
		"with a slash": {dir + "/", ""},
	} {
		p := place(t, dir+"/a")
		if name == "missing" {
			p = place(t, dir+"/later/a")
		}
		_, err := newClient(t, file.Config{Root: tc.root}).Get(context.Background(), file.Request{Location: p})
		if fault.KindOf(err) != tc.kind {
			t.Errorf("%s: have %v, want kind %q", name, err, tc.kind)
		}
	}
	_, err := file.New(file.Config{Root: "docs", Setting: func(string) string { return "" }, Transport: noTransport{}})
	if fault.FieldOf(err) != "FILE_ROOT" {
		t.Errorf("have %v", err)
	}
	_, err = newClient(t, file.Config{Root: dir}).Get(context.Background(),
		file.Request{Location: place(t, dir+"/a"), Credential: "X"})
	if fault.FieldOf(err) != "credential" {
		t.Errorf("have %v", err)
	}
}

// tree is a root with links in it and a canary outside it.
type tree struct{ base, root string }

// plant makes a tree of random files, folders and links. Many of the links lead out.
func plant(t *rapid.T, base string) tree {
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	x := tree{base, filepath.Join(base, "root")}
	must(os.MkdirAll(filepath.Join(x.root, "a", "b"), 0o755))
	must(os.MkdirAll(filepath.Join(base, "b"), 0o755))
	for _, outside := range []string{"c", "b/c", "root2", "b/a"} {
		must(os.WriteFile(filepath.Join(base, outside), []byte(canary), 0o644))
	}
	for i := range rapid.IntRange(1, 12).Draw(t, "entries") {
		at := filepath.Join(x.root, strings.Join(names.Draw(t, fmt.Sprint("at", i)), "/"))
		if rapid.Bool().Draw(t, "link") {
			target := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"..", "a", "b", "c", "."}), 1, 5).Draw(t, "target"),
				"/")
			if rapid.IntRange(0, 3).Draw(t, "absolute") == 0 {
				target = base + "/" + target
			}
			_ = os.Symlink(target, at) // an existing name stays
		} else if f, err := os.OpenFile(at, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644); err == nil {
			// O_EXCL prevents creating a link's target through the link.
			must(f.Close())
		}
	}
	return x
}

var names = rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 1, 4)

// TestPropertyNothingOutsideIsRead checks that no file outside the root is ever read, for any tree and path.
func TestPropertyNothingOutsideIsRead(t *testing.T) {
	dir, read := t.TempDir(), 0
	rapid.Check(t, func(rt *rapid.T) {
		base, err := os.MkdirTemp(dir, "")
		if err != nil {
			rt.Fatal(err)
		}
		defer os.RemoveAll(base)
		x := plant(rt, base)
		c := newClient(t, file.Config{Root: x.root})
		for range 20 {
			part := rapid.SampledFrom([]string{"a", "b", "c", "..", "root", "root2", ".", ""})
			p, err := file.Parse(x.root + "/" + strings.Join(rapid.SliceOfN(part, 1, 6).Draw(rt, "path"), "/"))
			if err != nil {
				continue
			}
			got, err := c.Get(context.Background(), file.Request{Location: p})
			if strings.Contains(string(got.Body), canary) || got.RawHash == rawHash(canary) || got.Length == int64(len(canary)) {
				rt.Fatalf("%s reads what lies outside", p)
			}
			if err == nil {
				read++
			} else if k := fault.KindOf(err); k != fault.Blocked && k != fault.NotFound {
				rt.Fatalf("%s: %v", p, err)
			}
		}
	})
	if read == 0 {
		t.Error("nothing inside was read either, so nothing was shown")
	}
}
