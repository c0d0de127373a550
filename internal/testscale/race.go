//go:build race

package testscale

const underRace = true
