package mutants

// dropped are faults in taking away what is not settled.
var dropped = []mutant{
	{
		name: "what was settled before counts as dropped",
		file: "drop.go",
		old:  "n := below - p.floor - p.settledIn(p.floor, below-1)",
		new:  "n := below - p.floor",
	},
	{
		name: "a drop stops one short",
		file: "drop.go",
		old:  "Last: below - 1})",
		new:  "Last: max(below-1, p.floor+1) - 1})",
	},
	{
		name: "a drop may go past the head",
		file: "drop.go",
		old:  "min(e.Below, p.head)",
		new:  "e.Below",
	},
	{
		name: "what is dropped is counted for the other cause",
		file: "drop.go",
		old:  "e.Cause == ByRetention",
		new:  "e.Cause != ByRetention",
	},
	{
		name: "a burial passes over what was set aside",
		file: "bury.go",
		old:  "return m.p != p || m.again || p.settled(m.first)",
		new:  "return true",
	},
	{
		name: "a burial does not move on",
		file: "bury.go",
		old:  "		p.take(n)\n		left -= n",
		new:  "		p.take(max(n, 2) - 1)\n		left -= n",
	},
}
