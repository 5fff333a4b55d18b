package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"product-comments/store/stream"
)

// side is a server under load: its clients ask for their lists of pages again and
// again, each starting with another one. With fewer lists than clients, some
// clients have the same.
type side struct {
	*server
	name    string
	lists   [][]exchange
	clients int

	rates     []float64 // pages a second, round by round
	latencies []time.Duration
	cpu       time.Duration // of the server
}

// takeTurns lets sides follow each other closely, in every other round the other way
// round, since a machine is faster in one second than in another.
func takeTurns(ctx context.Context, rounds int, sides ...*side) error {
	for range rounds {
		for _, s := range sides {
			if err := s.run(ctx); err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
		}
		sides = slices.Clone(sides)
		slices.Reverse(sides)
	}
	return nil
}

// run is one round. Every answer is read, and compared with the first.
func (s *side) run(ctx context.Context) error {
	connections := make([]*connection, s.clients)
	ask := func(client, n int) error {
		pages := s.lists[client%len(s.lists)]
		e := pages[(client+n)%len(pages)]
		_, body, err := connections[client].send(e.request)
		if err == nil && !bytes.Equal(dataOf(body), e.data) {
			err = fmt.Errorf("the answer is not what it was: %.300s", body)
		}
		return err
	}
	for i := range connections {
		var err error
		if connections[i], err = dial(ctx, s.addr); err != nil {
			return err
		}
		defer connections[i].Close()
		if err := ask(i, 0); err != nil { // one that is not counted
			return err
		}
	}
	each := make([][]time.Duration, s.clients)
	group, groupCtx := errgroup.WithContext(ctx)
	used, start := processorTime(s.PID()), time.Now()
	for i := range connections {
		group.Go(func() error {
			for now := time.Now(); now.Sub(start) < roundTime; {
				if err := errors.Join(groupCtx.Err(), ask(i, len(each[i])+1)); err != nil {
					return err
				}
				then := now
				now = time.Now()
				each[i] = append(each[i], now.Sub(then))
			}
			return nil
		})
	}
	err := group.Wait()
	done := slices.Concat(each...)
	s.rates = append(s.rates, float64(len(done))/time.Since(start).Seconds())
	s.cpu += processorTime(s.PID()) - used
	s.latencies = append(s.latencies, done...)
	return err
}

// rate is the median of its rounds.
func (s *side) rate() float64 { return median(s.rates) }

// ratioTo is its rate ratioTo that of another: the median over the rounds, each of which
// compares two neighbours in time.
func (s *side) ratioTo(other *side) float64 {
	ratios := slices.Clone(s.rates)
	for i, rate := range other.rates {
		ratios[i] /= rate
	}
	return median(ratios)
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// percentile is one of the latencies, in milliseconds.
func (s *side) percentile(percent int) float64 {
	all := slices.Sorted(slices.Values(s.latencies))
	return float64(all[len(all)*percent/100]) / float64(time.Millisecond)
}

// cpuPerPage is in microseconds.
func (s *side) cpuPerPage() float64 { return float64(s.cpu.Microseconds()) / float64(len(s.latencies)) }

// tick is the unit of /proc/PID/stat, which Linux fixes for programs.
const tick = 10 * time.Millisecond

// processorTime returns what a running process used so far; 0 where the system does not
// tell.
func processorTime(pid int) time.Duration {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	// The name, in parentheses, may hold spaces. After it the state is field 3.
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.ParseInt(fields[11], 10, 64)
	system, _ := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * tick
}

const (
	formsAlone    = 100  // comments that come one by one
	formsTogether = 1000 // comments that come at once
	kinds         = 21   // by then every kind of comment was there once
)

// measureForms writes the same comments to a product as it is, and to one with
// a power set, and reads pages of both. No text is packed, so that the server
// of part 3 can read the first one, too.
func measureForms(ctx context.Context, b *bench) error {
	const indexes, power = "indexes", "power set"
	set := newSet("forms", newComments("f", productID, formsAlone+formsTogether), 1)
	b.line("A product as it is, and one with a power set, texts not packed; write units a comment:")
	b.columns("form | the comment | projector, a comment alone | projector, 1000 together")
	for _, form := range []string{indexes, power} {
		reportProgress("forms: %s", form)
		if err := b.writeForm(ctx, form, tableOf(form), form == power, set.products[0]); err != nil {
			return err
		}
	}
	b.end()
	plain := &filled{name: tableOf(indexes)}
	return b.units(ctx, set, &tables{plain, plain}, []string{power, indexes}, tableOf(power), plain.name)
}

func tableOf(form string) string { return "form." + form[:5] }

// writeForm writes the comments of a product, and reports what that costs.
func (b *bench) writeForm(ctx context.Context, form, table string, powerSet bool, p product) error {
	s, pay, err := b.newTable(ctx, table)
	if err != nil {
		return err
	}
	err = b.project(ctx, s, stream.Options{Poll: 5 * time.Millisecond}, func(c *stream.Consumer) error {
		for i := range formsAlone {
			if _, err := s.Import(ctx, p.comments[i:i+1]); err != nil {
				return err
			}
			if i == 0 && powerSet { // the product must be there
				if err := s.PowerSets().Enable(ctx, p.id, nil); err != nil {
					return err
				}
			}
			if err := c.Wait(ctx); err != nil {
				return err
			}
			if i == kinds-1 {
				pay.take()
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	alone := pay.take()
	if _, err := s.Import(ctx, p.comments[formsAlone:]); err != nil {
		return err
	}
	err = b.project(ctx, s, stream.Options{}, func(c *stream.Consumer) error { return c.Wait(ctx) })
	b.row("%s | %.2f | %.2f | %.2f", form, alone.comments/(formsAlone-kinds), alone.transacted/(formsAlone-kinds), pay.take().transacted/formsTogether)
	return err
}
