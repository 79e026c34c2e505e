package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/metrics"
	"time"

	"github.com/tidemark/tidemark/pkg/content/mbox"
	"github.com/tidemark/tidemark/pkg/content/mbox/mboxtest"
	"github.com/tidemark/tidemark/pkg/entries/entry"
	"github.com/tidemark/tidemark/pkg/run/mailimport"
	"github.com/tidemark/tidemark/pkg/storage/azure"
)

// mailFile is the name of the file with the mails.
const mailFile = "in.mbox"

// The kinds of work on the mails. Each runs in a separate process.
const (
	parsing     = "read and parsed, nothing kept"
	onAzurite   = "imported, on Azurite"
	onEmbedded  = "imported, on the embedded store"
	againSuffix = ", again"
)

// mailWork is the cost of one kind of work on all mails of a file. A file is imported twice, and Again is the cost of
// the second import.
type mailWork struct {
	Mails          int
	PerSecond      float64
	Resident, Live int     // in KiB: the largest resident size of the process, and of its heap in use
	Requests, Rows float64 // per mail; 0 when requests are not counted
	Again          *mailWork
}

// imports measures imports of an mbox. The baselines are reading the file, and inserting one row for each new mail
// with the SDK alone.
func (b *bench) imports() error {
	folder := b.temp("mails")
	made, err := writeMails(folder, b.mails)
	if err != nil {
		return err
	}
	c, err := b.onAzurite("bare")
	if err != nil {
		return err
	}
	defer c.stop()
	e, err := c.newEntryBench()
	if err != nil {
		return err
	}
	n := made.Newsletter + made.Threads
	bare, err := measure(nil, func() error { return e.alone(0, n) })
	if err != nil {
		return err
	}
	section(fmt.Sprintf("Imports of an mbox (%d mails, %.0f MiB; each work in a process of its own, the file imported "+
		"twice)", made.Mails, float64(made.Bytes)/(1<<20)),
		"work", "mails per second", "to reading", "most resident memory, MiB", "most live heap, MiB", "storage requests "+
			"for each", "rows written for each")
	var reading float64
	for _, name := range []string{parsing, onAzurite, onEmbedded} {
		var w mailWork
		if err := b.again(&w, "work-on-mails", name, folder, c.conn); err != nil {
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
	row(fmt.Sprintf("bare SDK on Azurite, an entry and its two keys for each of the %d that were inserted", n),
		perSecondText(bare.rate(n)), bare.rate(n)/reading, "", "", 1.0, 3.0)
	return nil
}

func mailRow(name string, w mailWork, reading float64) {
	requests, rows := "", ""
	if w.Requests > 0 {
		requests, rows = fmt.Sprintf("%.2f", w.Requests), fmt.Sprintf("%.2f", w.Rows)
	}
	row(name, perSecondText(w.PerSecond), w.PerSecond/reading, fmt.Sprintf("%.0f", float64(w.Resident)/1024),
		fmt.Sprintf("%.1f", float64(w.Live)/1024), requests, rows)
}

// writeMails makes a file of mails as mail programs write it. Every hundredth mail has an attachment.
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

// workOnMails does one kind of work on the file of mails in a folder, on Azurite or on the embedded store.
func workOnMails(ctx context.Context, args []string) (any, error) {
	work, folder, conn := args[0], args[1], args[2]
	b := &bench{ctx: ctx, dir: folder}
	var c *counted
	var err error
	switch work {
	case parsing:
		return measured(nil, func() (int, error) { return parseMails(filepath.Join(folder, mailFile)) })
	case onAzurite:
		c, err = b.over(conn, "azurite")
	default:
		c, err = b.onDisk("embedded")
	}
	if err != nil {
		return nil, err
	}
	w, err := measured(c.counter, c.importMails)
	if err != nil {
		return nil, err
	}
	again, err := measured(c.counter, c.importMails)
	w.Again = &again
	return w, err
}

// importMails imports the file.
func (c *counted) importMails() (int, error) {
	im, err := c.Imports.Start(c.ctx, mailimport.Request{Path: mailFile})
	if err == nil {
		im, err = c.Imports.Advance(c.ctx, im, time.Hour)
	}
	if err == nil && im.State != mailimport.Done {
		err = fmt.Errorf("%s %s", im.State, im.Message)
	}
	return im.Mails, err
}

// parseMails reads and normalizes the mails of a file one after another, as an import does.
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
		_, _ = entry.NormalizeEmail(entry.Email{RawText: string(m.Raw)}) // some mails are broken, which is no error
	}
}

// measured does some work on mails and returns its cost.
func measured(counter *azure.Counter, work func() (mails int, err error)) (w mailWork, err error) {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	most := watch(5*time.Millisecond, func() {
		metrics.Read(live)
		w.Live = max(w.Live, int(live[0].Value.Uint64()>>10))
	})
	s, err := measure(counter, func() (err error) {
		w.Mails, err = work()
		return err
	})
	most()
	if err != nil {
		return w, err
	}
	w.PerSecond = s.rate(w.Mails)
	w.Requests, w.Rows = per(s.Table+s.Queue+s.Blob, w.Mails), per(s.RowsWritten, w.Mails)
	w.Resident, err = memoryKiB(os.Getpid(), "VmHWM")
	return w, err
}
