package host

import "maps"

// LastModRecord is how true what a host says of its pages' changes (lastmod) has proved, lately: the counts
// are halved when there are a hundred predictions, so that a host can change for better and worse.
type LastModRecord struct {
	Right       int `json:"right"`       // checks that found the change that had been said
	Wrong       int `json:"wrong"`       // that found none
	Unannounced int `json:"unannounced"` // changes of which nothing had been said when they were found
}

const (
	enoughPredictions = 20
	recordWindow      = 100
)

// Truthful reports whether checks are brought forward on the host's word: of at least 20 predictions at
// least four in five were right.
func (l LastModRecord) Truthful() bool {
	n := l.Right + l.Wrong
	return n >= enoughPredictions && 5*l.Right >= 4*n
}

// Predictions is how many predictions were judged.
func (l LastModRecord) Predictions() int { return l.Right + l.Wrong }

// Add counts one check. A host that never said anything is not reproached with silence.
func (l *LastModRecord) Add(score LastModRecord) {
	if l.Predictions() >= recordWindow && score.Predictions() > 0 {
		l.Right, l.Wrong, l.Unannounced = l.Right/2, l.Wrong/2, l.Unannounced/2
	}
	l.Right += score.Right
	l.Wrong += score.Wrong
	if l.Predictions() > 0 {
		l.Unannounced += score.Unannounced
	}
}

// ScoreLastMod judges what a host said of a page by what a check found: a change had been predicted, the
// page has changed, or it stands as it was.
func ScoreLastMod(predicted, changed, stands bool) LastModRecord {
	switch {
	case predicted && changed:
		return LastModRecord{Right: 1}
	case predicted && stands:
		return LastModRecord{Wrong: 1}
	case changed:
		return LastModRecord{Unannounced: 1}
	}
	return LastModRecord{}
}

// Rates counts recent checks.
type Rates struct {
	Checks  int `col:"checks"`
	Changes int `col:"changes"`
	Errors  int `col:"errors"`
}

// rateWindow is the number of checks after which the counters are halved, so that they speak of recent ones.
const rateWindow = 1000

// Add counts a check.
func (r *Rates) Add(changed, failed bool) {
	if r.Checks >= rateWindow {
		*r = Rates{r.Checks / 2, r.Changes / 2, r.Errors / 2}
	}
	r.Checks++
	if changed {
		r.Changes++
	}
	if failed {
		r.Errors++
	}
}

// Fingerprints are those of what a host's origins show for pages that do not exist, by scheme. An origin
// that answers 404 has none.
type Fingerprints map[string]string

// With gives the fingerprints with that of one origin replaced, or removed if it is empty.
func (f Fingerprints) With(scheme, fingerprint string) Fingerprints {
	f = maps.Clone(f)
	if f == nil {
		f = Fingerprints{}
	}
	if f[scheme] = fingerprint; fingerprint == "" {
		delete(f, scheme)
	}
	return f
}
