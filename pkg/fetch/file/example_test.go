package file_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/fetch/file"
)

func ExampleClient_Get() {
	root, _ := os.MkdirTemp("", "root")
	defer os.RemoveAll(root)
	path := filepath.Join(root, "tide.txt")
	_ = os.WriteFile(path, []byte("high water at 04:12"), 0o644)
	_ = os.Chtimes(path, time.Now(), time.Now().Add(-time.Hour))

	c, _ := file.New(file.Config{Root: root, Setting: os.Getenv, Transport: http.DefaultTransport})
	p, _ := file.Parse(filepath.ToSlash(path))
	first, err := c.Get(context.Background(), file.Request{Location: p})
	fmt.Println(string(first.Body), err)
	again, err := c.Get(context.Background(), file.Request{Location: p, Known: first.Info})
	fmt.Println(again.Unchanged, err)

	elsewhere, _ := file.Parse("/etc/passwd")
	_, err = c.Get(context.Background(), file.Request{Location: elsewhere})
	fmt.Println(fault.KindOf(err))
	// Output:
	// high water at 04:12 <nil>
	// true <nil>
	// blocked
}

func ExampleParse() {
	p, err := file.Parse("https://acct.blob.core.windows.net/docs//tide.pdf?sv=2024-11-04&sig=secret")
	fmt.Println(p.Normalized(), err)
	// Output:
	// https://acct.blob.core.windows.net/docs/tide.pdf <nil>
}
