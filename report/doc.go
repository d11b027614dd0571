// Package report turns the results of runs into something to read: pgbench's
// own report, text for a terminal, tables, and files for people and programs.
//
// It sees runner's plain data only. It never talks to a database, never looks
// at the environment (width, colour and language of the terminal come in
// Options) and decides nothing about a run: even its warnings are data that
// the caller keeps in the result.
//
// A format is a function registered by name in formats.go. Those that show
// several runs beside each other share the grouping of ranking.go, so that
// terminal, Markdown, CSV and HTML cannot disagree about who came first.
package report
