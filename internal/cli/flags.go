package cli

// Categories of flags in the help.
const (
	categoryWhat    = "What to run"
	categoryLoad    = "Load"
	categoryQueue   = "Queue"
	categoryServer  = "Server (without --dsn or libpq's variables one is started for the run)"
	categoryReport  = "Report"
	categoryMessage = "Progress and messages (standard error)"
)
