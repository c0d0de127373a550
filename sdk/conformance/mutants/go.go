package main

var goMutants = []mutant{
	{
		language: "go", place: "credit", name: "a session that is taken up asks for no credit",
		file:      "sdk/go/receiver_open.go",
		old:       "open.Resume = r.ledger.resume(r.session.id)",
		new:       "open.Resume, open.Window = r.ledger.resume(r.session.id), nil",
		scenarios: []string{"resume-keeps-held"},
	},
	{
		language: "go", place: "window", name: "a resize is not sent",
		file:      "sdk/go/window.go",
		old:       "	return &headracev1.SubscribeRequest{Frame: &headracev1.SubscribeRequest_Window_{Window: size.contract()}}\n",
		new:       "	return nil\n",
		scenarios: []string{"credit-resized"},
	},
	{
		language: "go", place: "settle numbers", name: "extends have no number of their own",
		file:      "sdk/go/ledger_stream.go",
		old:       "extendFrame(l.confirms.next(), ",
		new:       "extendFrame(max(1, l.confirms.number), ",
		scenarios: []string{"lease-extended"},
	},
	{
		language: "go", place: "resume", name: "settles that are not confirmed are not sent again",
		file:      "sdk/go/resume.go",
		old:       "	l.confirms.sendAgain()\n",
		new:       "",
		scenarios: []string{"resend-settles"},
	},
	{
		language: "go", place: "extension", name: "leases are not extended",
		file:      "sdk/go/leases.go",
		old:       "case l.anew, due <= at+c.lease/gatherShare:",
		new:       "case false:",
		scenarios: []string{"lease-extended"},
	},
	{
		language: "go", place: "key order", name: "handlers of one key run at the same time",
		file:      "sdk/go/key_line.go",
		old:       "return l.stops > 0 || k.alone && l.works > 0",
		new:       "return false",
		scenarios: []string{"key-order"},
	},
}
