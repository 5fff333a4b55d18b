package pages_test

import (
	"testing"

	"product-comments/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }
