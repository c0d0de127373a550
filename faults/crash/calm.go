package crash

import (
	"bufio"
	"io"
	"sync/atomic"
)

// calm says whether a campaign drains: then clients ack all that comes, as fast as they
// can, and break nothing. The zero value is one in which it does not yet.
type calm struct{ atomic.Bool }

// follow waits until its harness ends the input; from the first line on it is calm.
func (c *calm) follow(input io.Reader) {
	for lines := bufio.NewScanner(input); lines.Scan(); {
		c.Store(true)
	}
}
