package telemetry

import (
	"bytes"
	"io"
	"strconv"
	"strings"
)

// TextType is the media type of the output of [Metrics.WriteText].
const TextType = "text/plain; version=0.0.4; charset=utf-8"

// WriteText writes all metrics in the text format of Prometheus
// (https://prometheus.io/docs/instrumenting/exposition_formats/).
func (m *Metrics) WriteText(w io.Writer) error {
	var b bytes.Buffer
	for _, f := range m.Read() {
		b.WriteString("# HELP " + f.Name + " " + f.Help + "\n# TYPE " + f.Name + " " + f.Type + "\n")
		for _, s := range f.Series {
			if f.Type == TypeHistogram {
				writeHistogram(&b, &f, s)
			} else {
				writeSample(&b, f.Name, f.Labels, s.Values, s.Sum)
			}
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// writeHistogram writes cumulative buckets, as the format requires: each bucket includes all buckets below it.
func writeHistogram(b *bytes.Buffer, f *Family, s Series) {
	labels, values := append(f.Labels[:len(f.Labels):len(f.Labels)], "le"), append(s.Values[:len(s.Values):len(s.Values)],
		"")
	var within uint64
	for i, n := range s.Buckets {
		within += n
		values[len(values)-1] = number(f.Bounds[i])
		writeSample(b, f.Name+"_bucket", labels, values, float64(within))
	}
	values[len(values)-1] = "+Inf"
	writeSample(b, f.Name+"_bucket", labels, values, float64(s.Count))
	writeSample(b, f.Name+"_sum", f.Labels, s.Values, s.Sum)
	writeSample(b, f.Name+"_count", f.Labels, s.Values, float64(s.Count))
}

var escape = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

func writeSample(b *bytes.Buffer, name string, labels, values []string, v float64) {
	pairs := make([]string, len(labels))
	for i, label := range labels {
		pairs[i] = label + `="` + escape.Replace(values[i]) + `"`
	}
	b.WriteString(name)
	if len(pairs) > 0 {
		b.WriteString("{" + strings.Join(pairs, ",") + "}")
	}
	b.WriteString(" " + number(v) + "\n")
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
