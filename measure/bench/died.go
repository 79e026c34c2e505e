package main

import (
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/local/azurite"
)

// died measures what the death of an instance costs: of two instances on one storage account, one is killed for good
// in a crawl, host and handler. The time runs from the kill until all pages are indexed.
func (b *bench) died() (err error) {
	const hosts, pages = 20, 100
	az, err := azurite.Start(b.ctx, azurite.Options{ToolDir: b.tools})
	if err != nil {
		return err
	}
	defer az.Stop()
	s, err := newSite()
	if err != nil {
		return err
	}
	defer s.close()
	s.pause = time.Second // most of a job's time is for its pages, as at a real site
	account := "AzureWebJobsStorage=" + az.ConnectionString()
	var instances []*product
	for range 2 {
		p, err := b.startProduct("account", account)
		if err != nil {
			return err
		}
		instances = append(instances, p)
	}
	victim, other := instances[0], instances[1]
	defer func() { err = errors.Join(err, other.stop()) }()
	if err := other.add(s.urls(hosts, pages)); err != nil {
		victim.kill()
		return err
	}
	err = other.answered(&s.served, hosts*pages/4)
	victim.kill()
	died, before := time.Now(), s.served.Load()
	if err != nil {
		return err
	}
	soon := 0 // pages that are indexed after four minutes
	err = b.wait(12*time.Minute, time.Second, "all pages indexed", func() (bool, error) {
		st, err := api.GetStatus.Call(b.ctx, other.client, api.StatusQuery{})
		if time.Since(died) < 4*time.Minute {
			soon = st.Items[api.StatusIndexed]
		}
		return err == nil && st.Items[api.StatusIndexed] == hosts*pages, err
	})
	took := time.Since(died)
	section(fmt.Sprintf("One of two instances on Azurite, killed in a crawl of %d pages", hosts*pages), "what", "measured",
		"aim")
	row("answers of the site before the kill", before, "")
	row("from the kill until all pages were indexed", took.Round(time.Second), "≤ 4 min")
	row("pages indexed four minutes after the kill", soon, hosts*pages)
	row("pages fetched twice", s.served.Load()-hosts*pages, "only what was in work")
	return err
}

// kill ends the product with all its processes at once, as a power cut does.
func (p *product) kill() {
	_ = p.cmd.Process.Signal(syscall.SIGSTOP) // a host that runs would start another handler
	for _, pid := range descendants(p.cmd.Process.Pid) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
	if p.store != nil {
		_ = p.store.Close()
	}
}

// descendants returns the processes that a process has started, and those that these have started.
func descendants(of int) (pids []int) {
	for _, pid := range children(of) {
		pids = append(append(pids, pid), descendants(pid)...)
	}
	return pids
}
