package main

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// handler measures the deployed executable by itself: size, start and memory.
func (b *bench) handler() error {
	az, err := b.azurite()
	if err != nil {
		return err
	}
	defer az.Stop()
	exe := filepath.Join(b.app, "handler")
	info, err := os.Stat(exe)
	if err != nil {
		return fmt.Errorf("%w (make app builds it)", err)
	}
	const rounds = 15
	best, worst := time.Hour, time.Duration(0)
	var all []time.Duration
	var idle int
	for range rounds {
		took, rss, err := b.startOnce(exe, az.ConnectionString())
		if err != nil {
			return err
		}
		best, worst, idle = min(best, took), max(worst, took), max(idle, rss)
		all = append(all, took)
	}
	section("The handler by itself", "what", "measured", "aim")
	row("binary", fmt.Sprintf("%.1f MB", float64(info.Size())/1e6), "")
	row(fmt.Sprintf("start to first answer, %d starts: best, median, worst", rounds),
		fmt.Sprintf("%d, %d, %d ms", best.Milliseconds(), median(all).Milliseconds(), worst.Milliseconds()), "< 100 ms")
	row("resident memory, idle, services open", fmt.Sprintf("%d MiB", idle/1024), "< 40 MiB")
	return nil
}

// startOnce starts the handler, waits for its first answer and for its services, and reads its
// memory.
func (b *bench) startOnce(exe, storage string) (took time.Duration, rssKiB int, err error) {
	port, err := freePort()
	if err != nil {
		return 0, 0, err
	}
	cmd := exec.CommandContext(b.ctx, exe)
	cmd.Env = append(os.Environ(), "AzureWebJobsStorage="+storage, "TIDEMARK_DATA="+b.temp("handler"),
		fmt.Sprintf("FUNCTIONS_CUSTOMHANDLER_PORT=%d", port))
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, 0, err
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	base := fmt.Sprintf("http://127.0.0.1:%d", port)
	if err := answers(base+"/", 10*time.Second); err != nil {
		return 0, 0, err
	}
	took = time.Since(began)
	if err := answers(base+"/api/health", 30*time.Second); err != nil {
		return 0, 0, err
	}
	time.Sleep(300 * time.Millisecond)
	rssKiB, err = memoryKiB(cmd.Process.Pid, "VmRSS")
	return took, rssKiB, err
}

// answers polls a URL until it answers 200.
func answers(url string, limit time.Duration) error {
	deadline := time.Now().Add(limit)
	for {
		resp, err := http.Get(url)
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return nil
			}
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%s does not answer: %v", url, err)
		}
		time.Sleep(time.Millisecond)
	}
}

func freePort() (int, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer ln.Close()
	return ln.Addr().(*net.TCPAddr).Port, nil
}

// memoryKiB reads what /proc tells of a process's resident memory: VmRSS is what it has, VmHWM the
// most that it had.
func memoryKiB(pid int, which string) (int, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range bytes.Lines(b) {
		if rest, ok := strings.CutPrefix(string(line), which+":"); ok {
			var n int
			_, err := fmt.Sscan(rest, &n)
			return n, err
		}
	}
	return 0, fmt.Errorf("no %s of process %d", which, pid)
}
