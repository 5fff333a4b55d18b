package model

import (
	"math"
	"strings"

	"product-comments/store"
	"product-comments/store/errs"
	"product-comments/store/read/plan"
)

// Plan returns the plan of the page, or a Forbidden error if the viewer may not see it.
func (c *CommentConnection) Plan() (*QueryPlan, error) {
	if !c.ShowPlan {
		return nil, errs.Errorf(errs.Forbidden,
			"Plans are disabled on this server, because they show the table's layout")
	}
	p, actual := &c.page.Plan, &c.page.Cost
	out := &QueryPlan{
		Strategy: p.Strategy, Index: p.Index.String(), Reason: p.Reason,
		Estimate: newPlanEstimate(p.Estimate),
		Actual: PlanActual{
			ReadUnits: actual.Units, Queries: actual.Queries, RoundTrips: actual.RoundTrips,
			ItemsRead: actual.Items, ItemsShown: len(c.page.Items),
		},
		Partitions: []PlanPartition{},
		Rejected:   make([]RejectedPlan, len(p.Rejected)),
		Text:       c.page.Tree(),
	}
	out.Lines = strings.Split(strings.TrimSuffix(out.Text, "\n"), "\n")
	for use, s := range p.Scans() {
		role := PartitionRoleRead
		if use.Fallback {
			role = PartitionRoleFallback
		}
		out.Partitions = append(out.Partitions, PlanPartition{
			Partition: s.Partition.Value, Index: s.Partition.Index.String(), Segment: use.Range, Role: role,
			Limit:   s.Limit,
			Ratings: s.Only.Ratings.List(), Languages: s.Only.Languages.List(), WithText: s.Only.Has(store.Text),
			VerifiedOnly: s.Only.Has(store.Verified), WithPhotos: s.Only.Has(store.Photos),
			Incentivized:   ifAny(s.Only.Has(store.Incentivized), s.Only.Has(store.Incentivized) || s.Only.Has(store.NotIncentivized)),
			EstimatedItems: hundredths(s.Items), EstimatedReadUnits: hundredths(s.Units),
			ActualItems: s.Actual.Items, ActualReadUnits: s.Actual.Units, Queries: s.Actual.Queries,
		})
	}
	for i, r := range p.Rejected {
		out.Rejected[i] = RejectedPlan{Strategy: r.Strategy, Index: r.Index.String(), Reason: r.Reason}
		if r.Estimate != (plan.Estimate{}) {
			out.Rejected[i].Estimate = new(newPlanEstimate(r.Estimate))
		}
	}
	return out, nil
}

func newPlanEstimate(e plan.Estimate) PlanEstimate {
	return PlanEstimate{
		ReadUnits: hundredths(e.Units), Queries: hundredths(e.Queries),
		RoundTrips: hundredths(e.RoundTrips), Discarded: hundredths(e.Discarded),
	}
}

// hundredths rounds an estimate.
func hundredths(f float64) float64 { return math.Round(f*100) / 100 }
