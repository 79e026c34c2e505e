package folder

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/app"
)

// TestL5ExchangeByHand checks the exchange of a file system that cannot do it in one step, and the message after one
// that was killed halfway.
func TestL5ExchangeByHand(t *testing.T) {
	data := t.TempDir()
	fresh, used := filepath.Join(data, "replaced-1", "store"), app.StoreFolder(data)
	for _, dir := range []string{fresh, used} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "mark"), []byte(dir), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := exchangeByHand(fresh, used); err != nil {
		t.Fatal(err)
	}
	for _, dir := range [][2]string{{fresh, used}, {used, fresh}} {
		if mark, err := os.ReadFile(filepath.Join(dir[0], "mark")); err != nil || string(mark) != dir[1] {
			t.Errorf("%s has the store of %s (%v)", dir[0], mark, err)
		}
	}
	if err := os.Rename(used, fresh+oldStore); err != nil {
		t.Fatal(err)
	}
	const says = "a restore was killed halfway: move "
	_, err := KindIn(&terminal.Terminal{}, func(string) string { return "" }, data)
	if err == nil || !strings.Contains(err.Error(), says+fresh+oldStore) {
		t.Errorf("have %v, want %s", err, says+fresh+oldStore)
	}
}
