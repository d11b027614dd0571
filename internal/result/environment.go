package result

import "time"

// Environment is what the numbers were measured on.
type Environment struct {
	ServerVersion string            `json:"server_version"` // "15.18"
	Settings      map[string]string `json:"settings"`       // those that matter to a queue
	Disposable    bool              `json:"disposable"`     // qbench started the server itself
	HostCores     int               `json:"host_cores"`
	HostMemory    int64             `json:"host_memory_bytes"`
	HostOS        string            `json:"host_os"` // GOOS/GOARCH
	HostCPU       string            `json:"host_cpu"`
	QbenchVersion string            `json:"qbench_version"`
	Args          []string          `json:"args"` // the command line, without passwords
	StartedAt     time.Time         `json:"started_at"`
}
