package output_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/headrace/headrace/cmd/headrace/internal/output"
)

type fruit struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

var columns = []output.Column[fruit]{
	{Head: "NAME", Cell: func(f fruit) string { return f.Name }},
	{Head: "COUNT", Right: true, Cell: func(f fruit) string { return output.Count(f.Count) }},
}

func list(t *testing.T, format output.Format, items []fruit) string {
	t.Helper()
	var out bytes.Buffer
	if err := output.List(&output.Printer{Out: &out, Format: format}, items, columns); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestListWritesAlignedColumns(t *testing.T) {
	got := list(t, output.Table, []fruit{{"pear", 7}, {"pineapple", 12000}})
	want := "NAME        COUNT\npear            7\npineapple  12,000\n"
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestListWritesOneArray(t *testing.T) {
	var got []fruit
	if err := json.Unmarshal([]byte(list(t, output.JSON, []fruit{{"a<b", 1}, {"c", 2}})), &got); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]fruit{{"a<b", 1}, {"c", 2}}, got); d != "" {
		t.Error(d)
	}
}

func TestYAMLHasTheNamesAndValuesOfJSON(t *testing.T) {
	odd := []fruit{{"a<b: \"c\"", 1}, {"yes", 2}, {"1.5", 3}, {"two\nlines \x00\u2028", 4}, {"- ", 5}, {"", 6}}
	got := list(t, output.YAML, odd)
	var read []fruit
	if err := yaml.Unmarshal([]byte(got), &read); err != nil {
		t.Fatalf("%v in %s", err, got)
	}
	if d := cmp.Diff(odd, read); d != "" {
		t.Errorf("%s in %s", d, got)
	}
	if want := "- name: pear\n  count: 7\n"; list(t, output.YAML, []fruit{{"pear", 7}}) != want {
		t.Errorf("%q, want %q", list(t, output.YAML, []fruit{{"pear", 7}}), want)
	}
}

func TestListWritesOneObjectALine(t *testing.T) {
	got := list(t, output.JSONL, []fruit{{"a<b", 1}, {"c", 2}})
	if d := cmp.Diff("{\"name\":\"a<b\",\"count\":1}\n{\"name\":\"c\",\"count\":2}\n", got); d != "" {
		t.Error(d)
	}
}

func TestEmptyListIsNotNull(t *testing.T) {
	for format, want := range map[output.Format]string{output.Table: "NAME  COUNT\n", output.JSON: "[]\n", output.JSONL: "", output.YAML: "[]\n"} {
		if got := list(t, format, nil); got != want {
			t.Errorf("%s: %q, want %q", format, got, want)
		}
	}
}

func TestCellCannotSteerTheTerminal(t *testing.T) {
	got := list(t, output.Table, []fruit{{"\x1b[31mred\n", 1}})
	if d := cmp.Diff("NAME       COUNT\n·[31mred·      1\n", got); d != "" {
		t.Error(d)
	}
}

func TestOneWritesNamesAndValues(t *testing.T) {
	var out bytes.Buffer
	if err := output.One(&output.Printer{Out: &out, Format: output.Table}, fruit{"fig", 3}, columns); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff("NAME   fig\nCOUNT  3\n", out.String()); d != "" {
		t.Error(d)
	}
}

func TestStreamOfJSONIsOneArray(t *testing.T) {
	streamIsOneArray(t, output.JSON, json.Unmarshal)
}

func TestStreamOfYAMLIsOneArray(t *testing.T) {
	streamIsOneArray(t, output.YAML, yaml.Unmarshal)
}

func streamIsOneArray(t *testing.T, format output.Format, read func([]byte, any) error) {
	t.Helper()
	for n := range 3 {
		var out bytes.Buffer
		s := output.NewStream(&output.Printer{Out: &out, Format: format}, func(f fruit) string { return f.Name })
		want := []fruit{}
		for i := range n {
			want = append(want, fruit{"x", i})
			if err := s.Write(want[i]); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		var got []fruit
		if err := read(out.Bytes(), &got); err != nil {
			t.Fatalf("%d items: %v in %q", n, err, out.String())
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	}
}

func TestFormatRefusesWhatItDoesNotKnow(t *testing.T) {
	var f output.Format
	if err := f.Set("xml"); err == nil {
		t.Error("xml was taken")
	}
}

func TestTexts(t *testing.T) {
	for want, got := range map[string]string{
		"-1,234,567": output.Count(-1234567),
		"999":        output.Count(999),
		"1,023 B":    output.Count(1023) + " B",
		"1023 B":     output.Size(1023),
		"1.5 KiB":    output.Size(1536),
		"64.0 MiB":   output.Size(64 << 20),
		"12ms":       output.Age(12 * time.Millisecond),
		"1.5s":       output.Age(1500 * time.Millisecond),
		"2m5s":       output.Age(125 * time.Second),
		"10m":        output.Age(10 * time.Minute),
		"3h10m":      output.Age(190 * time.Minute),
		"2d1h":       output.Age(49 * time.Hour),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
