package shardlog_test

import (
	"testing"

	"github.com/headrace/headrace/storage/storagetest"
)

func TestStoreOnMemory(t *testing.T) {
	storagetest.RunStoreSuite(t, func(testing.TB) storagetest.StoreHome { return storagetest.MemoryHome() })
}
