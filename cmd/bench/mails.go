package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/metrics"
	"time"

	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/entries"
	"github.com/tidemark/tidemark/pkg/mailimport"
	"github.com/tidemark/tidemark/pkg/mbox"
	"github.com/tidemark/tidemark/pkg/mbox/mboxtest"
)

// mailArgument makes this executable a process that does one work with an mbox: the name of the work,
// the folder of the file and the connection string of Azurite follow.
const mailArgument = "work-on-mails"

// mailFile is the file of mails in its folder.
const mailFile = "in.mbox"

// What is done with the mails, each in a process of its own.
const (
	parsing     = "read and parsed, nothing kept"
	onAzurite   = "imported, on Azurite"
	onEmbedded  = "imported, on the embedded store"
	againSuffix = ", again"
)

// mailWork is what work on all mails of a file took. A file is imported twice: Again is the second time.
type mailWork struct {
	Mails          int
	PerSecond      float64
	Resident, Live int     // KiB: the most that the process had, and the most of its heap that was in use
	Requests, Rows float64 // for each mail; 0 when they are not counted
	Again          *mailWork
}

// imports measures imports of an mbox beside reading it, and beside the SDK alone inserting as many rows
// as there are mails that were not there.
func (b *bench) imports() error {
	folder := b.temp("mails")
	made, err := writeMails(folder, b.mails)
	if err != nil {
		return err
	}
	az, err := b.azurite()
	if err != nil {
		return err
	}
	defer az.Stop()
	n := made.Newsletter + made.Threads
	bare, err := b.bareInserts(az.ConnectionString(), n)
	if err != nil {
		return err
	}
	section(fmt.Sprintf("Imports of an mbox (%d mails, %.0f MiB; each work in a process of its own, the file imported twice)", made.Mails, float64(made.Bytes)/(1<<20)),
		"work", "mails per second", "to reading", "most resident memory, MiB", "most live heap, MiB", "storage requests for each", "rows written for each")
	var reading float64
	for _, name := range []string{parsing, onAzurite, onEmbedded} {
		w, err := b.mailProcess(name, folder, az.ConnectionString())
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if name == parsing {
			reading = w.PerSecond
		}
		mailRow(name, w, reading)
		if w.Again != nil {
			mailRow(name+againSuffix, *w.Again, reading)
		}
	}
	row(fmt.Sprintf("bare SDK on Azurite, an entry and its two keys for each of the %d that were inserted", n), perSecondText(bare), bare/reading, "", "", 1.0, 3.0)
	return nil
}

// bareInserts has the SDK alone write that many entries, and tells how many a second.
func (b *bench) bareInserts(conn string, n int) (float64, error) {
	e, err := b.newEntryBench(conn)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	err = e.alone(0, n)
	return perSecond(n, began), err
}

func mailRow(name string, w mailWork, reading float64) {
	requests, rows := "", ""
	if w.Requests > 0 {
		requests, rows = fmt.Sprintf("%.2f", w.Requests), fmt.Sprintf("%.2f", w.Rows)
	}
	row(name, perSecondText(w.PerSecond), w.PerSecond/reading, fmt.Sprintf("%.0f", float64(w.Resident)/1024), fmt.Sprintf("%.1f", float64(w.Live)/1024), requests, rows)
}

// writeMails makes a file of mails as programs leave them behind, every hundredth with an attachment.
func writeMails(folder string, n int) (made mboxtest.Made, err error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return made, err
	}
	f, err := os.Create(filepath.Join(folder, mailFile))
	if err != nil {
		return made, err
	}
	made, err = mboxtest.Write(f, mboxtest.Options{Mails: n, Attachment: 2 << 20})
	return made, errors.Join(err, f.Close())
}

// mailProcess has this executable, started again, do a work.
func (b *bench) mailProcess(work, folder, conn string) (w mailWork, err error) {
	exe, err := os.Executable()
	if err != nil {
		return w, err
	}
	cmd := exec.CommandContext(b.ctx, exe, mailArgument, work, folder, conn)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return w, err
	}
	return w, json.Unmarshal(out, &w)
}

// mailMain ends the process when it was started to work on mails, after having done so.
func mailMain() {
	if len(os.Args) != 5 || os.Args[1] != mailArgument {
		return
	}
	w, err := workOnMails(context.Background(), os.Args[2], os.Args[3], os.Args[4])
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(w)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func workOnMails(ctx context.Context, work, folder, conn string) (w mailWork, err error) {
	if work == parsing {
		return measured(func() (int, error) { return parseMails(filepath.Join(folder, mailFile)) })
	}
	b := &bench{ctx: ctx, dir: folder}
	c, err := b.openMails(work, conn)
	if err != nil {
		return w, err
	}
	if w, err = c.countMails(); err != nil {
		return w, err
	}
	again, err := c.countMails()
	w.Again = &again
	return w, err
}

// countMails imports the file, and tells its requests if there is a counter.
func (c *counted) countMails() (w mailWork, err error) {
	if c.counter == nil {
		return c.importMails()
	}
	before := c.counter.Snapshot()
	if w, err = c.importMails(); err != nil {
		return w, err
	}
	used, n := c.counter.Snapshot().Sub(before), float64(w.Mails)
	w.Requests, w.Rows = float64(used.Table+used.Queue+used.Blob)/n, float64(used.RowsWritten)/n
	return w, nil
}

// openMails puts Tidemark together in this process, over Azurite or the embedded store.
func (b *bench) openMails(work, conn string) (*counted, error) {
	if work == onAzurite {
		return b.open(conn, "azurite")
	}
	store, err := app.OpenStore(settingsOf(map[string]string{"STORAGE": app.Embedded, "TIDEMARK_DATA": b.temp("embedded")}), slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	return b.assemble(store, "embedded")
}

// importMails imports the file.
func (c *counted) importMails() (mailWork, error) {
	return measured(func() (int, error) {
		im, err := c.Imports.Start(c.ctx, mailimport.Request{Path: mailFile})
		if err == nil {
			im, err = c.Imports.Advance(c.ctx, im, time.Hour)
		}
		if err == nil && im.State != mailimport.Done {
			err = fmt.Errorf("%s %s", im.State, im.Message)
		}
		return im.Mails, err
	})
}

// parseMails reads and normalizes the mails of a file one after the other, as an import does.
func parseMails(path string) (n int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	in := mbox.NewReader(f, mbox.Options{Keep: 5 << 20, Most: mailimport.MaxMail})
	for ; ; n++ {
		m, err := in.Next()
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		_, _ = entries.NormalizeEmail(entries.Email{RawText: string(m.Raw)}) // some are broken
	}
}

// measured does a work on some mails and tells what it took.
func measured(work func() (mails int, err error)) (w mailWork, err error) {
	most := uint64(0) // until watched is closed that of the goroutine
	ended := make(chan struct{})
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		for {
			metrics.Read(live)
			most = max(most, live[0].Value.Uint64())
			select {
			case <-ended:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	began := time.Now()
	w.Mails, err = work()
	w.PerSecond = perSecond(w.Mails, began)
	close(ended)
	<-watched
	if err != nil {
		return w, err
	}
	w.Live = int(most >> 10)
	w.Resident, err = memoryKiB(os.Getpid(), "VmHWM")
	return w, err
}
