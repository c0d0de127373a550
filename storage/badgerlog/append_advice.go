package badgerlog

import (
	"bufio"
	"bytes"
	"log/slog"
	"path/filepath"
	"strconv"
	"strings"
)

// adviceBytes is how much may be committed between two looks at which files are
// appended to.
const adviceBytes = 8 << 20

// appendAdvice tells the kernel not to read ahead in the files that Badger appends
// to. Badger maps them; a write to a fresh page is a fault, and a kernel that
// reads ahead answers it with many pages at once, which the next sync then writes
// to the disk whole: three times what was written, where readahead is large.
//
// The advice is for the value log's last file and for the memtables' logs. A value
// log file that is full is read in order by those who lag, so it gets back what
// is usual.
//
// It is a hint and can do no harm: a file that is unmapped in between gets none, and
// what was mapped in its place merely reads ahead less. The committer's own.
type appendAdvice struct {
	dir    string
	system system
	log    *slog.Logger
	// left is what may be committed until the next look.
	left int
	// given are the mappings of value log files that were advised, by path.
	given map[string]mapping
}

// mapping is where a file is mapped.
type mapping struct {
	start, length uintptr
}

func newAppendAdvice(dir string, s system, log *slog.Logger) *appendAdvice {
	// The kernel's table has paths without links.
	if parent, err := filepath.EvalSymlinks(filepath.Dir(dir)); err == nil {
		dir = filepath.Join(parent, filepath.Base(dir))
	}
	return &appendAdvice{dir: dir, system: s, log: log, given: map[string]mapping{}}
}

// wrote counts what was committed and looks when it is time.
func (a *appendAdvice) wrote(n int) {
	if a.left -= n; a.left > 0 {
		return
	}
	a.left = adviceBytes
	if err := a.look(); err != nil {
		a.log.Debug("The kernel was not told which files are appended to.", "error", err)
	}
}

// look advises the files that are appended to now, and takes the advice back for
// those that no longer are.
func (a *appendAdvice) look() error {
	table, err := a.system.mappings()
	if err != nil {
		return err
	}
	logs, memtables := a.mapped(table)
	last := lastPath(logs)
	for path, m := range logs {
		switch given, ok := a.given[path]; {
		case path == last && given != m:
			a.system.adviseAppends(m, true)
			a.given[path] = m
		case path != last && ok:
			a.system.adviseAppends(m, false)
			delete(a.given, path)
		}
	}
	for _, m := range memtables {
		a.system.adviseAppends(m, true)
	}
	return nil
}

// mapped finds the mappings of Badger's value log files, by path, and of the
// memtables' logs in the kernel's table:
//
//	7f1c40000000-7f1c50000000 rw-s 00000000 fe:00 1312 /data/badger/000001.vlog
func (a *appendAdvice) mapped(table []byte) (logs map[string]mapping, memtables []mapping) {
	logs = map[string]mapping{}
	for lines := bufio.NewScanner(bytes.NewReader(table)); lines.Scan(); {
		at := strings.Index(lines.Text(), a.dir+string(filepath.Separator))
		if at < 0 {
			continue
		}
		path := lines.Text()[at:]
		m, ok := parseMapping(lines.Text())
		switch {
		case !ok:
		case strings.HasSuffix(path, ".vlog"):
			logs[path] = m
		case strings.HasSuffix(path, ".mem"):
			memtables = append(memtables, m)
		}
	}
	return logs, memtables
}

// parseMapping reads the addresses in front of a line of the kernel's table.
func parseMapping(line string) (mapping, bool) {
	addresses, _, _ := strings.Cut(line, " ")
	from, to, _ := strings.Cut(addresses, "-")
	start, startErr := strconv.ParseUint(from, 16, 64)
	end, endErr := strconv.ParseUint(to, 16, 64)
	return mapping{uintptr(start), uintptr(end - start)}, startErr == nil && endErr == nil && end > start
}

// lastPath is the value log file with the highest number.
func lastPath(logs map[string]mapping) (last string) {
	for path := range logs {
		last = laterLog(last, path)
	}
	return last
}
