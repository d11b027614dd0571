// Package resultfile keeps results on disk: a file appears with all of its data or
// not at all, and what stood there before stays until then. Start with [File] for
// a name that the user gave, [Folder] for files that name themselves, and [Read]
// for what was written before.
package resultfile
