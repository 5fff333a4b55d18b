package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"product-comments/internal/files/ndjson"
	"product-comments/internal/files/transfer"
	"product-comments/store"
	"product-comments/store/derive/stream"
	"product-comments/store/key"
)

const (
	bulk         = 12_000 // comments of an import
	bulkProducts = 8      // that they are about
	visitEvery   = 20 * time.Millisecond
)

// measureProjection imports comments in the order of time and in random order while a
// projector follows and a visitor reads pages.
func measureProjection(ctx context.Context, b *bench) error {
	var all []store.Comment
	n := b.flags.scaled(bulk)
	for i := range bulkProducts {
		all = append(all, newComments(fmt.Sprintf("b%d-", i), fmt.Sprintf("bulk-%d", i), n/bulkProducts)...)
	}
	slices.SortStableFunc(all, func(a, b store.Comment) int { return key.Compare(a.Position(), b.Position()) })
	b.line("%d comments of %d products are imported and projected, while a visitor reads first pages, one every %v:", len(all), bulkProducts, visitEvery)
	b.columns("order | import s | projected s | transactions | projector's calls a comment | its units a comment | pages | errors | page p50 ms | p90 | p99")
	for _, order := range []string{"time", "random"} {
		if order == "random" {
			rand.New(rand.NewPCG(5, 8)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		}
		reportProgress("importing in %s order", order)
		if err := b.projectBulk(ctx, order, all); err != nil {
			return err
		}
	}
	b.end()
	return nil
}

// projectBulk imports comments into a new table, and reports what that and their projection took.
func (b *bench) projectBulk(ctx context.Context, order string, all []store.Comment) error {
	name := "bulk." + order
	s, pay, err := b.newTable(ctx, name)
	if err != nil {
		return err
	}
	file := filepath.Join(b.dir, name+".ndjson")
	if err := writeFile(file, all); err != nil {
		return err
	}
	server, err := b.startService(ctx, name, name, b.flags.Flags...)
	if err != nil {
		return err
	}
	visits := &side{server: server}
	failed, done, visited := 0, atomic.Bool{}, make(chan struct{})
	go func() {
		defer close(visited)
		for n := 0; !done.Load() && ctx.Err() == nil; n++ {
			began := time.Now()
			if _, err := server.fetch(ctx, all[n%len(all)].ProductID, lists[0], pageSize, ""); err != nil {
				failed++
			}
			visits.latencies = append(visits.latencies, time.Since(began))
			time.Sleep(visitEvery - time.Since(began))
		}
	}()
	began, imported, did := time.Now(), time.Duration(0), int64(0)
	writer := store.New(b.engine, name, store.Options{})
	pay.take()
	err = project(ctx, b.engine, s, stream.Options{}, func(c *stream.Consumer) error {
		sum, err := transfer.Import(ctx, writer, []string{file}, transfer.Options{Rejects: os.DevNull})
		if imported = time.Since(began); err == nil && sum.Written != int64(len(all)) {
			err = fmt.Errorf("of %d comments: %s", len(all), sum)
		}
		err = errors.Join(err, c.Wait(ctx))
		did = c.Status().Transactions
		return err
	})
	took, spent, count := time.Since(began), pay.take(), float64(len(all))
	done.Store(true)
	<-visited
	if err != nil {
		return err
	}
	b.row("%s | %.1f | %.1f | %d | %.3f | %.2f | %d | %d | %.1f | %.1f | %.1f", order, imported.Seconds(), took.Seconds(), did, spent.calls/count, (spent.read+spent.transacted+spent.others)/count, len(visits.latencies), failed, visits.percentile(50), visits.percentile(90), visits.percentile(99))
	return b.stopServers()
}

// writeFile writes comments in the format of imports.
func writeFile(name string, all []store.Comment) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	for i := range all {
		_, _ = w.Write(ndjson.Append(nil, &all[i])) // Flush returns the error
	}
	return errors.Join(w.Flush(), f.Close())
}
