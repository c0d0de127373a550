package main

// javaSource is where the Java client is.
const javaSource = "sdk/java/headrace-client/src/main/java/"

var javaMutants = []mutant{
	{
		language: "java", place: "credit", name: "one message more is asked for than was set",
		file:      javaSource + "io/headrace/Credit.java",
		old:       ".setMessages(told.messages)",
		new:       ".setMessages(told.messages + 1)",
		scenarios: []string{"credit-window-walk"},
	},
	{
		language: "java", place: "window", name: "of a new size the bytes are left out",
		file:      javaSource + "io/headrace/Credit.java",
		old:       "SubscribeRequest.newBuilder().setWindow(windowFrame())",
		new:       "SubscribeRequest.newBuilder().setWindow(windowFrame().clearBytes())",
		scenarios: []string{"credit-resized"},
	},
	{
		language: "java", place: "settle numbers", name: "extends leave out a number",
		file:      javaSource + "io/headrace/Settles.java",
		old:       "SubscribeRequest.Extend.newBuilder().setNumber(++number)",
		new:       "SubscribeRequest.Extend.newBuilder().setNumber(number += 2)",
		scenarios: []string{"lease-extended"},
	},
	{
		language: "java", place: "resume", name: "what is held is not named",
		file:      javaSource + "io/headrace/Session.java",
		old:       "    Ranges.frames(sequences(held.values())).stream().limit(1).forEach(resume::addAllHolding);\n",
		new:       "",
		scenarios: []string{"resume-keeps-held"},
	},
	{
		language: "java", place: "extension", name: "leases are extended when they are over",
		file:      javaSource + "io/headrace/Session.java",
		old:       "EXTEND_PART = 3;",
		new:       "EXTEND_PART = 1;",
		scenarios: []string{"lease-extended"},
	},
	{
		language: "java", place: "key order", name: "behind a failure the next one begins at once",
		file:      javaSource + "io/headrace/Workers.java",
		old:       "if (delivery.acked || delivery.ended) {",
		new:       "if (true) {",
		scenarios: []string{"key-order"},
	},
}
