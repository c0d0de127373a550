package shardlog

import (
	"slices"
	"sync"
	"sync/atomic"
)

// watchers are the channels that are signalled when a partition's head rose. The
// list is replaced as a whole, so that waking takes no lock.
type watchers struct {
	mu   sync.Mutex // for changing the list
	list atomic.Pointer[[]*watcher]
}

// watcher is one registration; its address is its identity.
type watcher struct {
	wake chan<- struct{}
}

// add registers wake until cancel is called, once or more often.
func (w *watchers) add(wake chan<- struct{}) (cancel func()) {
	one := &watcher{wake}
	w.change(func(list []*watcher) []*watcher { return append(list, one) })
	return func() {
		w.change(func(list []*watcher) []*watcher {
			return slices.DeleteFunc(list, func(x *watcher) bool { return x == one })
		})
	}
}

func (w *watchers) change(edit func([]*watcher) []*watcher) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var list []*watcher
	if old := w.list.Load(); old != nil {
		list = slices.Clone(*old)
	}
	list = edit(list)
	w.list.Store(&list)
}

func (w *watchers) wake() {
	list := w.list.Load()
	if list == nil {
		return
	}
	for _, one := range *list {
		signal(one.wake)
	}
}
