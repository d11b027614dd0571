package result

// ClientUse is what the load generator itself used while orders were counted:
// from the end of the warm-up to the end of the run, or until the queue was
// drained.
type ClientUse struct {
	CPUSeconds  float64 `json:"cpu_s"` // user + system
	UserSeconds float64 `json:"user_s"`
	SysSeconds  float64 `json:"sys_s"`
	CPUShare    float64 `json:"cpu_share"` // of all cores of this machine, 0 to 1
	MaxRSS      int64   `json:"max_rss_bytes"`
}

// PartitionUse says how evenly a partitioned queue was drained.
type PartitionUse struct {
	Partitions int   `json:"partitions"`
	Untouched  int   `json:"untouched"` // partitions none of whose orders was taken
	Left       int64 `json:"left"`      // orders left in them
	Min        int64 `json:"min_left"`
	Max        int64 `json:"max_left"`
}

// ClientSaturated is the CPUShare from which the load generator, not the server,
// is the bottleneck wherever the server is: the rest of the machine goes to the
// kernel and to scheduling.
const ClientSaturated = 0.8
