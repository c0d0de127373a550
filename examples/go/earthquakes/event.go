package main

import "encoding/json"

// event is what the services need of one line of the input.
type event struct {
	ID        string  `json:"id"`
	Magnitude float64 `json:"magnitude"`
	Place     string  `json:"place"`
	Network   string  `json:"network"`
}

func parseEvent(line []byte) (event, error) {
	var e event
	err := json.Unmarshal(line, &e)
	return e, err
}
