package capacity

import (
	"context"
	"time"

	"qbench/internal/result"
)

// Measure runs one point. An error that wraps [result.ErrConnections] says that the
// server gave fewer connections than the point needs; any other error ends the
// sweep or search that asked.
type Measure func(ctx context.Context, p result.Point) (result.Sample, error)

// Clock tells the time; it is passed in so that tests have their own.
type Clock func() time.Time
