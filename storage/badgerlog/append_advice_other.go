//go:build !linux

package badgerlog

// readMappings has nothing to tell where the kernel has no such table.
func readMappings() ([]byte, error) { return nil, nil }

func adviseAppends(mapping, bool) {}
