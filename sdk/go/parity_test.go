package headrace

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

const (
	callsFile    = "../calls.tsv"
	defaultsFile = "../defaults.tsv"
	parityDoc    = "../../docs/sdks.md"
)

// notForPrograms are the calls that no SDK offers: the server's operator has them on the
// command line, and tests by what their SDK brings for tests.
var notForPrograms = []protoreflect.FullName{"headrace.v1.AdminService", "headrace.v1.TestControlService"}

// table reads the rows of a file that all SDKs share, without its head.
func table(t *testing.T, file string) (rows [][]string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "#") {
			rows = append(rows, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
		}
	}
	return rows[1:]
}

// Every call of the contract has a row, so that none is missing in an SDK.
func TestEveryCallOfTheContractHasARow(t *testing.T) {
	var rows strings.Builder
	for _, row := range table(t, callsFile) {
		rows.WriteString(row[0] + ", ")
	}
	protoregistry.GlobalFiles.RangeFilesByPackage(headracev1.File_headrace_v1_topic_proto.Package(), func(f protoreflect.FileDescriptor) bool {
		for i := range f.Services().Len() {
			service := f.Services().Get(i)
			if service.FullName() == notForPrograms[0] || service.FullName() == notForPrograms[1] {
				continue
			}
			for j := range service.Methods().Len() {
				name := fmt.Sprintf("%s.%s, ", service.Name(), service.Methods().Get(j).Name())
				if !strings.Contains(rows.String(), name) {
					t.Errorf("%s has no %s", callsFile, name)
				}
			}
		}
		return true
	})
}

func TestEveryCallHasItsNameInGo(t *testing.T) {
	types := map[string]reflect.Type{}
	for _, of := range []any{&Client{}, &Topic{}, &Topics{}, &Subscription{}, &Subscriptions{}, &Window{}} {
		types[reflect.TypeOf(of).Elem().Name()] = reflect.TypeOf(of)
	}
	for _, row := range table(t, callsFile) {
		name, method, _ := strings.Cut(row[1], ".")
		if types[name] == nil {
			t.Errorf("%s: there is no type %s", row[0], name)
			continue
		}
		if _, found := types[name].MethodByName(method); !found {
			t.Errorf("%s: there is no %s", row[0], row[1])
		}
	}
}

func TestDefaultsAreThoseOfEverySDK(t *testing.T) {
	dial, receive := newDialConfig(nil), newReceiveConfig(nil)
	windowMessages, windowBytes := receive.window.Size()
	own := map[string]any{
		"concurrency": receive.concurrency, "window_messages": windowMessages, "window_bytes": windowBytes,
		"drain_timeout": receive.drainTimeout, "connect_timeout": dial.connectTimeout, "close_timeout": dial.closeTimeout,
		"batch_messages": dial.outbox.batchMessages, "batch_bytes": dial.outbox.batchBytes, "batch_delay": dial.outbox.batchDelay,
		"buffer_messages": dial.outbox.bufferMessages, "buffer_bytes": dial.outbox.bufferBytes,
		"settle_messages": settleMessages, "settle_delay": settleDelay,
	}
	got, want := map[string]string{}, map[string]string{}
	for name, value := range own {
		if d, ok := value.(time.Duration); ok {
			value = d.Milliseconds()
		}
		got[name] = fmt.Sprint(value)
	}
	for _, row := range table(t, defaultsFile) {
		want[row[0]] = row[2]
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("the defaults (+) are not those of %s (-):\n%s", defaultsFile, d)
	}
}

// The document shows both files whole.
func TestDocumentShowsWhatTheSDKsShare(t *testing.T) {
	text, err := os.ReadFile(parityDoc)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{callsFile, defaultsFile} {
		for _, row := range table(t, file) {
			for i, cell := range row[1:] {
				row[i+1] = cellOf(cell)
			}
			if line := "| " + strings.Join(row, " | ") + " |\n"; !strings.Contains(string(text), line) {
				t.Errorf("%s has no line\n%s", parityDoc, line)
			}
		}
	}
}

// cellOf is how the document shows a cell: names as code, words and numbers as they are.
func cellOf(cell string) string {
	if cell == strings.ToLower(cell) && !strings.Contains(cell, "_") {
		return cell
	}
	return "`" + cell + "`"
}
