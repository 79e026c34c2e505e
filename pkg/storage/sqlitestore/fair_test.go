package sqlitestore

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/storage"
)

// withoutLock is set for a child process that does not queue with others.
const withoutLock = "SQLITESTORE_TEST_OWN_TURNS"

// dropLock leaves the order of processes to SQLite.
func dropLock(s *Store, dir string) {
	l, err := openWriteLock(dir)
	must(err)
	s.w.lock = l
}

// hammer writes as fast as it can until it is killed.
func hammer(dir string) {
	s, err := Open(dir, Options{})
	must(err)
	if own := os.Getenv(withoutLock); own != "" {
		must(os.MkdirAll(own+"/child", 0o700))
		dropLock(s, own+"/child")
	}
	table := s.Table("rows")
	for who := range 4 {
		go func() {
			for i := 0; ; i++ {
				_, err := table.Transact(context.Background(), storage.Op{Kind: storage.Upsert,
					Entity: storage.Entity{Key: storage.Key{Partition: fmt.Sprint("hammer", who), Row: fmt.Sprint(i % 1000)},
						Props: item(int64(i))}})
				must(err)
			}
		}()
	}
	fmt.Println("hammering")
	select {}
}

// BenchmarkBesideProcess measures a write while another process writes all the time.
func BenchmarkBesideProcess(b *testing.B) {
	for _, turns := range []bool{true, false} {
		b.Run(fmt.Sprintf("turns=%v", turns), func(b *testing.B) {
			dir := b.TempDir()
			s := open(b, dir)
			table := create(b, s).Table
			if !turns {
				own := b.TempDir()
				b.Setenv(withoutLock, own)
				dropLock(s, own)
			}
			p := start(b, "hammer", dir)
			p.lines.Scan()
			var longest, total time.Duration
			for i := 0; b.Loop(); i++ {
				time.Sleep(5 * time.Millisecond) // an occasional writer next to one that never pauses
				began := time.Now()
				if _, err := table.Transact(b.Context(), insert(fmt.Sprint(i), nil)); err != nil {
					b.Fatal(err)
				}
				longest, total = max(longest, time.Since(began)), total+time.Since(began)
			}
			b.ReportMetric(float64(longest.Microseconds()), "longest-µs")
			b.ReportMetric(float64(total.Microseconds())/float64(b.N), "mean-µs")
			p.Process.Kill()
			p.Wait()
		})
	}
}
