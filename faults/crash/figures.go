package crash

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// scrapeTimeout bounds how long a server that is about to die is asked.
const scrapeTimeout = 5 * time.Second

// watched are the metrics that prove what a store did, by what they prove.
var watched = map[string]string{
	"headrace_gc_rewrites_total":      "value logs rewritten",
	"headrace_trimmed_messages_total": "messages trimmed",
	"headrace_holed_messages_total":   "messages holed",
	"headrace_moved_segments_total":   "segments moved",
	"headrace_commits_total":          "commits",
	"headrace_disk_reads_total":       "disk reads",
}

// figures add up what the lives of a server did.
type figures map[string]float64

// scrape adds what a server says of itself.
func (f figures) scrape(address string) error {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/metrics", http.NoBody)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	lines := bufio.NewScanner(answer.Body)
	for lines.Scan() {
		name, text, _ := strings.Cut(lines.Text(), " ")
		if what, is := watched[name]; is {
			value, err := strconv.ParseFloat(text, 64)
			if err != nil {
				return fmt.Errorf("metric %s: %w", name, err)
			}
			f[what] += value
		}
	}
	return lines.Err()
}

// lookAt notes the highest numbers of Badger's files in a store.
func (f figures) lookAt(dir string) {
	names := map[string]string{".mem": "memtables begun", ".sst": "tables built", ".vlog": "value logs begun"}
	entries, _ := os.ReadDir(filepath.Join(dir, "badger")) // None before the store was made.
	for _, e := range entries {
		extension := filepath.Ext(e.Name())
		number, err := strconv.Atoi(strings.TrimSuffix(e.Name(), extension))
		if what, is := names[extension]; is && err == nil {
			f[what] = max(f[what], float64(number))
		}
	}
}
