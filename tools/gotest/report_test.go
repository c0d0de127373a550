package main

import (
	"strings"
	"testing"
)

func TestReportCountsAndExplains(t *testing.T) {
	const run = `{"Action":"run","Package":"p","Test":"TestGood"}
{"Action":"output","Package":"p","Test":"TestGood","Output":"chatter\n"}
{"Action":"pass","Package":"p","Test":"TestGood"}
{"Action":"output","Package":"p","Test":"TestBad","Output":"=== RUN   TestBad\n"}
{"Action":"output","Package":"p","Test":"TestBad","Output":"    want 1, got 2\n"}
{"Action":"fail","Package":"p","Test":"TestBad"}
{"Action":"output","Package":"p","Test":"TestAway","Output":"    needs root\n"}
{"Action":"skip","Package":"p","Test":"TestAway"}
{"Action":"output","Package":"p","Test":"TestHung","Output":"    waiting\n"}
{"Action":"output","Package":"p","Output":"FAIL\tp\t1s\n"}
{"Action":"fail","Package":"p"}
{"Action":"output","Package":"q","Output":"PASS\n"}
{"Action":"output","Package":"q","Output":"?   \tq\t[no test files]\n"}
{"Action":"skip","Package":"q"}
not json
`
	const want = `    want 1, got 2
    needs root
FAIL	p	1s
    waiting
not json

SKIPPED, so nothing is known about:
  p TestAway
1 passed, 2 failed, 1 skipped
`
	var out strings.Builder
	report := newReport(&out)
	feed(strings.NewReader(run), report)
	report.summarize()
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

func TestComplaints(t *testing.T) {
	cases := []struct {
		name   string
		report report
		strict bool
		want   string
	}{
		{"a skip off CI", report{passed: 1, skipped: []test{{"p", "T"}}}, false, ""},
		{"a skip in CI", report{passed: 1, skipped: []test{{"p", "T"}}}, true, "tests were skipped, and CI=true allows none"},
		{"nothing ran in CI", report{}, true, "no test ran"},
		{"all ran in CI", report{passed: 1}, true, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := c.report.complaint(c.strict); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
