// Package headraceotel makes traces and metrics of what a client of package headrace
// publishes and works on, for OpenTelemetry:
//
//	c, err := headrace.Dial(ctx, addr, headrace.WithObserver(headraceotel.New()))
//
// Each message that is published has a span "send <topic>" of kind producer, from the call
// to its result, which a message carries on in its attributes "traceparent" and
// "tracestate". Each delivery that is worked on has a span "process <subscription>" of
// kind consumer, which is linked to the message's; it is a trace of its own, or belongs to
// that of the context of Receive. The handler's context has it.
//
// The metrics are those of the conventions for messaging:
//
//	messaging.client.sent.messages       {message}  published, with error.type if that failed
//	messaging.client.operation.duration  s          from the call to the result
//	messaging.client.consumed.messages   {message}  worked on
//	messaging.process.duration           s          of work on a delivery, with error.type if it failed
//
// Without [WithTracerProvider] and [WithMeterProvider] the global ones are used. A message
// that has 100 attributes already, the most it may have, carries no trace. A program that
// does not import this package has nothing of OpenTelemetry.
package headraceotel
