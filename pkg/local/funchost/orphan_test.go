//go:build linux

package funchost

import (
	"context"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

const hostRoleVar = "FUNCHOST_TEST_HOST"

// TestHandlerDiesWithHost runs the host in its own process and kills that process without notice.
func TestHandlerDiesWithHost(t *testing.T) {
	if dir := os.Getenv(hostRoleVar); dir != "" {
		h, err := New(Options{AppDir: dir, Addr: "127.0.0.1:0", Env: []string{controlVar + "=" + os.Getenv("CONTROL")}})
		if err != nil {
			t.Fatal(err)
		}
		h.Run(context.Background())
		return
	}
	c := newControl(t)
	cmd := exec.Command(os.Args[0], "-test.run=^TestHandlerDiesWithHost$")
	cmd.Env = append(os.Environ(), hostRoleVar+"="+writeRoot(t, helloApp), "CONTROL="+c.server.URL)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := c.waitStarts(t, 1)[0].Pid
	if group, err := syscall.Getpgid(pid); err != nil || group != pid {
		t.Errorf("process group %d (%v), want its own, %d", group, err, pid)
	}
	cmd.Process.Kill()
	cmd.Wait()
	eventually(t, "the handler is gone", func() bool { return gone(pid) })
}

// gone reports whether a process has ended, whether or not its exit code was collected.
func gone(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || len(stat) == 0 || strings.Contains(string(stat), ") Z ")
}
