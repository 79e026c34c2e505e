package folder

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// TestFolderIsFreeAfterAKill locks a folder in a separate process, by running this test again, and kills the process.
func TestFolderIsFreeAfterAKill(t *testing.T) {
	if data := os.Getenv("TIDEMARK_TEST_HOLD"); data != "" {
		if _, err := Hold(data, azuriteLock); err != nil {
			t.Fatal(err)
		}
		os.Stdout.WriteString("held\n")
		time.Sleep(time.Minute)
	}
	data := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestFolderIsFreeAfterAKill$")
	cmd.Env = append(os.Environ(), "TIDEMARK_TEST_HOLD="+data)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	_, whileHeld := holdFile(filepath.Join(data, azuriteLock))
	cmd.Process.Kill()
	cmd.Wait()
	if line != "held\n" || !errors.Is(whileHeld, errHeld) {
		t.Errorf("child said %q; while it lived: have %v, want %v", line, whileHeld, errHeld)
	}
	release, err := Hold(data, azuriteLock)
	if err != nil {
		t.Fatalf("after the kill: %v", err)
	}
	release()
}

func TestFolderThatCannotBeLocked(t *testing.T) {
	data := t.TempDir()
	if err := os.Mkdir(filepath.Join(data, AppLock), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Hold(data, azuriteLock, AppLock); err == nil || errors.Is(err, errHeld) {
		t.Errorf("have %v, want what the system says", err)
	}
	release, err := Hold(data, azuriteLock)
	if err != nil {
		t.Fatalf("the first of two locks was kept when the second was not to be had: %v", err)
	}
	release()
}
