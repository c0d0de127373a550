package mutants

// redrivenFaults are faults in letting redriven messages of a key go first.
var redrivenFaults = []mutant{
	{
		name: "a key does not wait for what was redriven of it",
		file: "redriven.go",
		old:  "return s.redriven != nil && p != s.redriven && s.keys.byID[keyID{s.redriven, hash}] != nil",
		new:  "return false",
	},
	{
		name: "a key goes on before it is known what was redriven",
		file: "redriven.go",
		old:  "return s.redriven != nil && s.redriven.fresh() > 0 && !s.keys.blocked",
		new:  "return false",
	},
	{
		name: "what was redriven does not wait for what is out of its key",
		file: "redriven.go",
		old:  "turn = turn && len(younger.out) == 0",
		new:  "turn = turn || younger == nil",
	},
	{
		name: "what was redriven waits for ever for what was out",
		file: "redriven.go",
		old:  "elder != nil && len(k.out) == 0",
		new:  "elder != nil && len(k.out) < 0",
	},
	{
		name: "a key waits for ever for what was redriven of it",
		file: "redriven.go",
		old:  "k.id.p == s.redriven && s.keys.byID[k.id] == nil",
		new:  "k.id.p == nil",
	},
	{
		name: "what is next of a key stays in line when something is redriven",
		file: "keys.go",
		old:  "|| k.parked || s.yields(k.id.p, k.id.hash)",
		new:  "|| k.parked",
	},
}
