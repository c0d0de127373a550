package shardload

import (
	"os"
	"path/filepath"
	"time"
)

// stirInterval is how often the system is made to write pages back.
const stirInterval = 3 * time.Millisecond

// stir opens and closes the files below a directory, until stop is closed: on some file
// systems that makes the kernel write back pages of mapped files which nobody synced,
// as it may do at any time.
func stir(dir string, stop <-chan struct{}) {
	ticker := time.NewTicker(stirInterval)
	defer ticker.Stop()
	for {
		paths, _ := filepath.Glob(filepath.Join(dir, "*", "*"))
		for _, path := range paths {
			select {
			case <-stop:
				return
			case <-ticker.C:
			}
			// It may be gone.
			if f, err := os.OpenFile(path, os.O_RDWR, 0); err == nil {
				_ = f.Close()
			}
		}
		select {
		case <-stop:
			return
		case <-ticker.C:
		}
	}
}
