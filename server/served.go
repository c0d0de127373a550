package server

import (
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

// notServedFields are the fields that the contract has and this server does not
// serve: set, they are NOT_SERVED. Those of Message are the walker's business. A
// scalar counts as set when it is not zero.
var notServedFields = names(
	"SubscribeRequest.Open.partitions",
	"Topic.spread",
	"Subscription.filter",
)

// notServedValues are the enum values that this server does not serve.
var notServedValues = names(
	"DURABILITY_REPLICATED",
)

// openEnums are the fields that may hold any number: announcing what one can do
// is never refused.
var openEnums = names("SubscribeRequest.Open.features")

func names(local ...string) map[protoreflect.FullName]bool {
	set := make(map[protoreflect.FullName]bool, len(local))
	for _, name := range local {
		set[protoreflect.FullName("headrace.v1."+name)] = true
	}
	return set
}

// checkServed refuses what is set in m and known, but not served, and enum values
// that are not known. Fields that the contract does not have are skipped, as
// Protobuf does.
func checkServed(m proto.Message) error { return checkMessage("", m.ProtoReflect()) }

// checkMessage checks the message at a path, which is empty or ends in a dot.
func checkMessage(path string, m protoreflect.Message) error {
	if !watched[m.Descriptor().FullName()] {
		return nil
	}
	var err error
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		err = checkField(path+string(fd.Name()), fd, v)
		return err == nil
	})
	return err
}

func checkField(path string, fd protoreflect.FieldDescriptor, v protoreflect.Value) error {
	switch {
	case notServedFields[fd.FullName()] && !isZero(fd, v):
		return notServed(path)
	case fd.IsMap() || openEnums[fd.FullName()]:
		return nil
	case fd.IsList():
		return checkList(path, fd, v.List())
	case fd.Message() != nil:
		return checkMessage(path+".", v.Message())
	case fd.Enum() != nil:
		return checkEnum(path, fd.Enum(), v.Enum())
	}
	return nil
}

func checkList(path string, fd protoreflect.FieldDescriptor, list protoreflect.List) error {
	if fd.Message() == nil || !watched[fd.Message().FullName()] {
		return nil
	}
	for i := range list.Len() {
		if err := checkMessage(path+".", list.Get(i).Message()); err != nil {
			return err
		}
	}
	return nil
}

func checkEnum(path string, ed protoreflect.EnumDescriptor, n protoreflect.EnumNumber) error {
	value := ed.Values().ByNumber(n)
	switch {
	case value == nil:
		return invalidField(path, "a value of "+string(ed.Name()))
	case notServedValues[value.FullName()]:
		return notServed(path)
	}
	return nil
}

// isZero says whether a scalar that is present holds its zero value.
func isZero(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
	return !fd.IsList() && fd.Message() == nil && v.Equal(fd.Default())
}

// watched are the messages that hold, at any depth, something that checkServed
// looks at, so that it never walks the ranges of a settle.
var watched = watch(
	(*headracev1.PublishStreamRequest_Open)(nil),
	(*headracev1.SubscribeRequest)(nil),
	(*headracev1.Topic)(nil),
	(*headracev1.Subscription)(nil),
)

func watch(roots ...proto.Message) map[protoreflect.FullName]bool {
	found := map[protoreflect.FullName]bool{}
	for _, root := range roots {
		watchMessage(found, root.ProtoReflect().Descriptor())
	}
	return found
}

// watchMessage notes whether a message and those in it are to be looked at. The
// contract has no message that contains itself.
func watchMessage(found map[protoreflect.FullName]bool, md protoreflect.MessageDescriptor) bool {
	watchable := false
	for i := range md.Fields().Len() {
		fd := md.Fields().Get(i)
		inside := fd.Message() != nil && watchMessage(found, fd.Message())
		watchable = watchable || inside || fd.Enum() != nil || notServedFields[fd.FullName()]
	}
	found[md.FullName()] = watchable
	return watchable
}
