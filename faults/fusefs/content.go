package fusefs

import "maps"

const pageBytes = 4 << 10

// content is the bytes of a file, without those that were never written. Pages that
// two contents share are not written to.
type content struct {
	size  int64
	pages map[int64]*[pageBytes]byte
}

func newContent() *content { return &content{pages: map[int64]*[pageBytes]byte{}} }

// write puts data at an offset.
func (c *content) write(data []byte, offset int64) {
	c.size = max(c.size, offset+int64(len(data)))
	for len(data) > 0 {
		number, at := offset/pageBytes, offset%pageBytes
		page := c.pages[number]
		if page == nil {
			page = new([pageBytes]byte)
			c.pages[number] = page
		}
		n := copy(page[at:], data)
		data, offset = data[n:], offset+int64(n)
	}
}

// read fills dst from an offset on and says how much there was.
func (c *content) read(dst []byte, offset int64) int {
	if offset >= c.size {
		return 0
	}
	dst = dst[:min(int64(len(dst)), c.size-offset)]
	for at := 0; at < len(dst); {
		number, skip := (offset+int64(at))/pageBytes, (offset+int64(at))%pageBytes
		rest := dst[at:min(len(dst), at+int(pageBytes-skip))]
		if page := c.pages[number]; page != nil {
			copy(rest, page[skip:])
		} else {
			clear(rest)
		}
		at += len(rest)
	}
	return len(dst)
}

// resize cuts the content, or lengthens it with zeros.
func (c *content) resize(size int64) {
	if size < c.size {
		maps.DeleteFunc(c.pages, func(number int64, _ *[pageBytes]byte) bool { return number*pageBytes >= size })
		if page := c.pages[size/pageBytes]; page != nil {
			clear(page[size%pageBytes:])
		}
	}
	c.size = size
}

// bytes is the room that the content takes.
func (c *content) bytes() int64 { return int64(len(c.pages)) * pageBytes }
