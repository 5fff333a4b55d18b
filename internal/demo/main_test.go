package demo

import (
	"testing"

	"product-comments/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }
