package server

import (
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// taker takes one field of a resource R over into a configuration C; what the
// resource leaves out becomes the default's.
type taker[C, R any] = func(c *C, r R, defaults C) error

// checkMask says whether every path of an update mask may be updated. At least
// one is needed.
func checkMask[C any, R proto.Message](paths []string, takers map[string]taker[C, R], r R) error {
	if len(paths) == 0 {
		return invalidField("update_mask", "at least one path")
	}
	for _, path := range paths {
		if _, ok := takers[path]; ok {
			continue
		}
		return refusePath(path, r.ProtoReflect().Descriptor())
	}
	return nil
}

// applyMask takes over the fields that the paths name, in the order of the paths'
// names: a lease before the longest lease, whose default depends on it.
func applyMask[C, R any](paths []string, takers map[string]taker[C, R], c *C, r R, defaults C) error {
	for _, path := range slices.Sorted(slices.Values(paths)) {
		if err := takers[path](c, r, defaults); err != nil {
			return err
		}
	}
	return nil
}

// refusePath says why a path may not be updated.
func refusePath(path string, md protoreflect.MessageDescriptor) error {
	for name := range strings.SplitSeq(path, ".") {
		if md == nil {
			return invalidField("update_mask", "no field "+clip(path))
		}
		fd := md.Fields().ByName(protoreflect.Name(name))
		switch {
		case fd == nil:
			return invalidField("update_mask", "no field "+clip(path))
		case notServedFields[fd.FullName()]:
			return notServed(path)
		}
		md = fd.Message()
	}
	return invalidField("update_mask", path+" cannot be updated")
}
