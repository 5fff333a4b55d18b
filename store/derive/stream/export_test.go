package stream

// Weigh is what records are counted as.
var Weigh = weigh
