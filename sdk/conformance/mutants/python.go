package main

// pythonSource is where the Python client is.
const pythonSource = "sdk/python/src/headrace/"

var pythonMutants = []mutant{
	{
		language: "python", place: "credit", name: "no bound in bytes is asked for",
		file:      pythonSource + "_receiver.py",
		old:       "frame.window.messages, frame.window.bytes = self._size",
		new:       "frame.window.messages = self._size[0]",
		scenarios: []string{"credit-window-walk"},
	},
	{
		language: "python", place: "window", name: "by hand, a window that shrinks takes nothing back",
		file:      pythonSource + "_credit.py",
		old:       "if granted == self._granted:",
		new:       "if granted <= self._granted:",
		scenarios: []string{"credit-by-hand-resized"},
	},
	{
		language: "python", place: "settle numbers", name: "extends have no number of their own",
		file:      pythonSource + "_settles.py",
		old:       "self._number += 1",
		new:       "self._number += 1 if settles else 0",
		scenarios: []string{"lease-extended"},
	},
	{
		language: "python", place: "resume", name: "what a handler has begun is not named",
		file:      pythonSource + "_session.py",
		old:       "holding=to_ranges(self.held)",
		new:       "holding=to_ranges(s for s, d in self.held.items() if d.started_at is None)",
		scenarios: []string{"resume-keeps-held"},
	},
	{
		language: "python", place: "extension", name: "leases are extended for ever",
		file:      pythonSource + "_session.py",
		old:       "        if self._max_extension is not None:\n            return self._max_extension\n",
		new:       "",
		scenarios: []string{"lease-extension-ends"},
	},
	{
		language: "python", place: "key order", name: "what is revoked is not taken away",
		file:      pythonSource + "_receiver.py",
		old:       "self._cancel(self._session.revoked(frame.revoked))",
		new:       "pass",
		scenarios: []string{"head-retried"},
	},
}
