package pgserver

import "os"

// temporaryBases are the folders to try for the server's own, best first. The user's private one comes before /tmp, which
// serves root, whose server runs as another user.
func temporaryBases() []string { return []string{os.TempDir(), "/tmp"} }
