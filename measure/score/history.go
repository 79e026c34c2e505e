package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A history is an archive in the form of OpenTermsArchive: a git repository with a commit for each fetch of a page
// that brought different bytes, and one with a commit for each version. The message of a version's commit links the
// commit of the fetch from which the version was extracted.

// A refetch is one fetch of a page.
type refetch struct {
	Commit, Blob string
	Page         string // file name without its ending
	URL          string // the address that was fetched; "" if the commit does not say
	At           time.Time
}

// readRefetches lists the fetches of a repository, oldest first: the files with an ending, such as ".html".
func readRefetches(repository, ending string) ([]refetch, error) {
	const format = "--format=%x01%H %ct %(trailers:key=X-source-document-location,valueonly,separator=%x20)"
	out, err := git(repository, "log", "--reverse", "--first-parent", "--raw", "--no-abbrev", "--no-renames", "-z", format)
	if err != nil {
		return nil, err
	}
	var all []refetch
	for commit := range strings.SplitSeq(out, "\x01") {
		fields := strings.Split(commit, "\x00")
		head := strings.SplitN(strings.TrimSpace(fields[0]), " ", 3)
		if len(head) < 2 {
			continue
		}
		seconds, err := strconv.ParseInt(head[1], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%s: time of commit %s: %w", repository, head[0], err)
		}
		f := refetch{Commit: head[0], At: time.Unix(seconds, 0).UTC()}
		if len(head) == 3 {
			f.URL = strings.TrimSpace(head[2])
		}
		all = append(all, f.files(fields[1:], ending)...)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no commits of pages (%s)", repository, ending)
	}
	return all, nil
}

// files returns the fetched pages of one commit. The strings in changes are, in turn, ":mode mode old new status" and
// a path.
func (f refetch) files(changes []string, ending string) (all []refetch) {
	for i := 0; i+1 < len(changes); i += 2 {
		change := strings.Fields(changes[i])
		page, isPage := strings.CutSuffix(changes[i+1], ending)
		if isPage && len(change) == 5 && change[4] != "D" {
			f.Blob, f.Page = change[3], page
			all = append(all, f)
		}
	}
	return all
}

var snapshotLink = regexp.MustCompile(`/(?:commit|blob)/([0-9a-f]{40})`)

// readVersions returns the fetches from which the archive recorded a version.
func readVersions(repository string) (map[string]bool, error) {
	out, err := git(repository, "log", "--format=%b")
	if err != nil {
		return nil, err
	}
	versions := map[string]bool{}
	for _, m := range snapshotLink.FindAllStringSubmatch(out, -1) {
		versions[m[1]] = true
	}
	return versions, nil
}

// repositories finds the two repositories below a folder by the ends of their names.
func repositories(dir string) (snapshots, versions string, err error) {
	for _, r := range []struct {
		to     *string
		ending string
	}{{&snapshots, "snapshots"}, {&versions, "versions"}} {
		found, err := filepath.Glob(filepath.Join(dir, "*"+r.ending))
		if err != nil || len(found) != 1 {
			return "", "", errors.Join(err, fmt.Errorf("want one repository %s", filepath.Join(dir, "*"+r.ending)))
		}
		*r.to = found[0]
	}
	return snapshots, versions, nil
}

func git(repository string, args ...string) (string, error) {
	c := exec.Command("git", append([]string{"-C", repository}, args...)...)
	c.Stderr = os.Stderr
	out, err := c.Output()
	return string(out), err
}

// eachBlob reads blobs in the order of names, and calls do with each of them.
func eachBlob(repository string, names []string, do func(i int, body []byte) error) error {
	c := exec.Command("git", "-C", repository, "cat-file", "--batch")
	c.Stdin, c.Stderr = strings.NewReader(strings.Join(names, "\n")+"\n"), os.Stderr
	pipe, err := c.StdoutPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return err
	}
	r := bufio.NewReaderSize(pipe, 1<<16)
	for i := range names {
		body, err := readBlob(r)
		if err == nil {
			err = do(i, body)
		}
		if err != nil {
			return errors.Join(err, c.Process.Kill(), c.Wait())
		}
	}
	return c.Wait()
}

// readBlob reads "name blob size LF body LF".
func readBlob(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadString('\n')
	if err != nil {
		return nil, err
	}
	head := strings.Fields(line)
	if len(head) != 3 || head[1] != "blob" {
		return nil, fmt.Errorf("git cat-file: %q", line)
	}
	size, err := strconv.Atoi(head[2])
	if err != nil {
		return nil, err
	}
	body := make([]byte, size+1)
	_, err = io.ReadFull(r, body)
	return body[:size], err
}
