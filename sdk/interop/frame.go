package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"iter"
	"os"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"google.golang.org/protobuf/proto"
)

// lengthBytes stand before each message of a file.
const lengthBytes = 4

// writeMessages makes a file of messages.
func writeMessages(path string, messages iter.Seq[*headracev1.Message]) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(file)
	for m := range messages {
		encoded, err := proto.Marshal(m)
		if err != nil {
			return errors.Join(err, file.Close())
		}
		_ = binary.Write(w, binary.BigEndian, uint32(len(encoded))) // an error stays until Flush
		_, _ = w.Write(encoded)
	}
	return errors.Join(w.Flush(), file.Close())
}

// readMessages yields the messages of a file. An error is the last element.
func readMessages(path string) iter.Seq2[*headracev1.Message, error] {
	return func(yield func(*headracev1.Message, error) bool) {
		file, err := os.Open(path)
		if err != nil {
			yield(nil, err)
			return
		}
		defer func() { _ = file.Close() }()
		r := bufio.NewReader(file)
		for {
			m, err := readMessage(r)
			if errors.Is(err, io.EOF) {
				return
			}
			if !yield(m, err) || err != nil {
				return
			}
		}
	}
}

func readMessage(r io.Reader) (*headracev1.Message, error) {
	var length [lengthBytes]byte
	if _, err := io.ReadFull(r, length[:]); err != nil {
		return nil, err
	}
	encoded := make([]byte, binary.BigEndian.Uint32(length[:]))
	if _, err := io.ReadFull(r, encoded); err != nil {
		return nil, errors.Join(errors.New("a message is cut off"), err)
	}
	m := &headracev1.Message{}
	return m, proto.Unmarshal(encoded, m)
}
