package infra_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// uploaded runs upload.sh with a fake az that refuses a number of uploads. It returns the calls of az, and the
// output.
func uploaded(t *testing.T, refusals int, without string) (calls []string, output string, err error) {
	t.Helper()
	dir := t.TempDir()
	script, err := filepath.Abs("upload.sh")
	if err != nil {
		t.Fatal(err)
	}
	az := fmt.Sprintf(`#!/bin/sh
echo "$*" >> calls
case "$*" in *config-zip*) ;; *) exit 0 ;; esac
[ "$(grep -c config-zip calls)" -gt %d ] || { echo "ERROR: 403 Forbidden" >&2; exit 1; }
`, refusals)
	for name, text := range map[string]string{"az": az, "build/tidemark.zip": "zip"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "sh", script)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + dir + ":" + os.Getenv("PATH"), "UPLOAD_PAUSE=0"}
	for name, value := range map[string]string{"AZURE_SUBSCRIPTION_ID": "sub", "AZURE_RESOURCE_GROUP": "group",
		"AZURE_FUNCTION_NAME": "app"} {
		if name != without {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	out, err := cmd.CombinedOutput()
	log, _ := os.ReadFile(filepath.Join(dir, "calls"))
	return strings.Split(strings.TrimSpace(string(log)), "\n"), string(out), err
}

// TestS15UploadWaitsForRoles checks that an upload that is refused while roles propagate is retried, each time with
// azd's subscription, and that one which is always refused ends with the message of az.
func TestS15UploadWaitsForRoles(t *testing.T) {
	calls, out, err := uploaded(t, 3, "")
	if err != nil || len(calls) != 1+4 || strings.Count(out, "tried again") != 3 {
		t.Errorf("%d calls, %v\n%s", len(calls), err, out)
	}
	for _, call := range calls {
		if !strings.Contains(call, "--subscription sub --resource-group group --name app") {
			t.Errorf("az %s", call)
		}
	}
	if calls, out, err = uploaded(t, 100, ""); err == nil || len(calls) != 1+10 ||
		!strings.Contains(out, "403 Forbidden") {
		t.Errorf("%d calls, %v\n%s", len(calls), err, out)
	}
	if calls, out, err = uploaded(t, 0, "AZURE_SUBSCRIPTION_ID"); err == nil || len(calls) != 1 || calls[0] != "" ||
		!strings.Contains(out, "AZURE_SUBSCRIPTION_ID") {
		t.Errorf("calls %q, %v\n%s", calls, err, out)
	}
}
