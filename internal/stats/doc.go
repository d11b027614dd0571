// Package stats is the statistics that measuring, planning and reporting share:
// distributions, means of dependent series, and the trend of a queue's depth.
// It knows no run and no file.
package stats
