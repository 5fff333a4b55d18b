package item

import (
	"slices"

	"product-comments/store/errs"
)

// Incentive is what the author of a comment got for it, with the names of the API. The empty one and
// NoIncentive both mean nothing; comments have the empty one.
type Incentive string

// NoIncentive is the name of an empty Incentive.
const NoIncentive Incentive = "NONE"

// Incentives are the names of all incentives.
var Incentives = []Incentive{NoIncentive, "DISCOUNT", "FREE_PRODUCT", "PAID", "CONTEST", "EMPLOYEE"}

// ParseIncentive returns the incentive of a name, an empty one for none.
func ParseIncentive(field string, name Incentive) (Incentive, error) {
	switch {
	case name == NoIncentive || name == "":
		return "", nil
	case !slices.Contains(Incentives, name):
		return "", errs.Invalid(field, "%.40q is not an incentive: use one of %v", name, Incentives).For(errs.NotAChoice)
	}
	return name, nil
}

// validateDisclosure checks the incentive, and the time when the author used the product.
func (c *Comment) validateDisclosure() (err error) {
	if c.Incentive, err = ParseIncentive("incentive", c.Incentive); err != nil || c.ExperiencedAt == nil {
		return err
	}
	if c.ExperiencedAt.After(c.CreatedAt) {
		return errs.Invalid("experiencedAt", "it is later than the comment").For(errs.OutOfRange)
	}
	at := c.ExperiencedAt.UTC()
	c.ExperiencedAt = &at
	return ValidateTime("experiencedAt", at)
}
