package main

import (
	"fmt"
	"slices"

	"github.com/alecthomas/kong"
)

// flagsTable lists what can be changed, and what it is.
func (c *config) flagsTable() (string, error) {
	shown := *c
	parser, err := kong.New(&shown)
	if err != nil {
		return "", err
	}
	t := table{columns: []string{"flag", "value", ""}, left: "a-a"}
	for _, f := range parser.Model.Flags {
		if slices.Contains([]string{"help", "write"}, f.Name) {
			continue
		}
		value := fmt.Sprint(f.Target.Interface())
		if x, ok := f.Target.Interface().(float64); ok {
			value = figure(x)
		}
		t.row("`--"+f.Name+"`", value, f.Help)
	}
	return t.String(), nil
}
