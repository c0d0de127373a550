package fusefs

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// WriteImage puts into an empty directory what a cut at this point leaves of the disk.
func (d *Disk) WriteImage(dir string, s Survival) error {
	all := maps.Clone(d.names.durable)
	for _, c := range d.names.pending[:s.prefix(len(d.names.pending))] {
		c.apply(all)
	}
	i := &image{disk: d, survival: s, places: slices.Collect(maps.Keys(all)), all: all}
	slices.SortFunc(i.places, func(a, b place) int { return all[a].since - all[b].since })
	if err := i.directory(rootID, dir); err != nil {
		return fmt.Errorf("fusefs: image: %w", err)
	}
	return nil
}

// image is a disk being written down.
type image struct {
	disk     *Disk
	survival Survival
	all      map[place]resident
	// places are sorted, so that the same chance meets the same file.
	places []place
}

// directory writes down what a directory holds.
func (i *image) directory(id ID, dir string) error {
	for _, p := range i.places {
		there := i.all[p]
		if p.dir != id || there.file == 0 {
			continue
		}
		path := filepath.Join(dir, p.name)
		var err error
		if there.isDir {
			err = errors.Join(os.Mkdir(path, 0o700), i.directory(there.file, path))
		} else {
			err = i.file(i.disk.platter(there.file), path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// file writes down what is left of a file.
func (i *image) file(p *platter, path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(p.durable.writeTo(f), i.pending(p, f), f.Close())
}

// maxRunPages bounds what is written at once.
const maxRunPages = 256

// writeTo writes the pages that there are, those that follow each other at once.
func (c *content) writeTo(f *os.File) error {
	numbers := slices.Sorted(maps.Keys(c.pages))
	var run []byte
	for i, number := range numbers {
		run = append(run, c.pages[number][:]...)
		if i+1 < len(numbers) && numbers[i+1] == number+1 && len(run) < maxRunPages*pageBytes {
			continue
		}
		if _, err := f.WriteAt(run, (number+1)*pageBytes-int64(len(run))); err != nil {
			return err
		}
		run = run[:0]
	}
	return f.Truncate(c.size)
}

// pending writes what survives of a file's un-synced operations. Its size is that
// after some of them, in order; of the writes any may be there, those that came after
// as far as they lie within the size.
func (i *image) pending(p *platter, f *os.File) error {
	sized := i.survival.prefix(len(p.pending))
	size := p.durable.size
	for n, o := range p.pending {
		if n < sized {
			size = sizeAfter(o, size)
		}
		if err := i.one(o, f, n < sized); err != nil {
			return err
		}
	}
	return f.Truncate(size)
}

func sizeAfter(o *Operation, size int64) int64 {
	if o.Kind == Write {
		return max(size, o.Offset+int64(len(o.Data)))
	}
	return o.Size
}

func (i *image) one(o *Operation, f *os.File, sized bool) error {
	if o.Kind != Write {
		if sized {
			return f.Truncate(o.Size)
		}
		return nil
	}
	if len(o.Data) == 0 {
		return nil
	}
	for _, s := range i.survival.spans(len(o.Data)) {
		if _, err := f.WriteAt(o.Data[s.from:s.to], o.Offset+int64(s.from)); err != nil {
			return err
		}
	}
	return nil
}
