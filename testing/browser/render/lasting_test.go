package render

import (
	"bytes"
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/fetch/render"
)

// times is the number of renders in a row.
var times = flag.Int("render.times", 15, "renders in a row, with a Chromium that is killed twice")

// elsewhere starts a Chromium as somebody else may run it, and returns its address.
func elsewhere(t *testing.T) string {
	port, _ := otherChromium(t, 0)
	return "http://127.0.0.1:" + port
}

// otherChromium starts a Chromium, with the flags of clone(2), and returns its port and its process. One that ends
// while it starts is replaced twice.
func otherChromium(t *testing.T, clone uintptr) (port string, pid int) {
	for range 3 {
		if port, pid = startOther(t, clone); port != "" {
			return port, pid
		}
	}
	t.Fatal("no Chromium says its port")
	return "", 0
}

// startOther returns no port if the Chromium ends before it answers, or does not answer in time.
func startOther(t *testing.T, clone uintptr) (port string, pid int) {
	dir := t.TempDir()
	program := os.Getenv("CHROMIUM")
	if program == "" {
		program = "chromium"
	}
	cmd := exec.Command(program, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0",
		"--user-data-dir="+dir, "about:blank")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Cloneflags: clone}
	var said bytes.Buffer
	cmd.Stderr = &said
	cmd.WaitDelay = time.Second
	must(t, cmd.Start())
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }()
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		<-ended
		for range 50 {
			if os.RemoveAll(dir) == nil {
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
	})
	for range 400 {
		select {
		case <-ended:
			t.Logf("the Chromium ended: %s", said.Bytes())
			return "", 0
		case <-time.After(50 * time.Millisecond):
		}
		// The file exists before it is written. Its second line is the path of the browser's socket.
		lines, _ := os.ReadFile(filepath.Join(dir, "DevToolsActivePort"))
		port, path, _ := strings.Cut(string(lines), "\n")
		if port != "" && path != "" {
			return port, cmd.Process.Pid
		}
	}
	return "", 0
}

// processes returns the processes of the Chromium that keeps its files below a folder, that which started the others
// first, and their private memory.
func processes(folder string) (pids []int, memory int64) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		args, _ := os.ReadFile("/proc/" + e.Name() + "/cmdline")
		if err != nil || !bytes.Contains(args, []byte(folder)) {
			continue
		}
		statm, _ := os.ReadFile("/proc/" + e.Name() + "/statm")
		if f := strings.Fields(string(statm)); len(f) > 2 {
			resident, _ := strconv.ParseInt(f[1], 10, 64)
			shared, _ := strconv.ParseInt(f[2], 10, 64)
			memory += (resident - shared) * int64(os.Getpagesize())
		}
		if bytes.Contains(args, []byte("--type=")) {
			pids = append(pids, pid)
		} else {
			pids = append([]int{pid}, pids...)
		}
	}
	return pids, memory
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestR5Lasting renders pages in a row with one Chromium, which is killed twice on the way: every page is rendered,
// nothing of the memory is lost, and in the end there is neither a process nor a file (R1, R5).
func TestR5Lasting(t *testing.T) {
	s := newSite(t)
	folder := t.TempDir()
	r := newRendererIn(t, folder, render.Options{})
	var first, last, memory int64
	for i := range *times {
		if i == *times/3 || i == *times*2/3 {
			time.AfterFunc(300*time.Millisecond, func() {
				if pids, _ := processes(folder); len(pids) > 0 {
					_ = syscall.Kill(pids[0], syscall.SIGKILL)
				}
			})
		}
		out, err := r.Render(t.Context(), render.Page{URL: s.URL + "/frames"})
		if err != nil || !strings.Contains(string(out.HTML), s.text("far")) {
			t.Fatalf("render %d: %v, %s", i, err, out.HTML)
		}
		if last = heap(); i == 2 {
			first = last
		}
		_, used := processes(folder)
		memory = max(memory, used)
		if i%10 == 9 || i < 3 {
			t.Logf("%d: heap %d KB, Chromium %d MB, %d goroutines", i, last>>10, used>>20, runtime.NumGoroutine())
		}
	}
	if last > first+50<<20 {
		t.Errorf("the heap grew from %d to %d bytes", first, last)
	}
	must(t, r.Close())
	left, _ := filepath.Glob(filepath.Join(folder, "*"))
	if pids, _ := processes(folder); len(pids)+len(left) > 0 {
		t.Errorf("left are the processes %v and the files %v", pids, left)
	}
}

// TestR1NothingIsLeft checks that a Chromium ends together with the process that started it, even when that is killed.
func TestR1NothingIsLeft(t *testing.T) {
	if folder := os.Getenv("RENDER_UNTIL_KILLED"); folder != "" {
		r, err := render.New(render.Options{Web: newWeb(t), Folder: folder, NoSandbox: true,
			Program: os.Getenv("CHROMIUM")})
		must(t, err)
		_, err = r.Ping(context.Background())
		must(t, err)
		select {}
	}
	folder := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run", "TestR1NothingIsLeft$")
	cmd.Env = append(os.Environ(), "RENDER_UNTIL_KILLED="+folder)
	must(t, cmd.Start())
	eventually(t, "Chromium runs", func() bool { pids, _ := processes(folder); return len(pids) > 2 })
	must(t, cmd.Process.Kill())
	_ = cmd.Wait()
	eventually(t, "Chromium has ended", func() bool { pids, _ := processes(folder); return len(pids) == 0 })
}

func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	for range 300 {
		if done() {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("it never happened that %s", what)
}
