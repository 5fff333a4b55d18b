package key

import (
	"testing"

	"product-comments/internal/testkit"
)

// Every kind of item has keys of its own, whatever the ids in them.
func TestAccessOf(t *testing.T) {
	item := func(pk string) Partition { return Partition{Table, pk} }
	for _, c := range []struct {
		in   Partition
		sort string
		want Access
	}{
		{PartitionAll("LEADERS"), "", AccessAll},
		{PartitionByLang("42", "en"), "", AccessByLang},
		{PartitionByRating("42", 3), "", AccessByRating},
		{PartitionByLangAndRating("42", "en", 3), "", AccessByLangAndRating},
		{Leaders(""), "", AccessLeaders},
		{Leaders("en"), "", AccessLeaders},
		{Scores("en"), "", AccessLeaders},
		{item(Product("42")), ScoreSK("en"), AccessLeaders},
		{PendingPlace("42"), "", AccessPlaces},
		{PowerSet("42", "en", 17), "", AccessPowerSet},
		{item(Product("42")), PowerSetSK, AccessPowerSet},
		{item(Product("a/b")), StatisticsSK(""), AccessCounts},
		{item(Product("42")), StatisticsSK("en"), AccessCountsByLang},
		{item(Comment("PRODUCT#1")), Comment("PRODUCT#1"), AccessComment},
		{item(Idempotency("x")), "", AccessIdempotency},
		{item(BucketCheckpoint("shard", 1, 2)), "", AccessCheckpoint},
		{item(Meta("settings")), "", AccessSettings},
		{item(User("PRODUCT#1")), WroteOnly("42"), AccessWrote},
		{item(User("ORDER#1")), Profile, AccessProfile},
		{item(User("alice")), Order("PROFILE"), AccessOrders},
		{item(User("alice")), Bought("42"), AccessBought},
		{item(Order("USER#1")), Line(1), AccessOrder},
		{OrderWithLines("1"), "", AccessOrder},
		{OrdersOf("alice"), "", AccessOrders},
		{StatusesOf("alice"), "", AccessOrdersByStatus},
		{OpenOf("1"), "", AccessOpenOrders},
		{item(Product("42")), AttributesSK, AccessDefinitions},
		{item(AttributeGroup("shoes")), Product("42"), AccessDefinitions},
		{item(AttributeFills), Product("42"), AccessDefinitions},
		{item(User("alice")), Authored("PENDING", Position{}), AccessAuthored},
		{item(User("alice")), PaceSK, AccessCase},
		{item(Product("42")), ModesSK, AccessCase},
		{item(Case("COMMENT#1")), QueuedSK, AccessCase},
		{item(CasePart("42")), CasesSK, AccessQueue},
		{QueuedIn("PENDING", "en", true, 1).All, "", AccessQueue},
		{QueuedIn("PENDING", "en", true, 1).ByReported, "", AccessQueue},
		{item("somebody else's"), "", AccessOther},
		{Partition{Index{Name: "another"}, "x"}, "", AccessOther},
	} {
		testkit.Equal(t, AccessOf(c.in.Index, c.in.Value, c.sort), c.want, "%s %s %s", c.in.Index, c.in.Value, c.sort)
	}
	seen := map[string]bool{}
	for a := range Accesses {
		testkit.Check(t, a.String() != "" && !seen[a.String()], "access %d is called %q", a, a)
		seen[a.String()] = true
	}
}
