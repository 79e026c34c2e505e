package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
)

// labels say which fetches brought a change. Raw labels are the archive's versions. Repaired labels are the same,
// except where a file lists other labels, in lines of the form
//
//	commit first second why
//
// where commit is the beginning of the fetch's commit, and first and second are two independent verdicts, "change" or
// "same". If they differ, the archive's own label counts.
type labels struct {
	name     string
	verdicts map[string]bool // verdicts by the beginning of the commit's name
	disputes int             // number of lines whose two verdicts differ
}

// commitLength is the length of a commit's name in a file of labels.
const commitLength = 10

func readLabels(file string) (labels, error) {
	l := labels{name: "repaired", verdicts: map[string]bool{}}
	f, err := os.Open(file)
	if err != nil {
		return l, err
	}
	defer f.Close()
	scan := bufio.NewScanner(f)
	for scan.Scan() {
		words := strings.Fields(scan.Text())
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		if len(words) < 3 || len(words[0]) != commitLength || !isVerdict(words[1]) || !isVerdict(words[2]) {
			return l, fmt.Errorf("%s: want a commit of %d digits and two verdicts: %q", file, commitLength, scan.Text())
		}
		if words[1] != words[2] {
			l.disputes++
			continue
		}
		l.verdicts[words[0]] = words[1] == "change"
	}
	return l, scan.Err()
}

func isVerdict(word string) bool { return word == "change" || word == "same" }

// change reports whether a check brought a change.
func (l labels) change(c check) bool {
	if verdict, judged := l.verdicts[c.Commit[:commitLength]]; judged {
		return verdict
	}
	return c.version
}
