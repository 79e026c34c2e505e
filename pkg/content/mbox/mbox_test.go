package mbox_test

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/content/mbox"
)

const line = "From a@port.example Sun Mar  1 03:00:00 2026\n"

var small = mbox.Options{Keep: 1 << 20, Most: 1 << 20}

// readAll reads what is left, and copies each Raw.
func readAll(r *mbox.Reader) (all []mbox.Mail, err error) {
	for {
		m, err := r.Next()
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		m.Raw = bytes.Clone(m.Raw)
		all = append(all, m)
	}
}

func TestD6Mails(t *testing.T) {
	for _, tt := range []struct {
		name, file string
		want       []string // the mails
	}{
		{"none", "", nil},
		{"empty lines", "\n\r\n", nil},
		{"one", line + "A: 1\n\ntext\n", []string{"A: 1\n\ntext\n"}},
		{"two", line + "A: 1\n\ntext\n\n" + line + "B: 2\n\n", []string{"A: 1\n\ntext\n", "B: 2\n"}},
		{"CRLF", strings.ReplaceAll(line+"A: 1\n\ntext\n\n"+line+"B: 2\n", "\n", "\r\n"),
			[]string{"A: 1\r\n\r\ntext\r\n", "B: 2\r\n"}},
		{"cut off", line + "A: 1\n\nte\n" + line + "B: 2", []string{"A: 1\n\nte\n", "B: 2"}},
		{"quoted", line + "A: 1\n\n>From here\n>>From there\n> From\n>Fro\n",
			[]string{"A: 1\n\nFrom here\n>From there\n> From\n>Fro\n"}},
		{"a sentence that is not quoted", line + "A: 1\n\nFrom here on: see\nFrom Monday at 10:00 we sail.\n",
			[]string{"A: 1\n\nFrom here on: see\nFrom Monday at 10:00 we sail.\n"}},
		{"only From lines", line + line, []string{"", ""}},
		{"Thunderbird", "From - Sun Mar 01 03:00:00 2026\nA: 1\n", []string{"A: 1\n"}},
		{"Gmail", "From 1612345678901234567@xxx Sun Mar 01 03:00:00 +0000 2026\nA: 1\n", []string{"A: 1\n"}},
		{"with a zone", "From MAILER-DAEMON Sun Mar  1 03:00:00 CET 2026\nA: 1\n", []string{"A: 1\n"}},
		{"as RFC 5322 has it", "From a@b Sun, 1 Mar 2026 03:00:00 +0000\nA: 1\n", []string{"A: 1\n"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			all, err := readAll(mbox.NewReader(strings.NewReader(tt.file), small))
			if err != nil {
				t.Fatal(err)
			}
			var have []string
			for _, m := range all {
				have = append(have, string(m.Raw))
			}
			if diff := cmp.Diff(tt.want, have); diff != "" {
				t.Errorf("(-want +have):\n%s", diff)
			}
			tiles(t, tt.file, all)
		})
	}
}

// tiles fails unless the mails cover the file from the first on, and each begins with its line.
func tiles(t *testing.T, file string, all []mbox.Mail) {
	t.Helper()
	for i, m := range all {
		if i > 0 && m.Start != all[i-1].End || m.End < m.Start {
			t.Errorf("mail %d: %d to %d", i, m.Start, m.End)
		}
		if !m.Rest && !strings.HasPrefix(file[m.Start:], "From ") {
			t.Errorf("mail %d begins with %.20q", i, file[m.Start:])
		}
	}
	if n := len(all); n > 0 && all[n-1].End != int64(len(file)) {
		t.Errorf("the last mail ends at %d of %d", all[n-1].End, len(file))
	}
}

func TestD6NotAnMbox(t *testing.T) {
	for _, file := range []string{"Subject: x\n\ntext\n", "From here to there\n", "PK\x03\x04", "\n\nx"} {
		if _, err := readAll(mbox.NewReader(strings.NewReader(file), small)); err != mbox.ErrFormat {
			t.Errorf("%q: %v", file, err)
		}
	}
	broken := io.MultiReader(strings.NewReader(line+"A: 1\n"), iotest.ErrReader(io.ErrClosedPipe))
	if all, err := readAll(mbox.NewReader(broken, small)); err != io.ErrClosedPipe || len(all) > 0 {
		t.Errorf("%d mails, %v: a file that breaks off is no whole mail", len(all), err)
	}
}

// D6: a mail that is too large is returned in parts, and a reader may begin at any of them. No part of it is read as
// another mail, not even in the middle of a line.
func TestD6TooLarge(t *testing.T) {
	long := strings.Repeat("x", 200_000) + line + strings.Repeat("y", 100_000) + "\n" + strings.Repeat("short\n", 20_000)
	file := line + "A: 1\n\n" + long + line + "B: 2\n"
	o := mbox.Options{Keep: 1000, Most: 70_000}
	all, err := readAll(mbox.NewReader(strings.NewReader(file), o))
	if err != nil {
		t.Fatal(err)
	}
	tiles(t, file, all)
	last := len(all) - 1
	if len(all) < 5 || !all[0].TooLarge || len(all[0].Raw) != 1000 || string(all[last].Raw) != "B: 2\n" || all[last].Rest {
		t.Fatalf("%d mails, %+v … %+v", len(all), all[0].TooLarge, all[last])
	}
	for i, m := range all[:last] {
		if m.Rest != (i > 0) || m.TooLarge != (i == 0) || m.Goes != (i > 0 && i < last-1) || m.End-m.Start > o.Most+70_000 {
			t.Errorf("part %d: %+v", i, m)
		}
	}
	again(t, file, o, all)
}

// again reads from the end of each mail, and fails unless the same mails follow.
func again(t *testing.T, file string, o mbox.Options, all []mbox.Mail) {
	t.Helper()
	for i, m := range all {
		o.Offset, o.Inside = m.End, m.TooLarge || m.Goes
		if o.Inside {
			o.Offset--
		}
		rest, err := readAll(mbox.NewReader(strings.NewReader(file[o.Offset:]), o))
		if err != nil {
			t.Fatal(err)
		}
		if o.Inside && len(rest) > 0 && rest[0].Start == o.Offset {
			rest[0].Start++ // the byte before
		}
		if diff := cmp.Diff(numbers(all[i+1:]), numbers(rest)); diff != "" && !o.Inside {
			t.Errorf("after mail %d (-want +have):\n%s", i, diff)
		} else if mails(rest) != mails(all[i+1:]) {
			t.Errorf("after part %d: %s, want %s", i, mails(rest), mails(all[i+1:]))
		}
	}
}

func numbers(all []mbox.Mail) [][2]int64 {
	out := [][2]int64{}
	for _, m := range all {
		out = append(out, [2]int64{m.Start, m.End})
	}
	return out
}

// mails returns the mails without Rest.
func mails(all []mbox.Mail) string {
	var b strings.Builder
	for _, m := range all {
		if !m.Rest {
			b.Write(m.Raw)
			b.WriteByte(0)
		}
	}
	return b.String()
}

// FuzzReader checks that the mails cover any file, stay within bounds, and that reading can continue after each.
func FuzzReader(f *testing.F) {
	f.Add([]byte(line+"A: 1\n\ntext\n\n"+line+">From x\n"), uint16(20), uint16(40))
	f.Add([]byte("\n"+line+strings.Repeat("x", 300)+"\n"+line), uint16(7), uint16(90))
	f.Fuzz(func(t *testing.T, file []byte, keep, most uint16) {
		o := mbox.Options{Keep: int(keep), Most: int64(most)}
		all, err := readAll(mbox.NewReader(bytes.NewReader(file), o))
		if err != nil {
			return
		}
		tiles(t, string(file), all)
		for _, m := range all {
			if len(m.Raw) > int(keep) {
				t.Fatalf("holds %d bytes", len(m.Raw))
			}
		}
		again(t, string(file), o, all)
	})
}
