package main

import "slices"

// role is a service that the demo starts as a process of its own.
type role struct {
	// name is the process's, program what it runs, language what that is written in.
	name, program, language string
	// subscription is where it receives from.
	subscription string
}

// cast are the roles of the story.
type cast []role

// whole is everybody, if all languages are there.
var whole = cast{
	{"alerting", "alerting", goLanguage, alertingSub},
	{"archiver", "archiver", goLanguage, archiveSub},
	{"worker-1", "worker", goLanguage, indexSub},
	{"worker-2", "worker", goLanguage, indexSub},
	{"census", "census", javaLanguage, censusSub},
	{"digest", "digest", pythonLanguage, digestSub},
}

// in are the roles that are written in one of these languages.
func (c cast) in(spoken func(language string) bool) cast {
	return slices.DeleteFunc(slices.Clone(c), func(r role) bool { return !spoken(r.language) })
}

// of are the roles that receive from a subscription.
func (c cast) of(subscription string) cast {
	return slices.DeleteFunc(slices.Clone(c), func(r role) bool { return r.subscription != subscription })
}

// subscriptions are those that somebody receives from, in the order of the table.
func (c cast) subscriptions() []string {
	var names []string
	for _, r := range c {
		if !slices.Contains(names, r.subscription) {
			names = append(names, r.subscription)
		}
	}
	return names
}
