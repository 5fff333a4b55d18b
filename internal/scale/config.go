package main

import (
	"errors"
	"time"
)

// limits are those of DynamoDB's partitions. How split for heat decides is not
// published; what stands here for it is an assumption.
type limits struct {
	ReadLimit      float64       `help:"Read units a second of a partition." default:"3000"`
	WriteLimit     float64       `help:"Write units a second of a partition." default:"1000"`
	PartitionGB    float64       `help:"Size at which a partition is split." default:"10"`
	Burst          time.Duration `help:"For how long a partition keeps what it did not spend; 0 for not at all." default:"300s"`
	Partitions     int           `help:"Partitions of the table, and of each index, when they are new." default:"4"`
	WarmPartitions int           `help:"The same after pre-warming." default:"16"`
	HeatMinutes    int           `help:"Minutes near a limit after which a partition is split for heat." default:"5"`
	HeatAt         float64       `help:"How near to the limit that is." default:"0.8"`
}

// traffic is what the scenarios ask for.
type traffic struct {
	BigProduct  float64       `help:"Comments of the big product." default:"10e6"`
	Views       float64       `help:"Page views a second on one product." default:"20000"`
	FirstPage   float64       `help:"Share of page views that show the first page without a filter." default:"0.7"`
	DeepPages   float64       `help:"Share that show a deeper page without a filter; the rest is filtered." default:"0.1"`
	Deepest     int           `help:"The deepest page that anybody asks for." default:"500"`
	Servers     int           `help:"Servers of the API." default:"20"`
	Latency     time.Duration `help:"Of a query; as long, identical reads in flight are shared." default:"5ms"`
	PageCache   time.Duration `help:"For how long a server keeps a page." default:"1s"`
	CountsCache time.Duration `help:"For how long a server keeps counts, where it does." default:"1s"`
	MaxAge      time.Duration `help:"For how long the CDN keeps an answer (--cache-max-age of the service)." default:"5s"`
	Edges       int           `help:"Caches of the CDN that ask the servers, each for itself." default:"30"`
	Cacheable   float64       `help:"Share of page views that the CDN may answer: persisted queries by GET." default:"0.9"`
	Campaign    float64       `help:"Comments a second of the campaign." default:"5000"`
	Products    int           `help:"Products that it is about." default:"10000"`
	Skew        float64       `help:"Exponent of Zipf's law for products, and for deep pages." default:"1"`
	Boards      int           `help:"Partition keys to divide the leaderboard among." default:"8"`
	Transaction time.Duration `help:"Time of one round of the projector: read, then write a transaction." default:"50ms"`
	Groups      int           `help:"Groups of products with checkpoints of their own, where there are such." default:"16"`
}

// units are what requests cost.
type units struct {
	PageUnits  float64 `help:"Read units of a page from one partition, with packed texts." default:"1"`
	MergeUnits float64 `help:"Read units of each partition that a page is merged from." default:"0.65"`
	PlainUnits float64 `help:"Read units of a page from one partition without packed texts, which a resolver cannot read." default:"1.5"`
	CountUnits float64 `help:"Read units of a product's counts." default:"0.5"`
	EntryUnits float64 `help:"Write units of a comment in the table, and in each index." default:"1"`
	AloneUnits float64 `help:"Write units of the projector for a comment that comes alone." default:"7.9"`
	CopyUnits  float64 `help:"Write units of a comment's 32 copies." default:"64"`
	TextBytes  int     `help:"Text of a comment as it is packed, in the table and in each index." default:"180"`
}

// month is a month of a large shop.
type month struct {
	MonthViews    float64 `help:"Page views a month." default:"1e9"`
	MonthComments float64 `help:"New comments a month." default:"5e6"`
	Stored        float64 `help:"Comments that are stored." default:"40e6"`
	Peak          float64 `help:"The busiest second by the average one: how many servers there must be." default:"10"`
	ServerViews   float64 `help:"Page views a second that one server carries." default:"1000"`
	AnswerKB      float64 `help:"An answer as it is sent, compressed." default:"4"`
}

// prices are in US dollars, on demand, in us-east-1, without free tiers and
// taxes. docs/scale.md says which of them could be confirmed.
type prices struct {
	WritePrice   float64 `help:"A million write units." default:"0.625"`
	ReadPrice    float64 `help:"A million read units." default:"0.125"`
	StoragePrice float64 `help:"A GB of storage a month." default:"0.25"`
	StreamPrice  float64 `help:"100,000 reads of the stream by anything but Lambda." default:"0.02"`
	AppsyncPrice float64 `help:"A million operations of AppSync." default:"4"`
	ServerPrice  float64 `help:"A server a month: 2 vCPU and 4 GB on Fargate." default:"72"`
	SendPrice    float64 `help:"A GB sent by servers or AppSync." default:"0.09"`
	CdnPrice     float64 `help:"10,000 requests to the CDN." default:"0.01"`
	CdnSendPrice float64 `help:"A GB sent by the CDN." default:"0.085"`
}

// config is all that can be changed from the command line.
type config struct {
	Limits  limits  `embed:"" group:"limits of DynamoDB"`
	Traffic traffic `embed:"" group:"traffic"`
	Units   units   `embed:"" group:"capacity units"`
	Month   month   `embed:"" group:"a month"`
	Prices  prices  `embed:"" group:"prices in US dollars"`
	Seed    uint64  `help:"Of all that is drawn at random." default:"42"`
	Write   string  `help:"Also replace the marked sections of this file." placeholder:"FILE" type:"path"`
}

// Validate is called by kong.
func (c *config) Validate() error {
	t := c.Traffic
	switch {
	case c.Limits.ReadLimit <= 0 || c.Limits.WriteLimit <= 0 || c.Limits.PartitionGB <= 0:
		return errors.New("--read-limit, --write-limit and --partition-gb must be above 0")
	case c.Limits.Partitions < 1 || c.Limits.WarmPartitions < c.Limits.Partitions || c.Limits.WarmPartitions > 1000:
		return errors.New("--partitions and --warm-partitions: 1 to 1000 are possible, and warm means at least as many")
	case c.Limits.HeatMinutes < 1 || c.Limits.HeatAt <= 0:
		return errors.New("--heat-minutes and --heat-at must be above 0")
	case t.FirstPage < 0 || t.DeepPages < 0 || t.FirstPage+t.DeepPages > 1:
		return errors.New("--first-page and --deep-pages: shares, together at most 1")
	case t.Cacheable < 0 || t.Cacheable > 1:
		return errors.New("--cacheable: a share, 0 to 1")
	case t.Deepest < 2 || t.Deepest > 100_000:
		return errors.New("--deepest: 2 to 100000 are possible")
	case t.Servers < 1 || t.Edges < 1 || t.Boards < 1 || t.Groups < 1:
		return errors.New("--servers, --edges, --boards and --groups must be above 0")
	case t.Products < 100 || t.Products > 100_000:
		return errors.New("--products: 100 to 100000 are possible")
	case t.Views <= 0 || t.Campaign <= 0 || t.BigProduct < 1000:
		return errors.New("--views and --campaign must be above 0, --big-product at least 1000")
	case t.Transaction < time.Millisecond:
		return errors.New("--transaction: at least 1ms")
	}
	return nil
}
