package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"os"
)

// peerRequest is a line of the file of --peer.
type peerRequest struct {
	List string          // the name of one of the lists
	URL  string          // http, of this machine
	Body json.RawMessage // sent by POST; without one, the request is a GET
}

// readPeer reads a file of --peer, and returns the address of the server and its requests by list.
func readPeer(path string) (addr string, requests map[string][]*http.Request, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", nil, err
	}
	defer f.Close()
	requests = map[string][]*http.Request{}
	lines := json.NewDecoder(f)
	lines.DisallowUnknownFields()
	for n := 1; ; n++ {
		var p peerRequest
		if err := lines.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return "", nil, fmt.Errorf("%s, request %d: %w", path, n, err)
		}
		r, err := p.request(addr)
		if err != nil {
			return "", nil, fmt.Errorf("%s, request %d: %w", path, n, err)
		}
		addr, requests[p.List] = r.URL.Host, append(requests[p.List], r)
	}
	if addr == "" {
		return "", nil, fmt.Errorf("%s has no request: write one JSON object a line, with list, url and body", path)
	}
	return addr, requests, nil
}

// request returns the request of a line. All lines of a file name one server; addr is empty for the
// first one. The load may not leave this machine.
func (p peerRequest) request(addr string) (*http.Request, error) {
	to, err := url.Parse(p.URL)
	if err != nil {
		return nil, err
	}
	host, notAddress := netip.ParseAddr(to.Hostname())
	switch {
	case to.Scheme != "http" || to.Port() == "" || notAddress != nil || !host.IsLoopback():
		return nil, fmt.Errorf("%q is not an address of this machine: write http://127.0.0.1:PORT/PATH", p.URL)
	case addr != "" && to.Host != addr:
		return nil, fmt.Errorf("%q is another server than %s: write a file for each", p.URL, addr)
	case !isList(p.List):
		return nil, fmt.Errorf("there is no list %q: the lists are %s", p.List, listNames())
	case p.Body == nil:
		return http.NewRequest(http.MethodGet, p.URL, http.NoBody)
	}
	r, err := http.NewRequest(http.MethodPost, p.URL, bytes.NewReader(p.Body))
	if err == nil {
		r.Header.Set("Content-Type", "application/json")
	}
	return r, err
}

// measurePeer measures the service next to any other server of this machine, whose requests a file
// lists. Whether both show the same comments is for the author of the file to see: the first
// answers of both go to standard error.
func measurePeer(ctx context.Context, b *bench) error {
	if b.flags.Peer == "" {
		reportProgress("peer: left out: --peer names no file")
		return nil
	}
	addr, requests, err := readPeer(b.flags.Peer)
	if err != nil {
		return err
	}
	sets, err := dataSets(ctx, b.flags)
	if err != nil {
		return err
	}
	t, err := b.fill(ctx, sets[0])
	if err != nil {
		return err
	}
	ours, err := b.startService(ctx, "this", t.name, b.flags.Flags...)
	if err != nil {
		return err
	}
	peer := &server{name: "the peer", addr: addr}
	var places []*place
	var sides []*side
	for _, l := range lists {
		if len(requests[l.name]) == 0 {
			continue
		}
		var begin []*trail
		for _, p := range sets[0].products {
			begin = append(begin, newTrail([]*server{ours}, l, p.id))
		}
		p, err := visit(ctx, l, 1, begin)
		if err != nil {
			return err
		}
		other := &side{server: peer, name: peer.name, clients: clients, lists: make([][]exchange, 1)}
		for _, r := range requests[l.name] {
			wire, _, body, err := peer.ask(ctx, r)
			if err != nil {
				return fmt.Errorf("%s: %w", peer.name, err)
			}
			p.bytes[1] += len(body)
			other.lists[0] = append(other.lists[0], exchange{wire, bytes.Clone(dataOf(body))})
		}
		reportProgress("%s: this answers %.300s\n%s answers %.300s", l.name, p.sides[0].lists[0][0].data, peer.name, other.lists[0][0].data)
		p.sides[1] = other
		places, sides = append(places, p), append(sides, p.sides[:]...)
	}
	defer peer.walking.Close()
	if err := takeTurns(ctx, b.rounds(), sides...); err != nil {
		return err
	}
	b.line("Pages a second of %s comments, %d clients, and of %s at %s:", sets[0].name, clients, peer.name, addr)
	b.columns("comments | pages/s | the peer | ratio | p50 ms | the peer | p99 ms | the peer | answer, bytes | the peer")
	for _, p := range places {
		a, o := p.sides[0], p.sides[1]
		b.row("%s | %.0f | %.0f | %.2f | %.1f | %.1f | %.1f | %.1f | %d | %d", p.list.name, a.rate(), o.rate(), a.ratioTo(o),
			a.percentile(50), o.percentile(50), a.percentile(99), o.percentile(99), p.bytes[0]/p.pages, p.bytes[1]/len(o.lists[0]))
	}
	b.end()
	return nil
}
