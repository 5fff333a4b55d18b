package main

import "testing"

func TestNewSpot(t *testing.T) {
	walks := make([][stretch][2]visited, 2)
	for client := range walks {
		for i := range walks[client] {
			walks[client][i] = [2]visited{
				{exchange{request: []byte{byte(client), byte(i)}}, 1, 50 + i, 100},
				{exchange{}, 2, 170, 200 + 2*client},
			}
		}
	}
	s := newSpot(500, walks)
	ours, other := s.sides[0], s.sides[1]
	if s.page != 500 || ours.units != 1 || ours.cursor != 50+stretch-1 || ours.bytes != 100 || other.units != 2 || other.bytes != 201 {
		t.Errorf("page %d, ours %g units, %d characters, %d bytes; %g units, %d bytes", s.page, ours.units, ours.cursor, ours.bytes, other.units, other.bytes)
	}
	if len(ours.exchanges) != 2 || len(ours.exchanges[1]) != stretch || string(ours.exchanges[1][3].request) != "\x01\x03" {
		t.Error("the second client's fourth request is another one")
	}
}
