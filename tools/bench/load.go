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

	"product-comments/store/derive/stream"
)

// side is a server under load: each client requests the pages of a list repeatedly, starting at a
// different page. If there are fewer lists than clients, clients share lists.
type side struct {
	*server
	name    string
	lists   [][]exchange
	clients int

	rates     []float64 // pages a second, round by round
	latencies []time.Duration
	cpu       time.Duration // of the server
}

// takeTurns runs rounds of all sides one after the other, in alternating order, because a
// machine's speed varies over time.
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

// run runs one round. Every answer is compared with the first one.
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
		if err := ask(i, 0); err != nil { // a warm-up request
			return err
		}
	}
	each := make([][]time.Duration, s.clients)
	group, groupCtx := errgroup.WithContext(ctx)
	used, start := s.processorTime(), time.Now()
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
	s.cpu += s.processorTime() - used
	s.latencies = append(s.latencies, done...)
	return err
}

// rate returns the median of the rounds.
func (s *side) rate() float64 { return median(s.rates) }

// ratioTo returns the ratio of the rate to another side's: the median over the rounds, each of
// which compares neighbours in time.
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

// percentile returns a percentile of the latencies, in milliseconds.
func (s *side) percentile(percent int) float64 {
	all := slices.Sorted(slices.Values(s.latencies))
	return float64(all[len(all)*percent/100]) / float64(time.Millisecond)
}

// cpuPerPage returns microseconds.
func (s *side) cpuPerPage() float64 { return float64(s.cpu.Microseconds()) / float64(len(s.latencies)) }

// tick is the unit of /proc/PID/stat, which Linux fixes for programs.
const tick = 10 * time.Millisecond

// processorTime returns the processor time of a running server; 0 if the system does not report
// it, or another program started the server.
func (s *server) processorTime() time.Duration {
	if s.Process == nil {
		return 0
	}
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.PID()))
	// The name, in parentheses, may contain spaces. The state after it is field 3.
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.ParseInt(fields[11], 10, 64)
	system, _ := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * tick
}

const (
	formsAlone    = 100  // comments that are projected one at a time
	formsTogether = 1000 // comments that are projected together
	kinds         = 21   // the first comments include every combination of rating and language
)

// measureForms writes the same comments to a product without and to one with a power set, and
// reads pages of both.
func measureForms(ctx context.Context, b *bench) error {
	const indexes, power = "indexes", "power set"
	set := newSet("forms", newComments("f", productID, formsAlone+formsTogether), 1)
	b.line("A product as it is, and one with a power set, write units a comment:")
	b.columns("form | the comment | projector, a comment alone | projector, 1000 together")
	for _, form := range []string{indexes, power} {
		reportProgress("forms: %s", form)
		if err := b.writeForm(ctx, form, tableOf(form), form == power, set.products[0]); err != nil {
			return err
		}
	}
	b.end()
	return b.units(ctx, set, []string{power, indexes}, tableOf(power), tableOf(indexes))
}

func tableOf(form string) string { return "form." + form[:5] }

// writeForm writes the comments of a product, and reports the write units.
func (b *bench) writeForm(ctx context.Context, form, table string, powerSet bool, p product) error {
	s, pay, err := b.newTable(ctx, table)
	if err != nil {
		return err
	}
	err = project(ctx, b.engine, s, stream.Options{Poll: 5 * time.Millisecond}, func(c *stream.Consumer) error {
		for i := range formsAlone {
			if _, err := s.Import(ctx, p.comments[i:i+1]); err != nil {
				return err
			}
			if i == 0 && powerSet { // the product must have a comment
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
	err = project(ctx, b.engine, s, stream.Options{}, func(c *stream.Consumer) error { return c.Wait(ctx) })
	b.row("%s | %.2f | %.2f | %.2f", form, alone.comments/(formsAlone-kinds), alone.transacted/(formsAlone-kinds),
		pay.take().transacted/formsTogether)
	return err
}
