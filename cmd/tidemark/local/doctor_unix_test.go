//go:build unix

package local

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/tidemark/tidemark/cmd/tidemark/foldertest"
	"github.com/tidemark/tidemark/pkg/local/programtest"
)

// TestL5DoctorPermissions runs the program as a user who does not own the folder.
func TestL5DoctorPermissions(t *testing.T) {
	if os.Getuid() != 0 {
		d := patient(t, nil)
		if err := os.Chmod(d.o.data, 0o500); err != nil {
			t.Fatal(err)
		}
		examined(t, d)
		wants(t, d, "folder", problem, "chown")
		return
	}
	home, err := os.MkdirTemp("/tmp", "doctor") // other users cannot enter the parents of t.TempDir
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	exe := filepath.Join(home, "tidemark")
	program, err := os.ReadFile(programtest.Build(t))
	if err := errors.Join(err, os.Chmod(home, 0o755), os.WriteFile(exe, program, 0o755),
		os.Chmod(exe, 0o755)); err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(home, "data")
	if out, err := exec.Command("cp", "-r", foldertest.Empty(t), data).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	if err := os.Chmod(data, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "doctor", "--json", "--url", "http://127.0.0.1:1/")
	cmd.Dir, cmd.Env = home, []string{"STORAGE=embedded", "TIDEMARK_DATA=" + data}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.Output()
	if err == nil || !strings.Contains(string(out), `"check":"folder","result":"problem"`) ||
		!strings.Contains(string(out), `"check":"storage","result":"problem"`) {
		t.Errorf("%v\n%s", err, out)
	}
}
