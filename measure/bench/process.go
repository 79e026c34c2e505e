package main

import (
	"bytes"
	"cmp"
	"fmt"
	"iter"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/local/azurite"
)

// handler measures the deployed executable on its own: size, start and memory.
func (b *bench) handler() error {
	az, err := azurite.Start(b.ctx, azurite.Options{ToolDir: b.tools})
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
	var all []time.Duration
	idle := 0
	for range rounds {
		took, rss, err := b.startOnce(exe, az.ConnectionString())
		if err != nil {
			return err
		}
		all, idle = append(all, took), max(idle, rss)
	}
	section("The handler by itself", "what", "measured", "aim")
	row("binary", fmt.Sprintf("%.1f MB", float64(info.Size())/1e6), "")
	row(fmt.Sprintf("start to first answer, %d starts: best, median, worst", rounds),
		fmt.Sprintf("%d, %d, %d ms", slices.Min(all).Milliseconds(), percentile(all, 50).Milliseconds(),
			slices.Max(all).Milliseconds()), "< 100 ms")
	row("resident memory, idle, services open", fmt.Sprintf("%d MiB", idle/1024), "< 40 MiB")
	return nil
}

// startOnce starts the handler, waits for its first answer and for its services, and reads its memory.
func (b *bench) startOnce(exe, storage string) (took time.Duration, rssKiB int, err error) {
	port, err := freePorts(1)
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
	if err := b.answers(base+"/", 10*time.Second); err != nil {
		return 0, 0, err
	}
	took = time.Since(began)
	if err := b.answers(base+"/api/health", 30*time.Second); err != nil {
		return 0, 0, err
	}
	time.Sleep(300 * time.Millisecond)
	rssKiB, err = memoryKiB(cmd.Process.Pid, "VmRSS")
	return took, rssKiB, err
}

// answers waits until a URL answers with status 200.
func (b *bench) answers(url string, limit time.Duration) error {
	return b.wait(limit, time.Millisecond, url+" answers", func() (bool, error) {
		resp, err := http.Get(url)
		if err != nil {
			return false, err
		}
		return resp.StatusCode == http.StatusOK, resp.Body.Close()
	})
}

// memoryKiB reads a value of a process from /proc: VmRSS is the present resident memory, VmHWM the largest so far,
// and RssAnon the anonymous part.
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

// processor returns the processor time that all processes of a running product have used.
func (p *product) processor() time.Duration { return familyTime(p.cmd.Process.Pid, "") }

// written returns the bytes that all processes of a running product have had written to disk.
func (p *product) written() (n int64) {
	for pid := range family(p.cmd.Process.Pid) {
		n += writtenBytes(pid)
	}
	return n
}

// familyTime returns the processor time of a process and of the processes it has started. If a name is given, only
// processes of that name count.
func familyTime(pid int, of string) time.Duration {
	const ticks = 100 // ticks per second, on every Linux that Go supports: see times(2)
	used := 0
	for _, stat := range family(pid) {
		if of == "" || stat[0] == "("+of {
			user, _ := strconv.Atoi(stat[12])
			system, _ := strconv.Atoi(stat[13])
			used += user + system
		}
	}
	return time.Duration(used) * time.Second / ticks
}

// family yields the number of a process and of each process it has started, with what /proc/PID/stat says of it, from
// the name on. The name has no blanks.
func family(pid int) iter.Seq2[string, []string] {
	return func(yield func(string, []string) bool) {
		known := map[string]bool{strconv.Itoa(pid): true}
		stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is valid
		slices.SortFunc(stats, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) })
		for _, path := range stats {
			b, err := os.ReadFile(path)
			number, rest, _ := strings.Cut(string(b), " ")
			end := strings.LastIndexByte(rest, ')')
			stat := strings.Fields(rest[end+1:])
			if err != nil || end < 0 || len(stat) < 13 || !known[number] && !known[stat[1]] {
				continue
			}
			known[number] = true
			if !yield(number, append([]string{strings.ReplaceAll(rest[:end], " ", "")}, stat...)) {
				return
			}
		}
	}
}
