package badgerlog

import (
	"errors"
	"testing"
	"testing/synctest"
)

// TestTrapBadgersWriterGoesOnAfterItsErrors: it is held where it logs them, or its
// write-ahead log would point to values that are not on the disk.
func TestTrapBadgersWriterGoesOnAfterItsErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for format, want := range map[string]bool{
			"Error while curlf sync: %v\n": true, "writeRequests: %v": true, "error flushing memtable to disk: %v, retrying": false,
		} {
			l := newBadgerLogger(testOptions("").Logger, newFailStop(testOptions("").Logger))
			back := make(chan struct{})
			go func() {
				l.Errorf(format, errors.New("input/output error"))
				close(back)
			}()
			synctest.Wait()
			if closed(back) == want || closed(l.holds) != want || !closed(l.stop.failed) {
				t.Errorf("%q: went on: %t, failed: %t", format, closed(back), closed(l.stop.failed))
			}
			close(l.held)
			<-back
		}
	})
}
