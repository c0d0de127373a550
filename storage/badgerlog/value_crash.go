package badgerlog

import "runtime"

// valueCrash is Badger's panic on a value whose size makes no sense.
type valueCrash struct {
	key   []byte
	cause runtime.Error
}

// crashed goes on panicking, and says of which value when its size makes no sense. A
// page that cannot be read is something else.
func (v itemValue) crashed(crash any) {
	if crash == nil {
		return
	}
	if _, unreadable := crash.(fault); unreadable {
		panic(crash)
	}
	if cause, ok := crash.(runtime.Error); ok {
		panic(valueCrash{v.item.KeyCopy(nil), cause})
	}
	panic(crash)
}
