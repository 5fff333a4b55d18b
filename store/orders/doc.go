// Package orders keeps what people bought: their orders, and marks that say so for each
// product.
package orders
