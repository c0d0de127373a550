package badgerlog

import (
	"errors"
	"fmt"
	"log/slog"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// adviceLog notes what the kernel would have been told.
type adviceLog struct {
	table string
	err   error
	told  []string
}

func (l *adviceLog) system() system {
	return system{
		mappings: func() ([]byte, error) { return []byte(l.table), l.err },
		adviseAppends: func(m mapping, appended bool) {
			l.told = append(l.told, fmt.Sprintf("%x+%x %t", m.start, m.length, appended))
		},
	}
}

func (l *adviceLog) take() []string {
	told := l.told
	l.told = nil
	return told
}

// TestOnlyFilesThatAreAppendedToAreAdvised: the last value log file and the memtables'
// logs are; a value log file that is full gets back what is usual.
func TestOnlyFilesThatAreAppendedToAreAdvised(t *testing.T) {
	kernel := &adviceLog{table: `
10000-20000 rw-s 00000000 fe:00 11 /data/x/badger/000001.vlog
20000-28000 rw-s 00000000 fe:00 12 /data/x/badger/00001.mem
30000-31000 r--s 00000000 fe:00 13 /data/x/badger/000001.sst
40000-50000 rw-s 00000000 fe:00 14 /elsewhere/000009.vlog
nonsense /data/x/badger/000008.vlog
`}
	a := newAppendAdvice("/data/x/badger", kernel.system(), slog.New(slog.DiscardHandler))
	a.wrote(1)
	if diff := cmp.Diff([]string{"10000+10000 true", "20000+8000 true"}, kernel.take()); diff != "" {
		t.Error("first look", diff)
	}
	a.wrote(adviceBytes - 1)
	if told := kernel.take(); told != nil {
		t.Errorf("told %v before it was time", told)
	}
	kernel.table = `
10000-20000 rw-s 00000000 fe:00 11 /data/x/badger/000001.vlog
60000-70000 rw-s 00000000 fe:00 15 /data/x/badger/000002.vlog
`
	a.wrote(1)
	want := map[string]bool{"10000+10000 false": true, "60000+10000 true": true}
	got := map[string]bool{}
	for _, told := range kernel.take() {
		got[told] = true
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error("after the value log went on", diff)
	}
	a.wrote(adviceBytes)
	if told := kernel.take(); told != nil {
		t.Errorf("told %v again", told)
	}
}

// TestAdviceThatFailsHarmsNothing: a kernel without the table gets no advice.
func TestAdviceThatFailsHarmsNothing(t *testing.T) {
	kernel := &adviceLog{err: errors.New("no such table")}
	a := newAppendAdvice("/data", kernel.system(), slog.New(slog.DiscardHandler))
	a.wrote(adviceBytes)
	if told := kernel.take(); told != nil {
		t.Errorf("told %v", told)
	}
}
