package script

// OrderCount says how a statement's result tells the number of orders done.
type OrderCount uint8

const (
	// NotCounted marks a statement that completes no order.
	NotCounted OrderCount = iota
	// CountRows takes the row count of the command tag.
	CountRows
	// CountValue takes the integer in the first column of the first row, for
	// functions that do the work and return how much they did.
	CountValue
)

// RowLimit is the most orders that a statement does at once: N, or the value of
// Variable where that is set. The zero value is unknown.
type RowLimit struct {
	N        int64
	Variable string
}
