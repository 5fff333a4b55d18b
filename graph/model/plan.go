package model

import (
	"math"
	"strings"

	"product-comments/store"
	"product-comments/store/errs"
	"product-comments/store/plan"
)

// Plan tells how the page was read; a Forbidden error unless it may be shown.
func (c *CommentConnection) Plan() (*QueryPlan, error) {
	if !c.ShowPlan {
		return nil, errs.Errorf(errs.Forbidden,
			"Plans show the table's layout, so this server does not show them")
	}
	return new(newQueryPlan(&c.page)), nil
}

func newQueryPlan(page *store.Page) QueryPlan {
	p, actual := &page.Plan, &page.Cost
	out := QueryPlan{
		Strategy: p.Strategy, Index: p.Index.String(), Reason: p.Reason,
		Estimate: newPlanEstimate(p.Estimate),
		Actual: PlanActual{
			ReadUnits: actual.Units, Queries: actual.Queries, RoundTrips: actual.RoundTrips,
			ItemsRead: actual.Items, ItemsShown: len(page.Items),
		},
		Partitions: make([]PlanPartition, 0, len(p.Reads)+len(p.Instead)),
		Rejected:   make([]RejectedPlan, len(p.Rejected)),
		Text:       page.Tree(),
	}
	out.Lines = strings.Split(strings.TrimSuffix(out.Text, "\n"), "\n")
	add := func(segment *string, r plan.Read, role PartitionRole) {
		spent := actual.Of(r.Partition)
		out.Partitions = append(out.Partitions, PlanPartition{
			Partition: r.Partition.Value, Index: r.Partition.Index.String(), Segment: segment, Role: role, Limit: r.Limit,
			Filter: r.Only.Ratings.List(), Languages: r.Only.Languages.List(), WithText: r.Only.Text, VerifiedOnly: r.Only.Verified,
			EstimatedItems: hundredths(r.Items), EstimatedReadUnits: hundredths(r.Units),
			ActualItems: spent.Items, ActualReadUnits: spent.Units, Queries: spent.Queries,
		})
	}
	for segment, p := range p.Stretches() {
		for _, r := range p.Reads {
			add(segment, r, PartitionRoleRead)
		}
		for _, r := range p.Instead {
			add(segment, r, PartitionRoleFallback)
		}
	}
	for i, r := range p.Rejected {
		out.Rejected[i] = RejectedPlan{Strategy: r.Strategy, Index: r.Index.String(), Reason: r.Reason}
		if r.Estimate != (plan.Estimate{}) {
			out.Rejected[i].Estimate = new(newPlanEstimate(r.Estimate))
		}
	}
	return out
}

func newPlanEstimate(e plan.Estimate) PlanEstimate {
	return PlanEstimate{
		ReadUnits: hundredths(e.Units), Queries: hundredths(e.Queries),
		RoundTrips: hundredths(e.RoundTrips), Discarded: hundredths(e.Discarded),
	}
}

// hundredths rounds an estimate, whose further digits have no meaning.
func hundredths(f float64) float64 { return math.Round(f*100) / 100 }
