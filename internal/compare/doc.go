// Package compare judges sets of runs against each other: is the new one
// slower, faster, the same, or can that not be told yet? It holds the
// statistics of the regression gate (Compare), of the paired comparison
// (Sequential), and the fixed limits of --fail-if and --slo (Threshold). It
// reads runner's results and returns plain data; it knows no database, prints
// nothing and looks at nothing outside its arguments.
//
// # What is compared
//
// A run is one sample; the latencies inside a run are not independent of each
// other, and thousands of them would make any difference between two runs look
// certain. Numbers are compared as ratios, on the log scale, where a machine
// that is 20 % slower moves every strategy by the same amount.
//
// # Why ranks
//
// Single runs on shared machines fall to 0.3 of the median. A t-test takes such
// a run for noise everywhere: with one run in twenty like that, it finds 36 % of
// the 10 % slowdowns that it finds 98 % of without them; the rank-sum test finds
// 85 %. Without outliers it loses one point. And its level is exact for noise of
// any shape, as long as two sets of the same thing are exchangeable: that
// baseline and candidate did not meet different machines or hours is a thing no
// statistic can know, and what Sequential, which alternates, is for.
//
// # The decision
//
// "slower" takes both: that no slowdown at all is excluded (p after correction
// at most Alpha, 1 %), and that the estimate is beyond the tolerated margin.
// The stricter rule, that the whole interval lies beyond the margin, would find
// 10 % with 10 runs a side at 5 % noise in a quarter to a half of the cases
// only: the distance from the margin is 2.4 standard errors, of which the
// test itself uses up 2.6. The laxer one, significance alone, would fail builds for half a
// per cent once there are enough runs.
//
// "same" is a claim of its own and no lack of evidence: the interval's bad end
// lies within the margin (non-inferiority at 5 %, Schuirmann, J. Pharmacokinet.
// Biopharm. 15, 1987). It needs no correction, since the gate passes only if
// all hypotheses do (intersection-union test; Berger, Technometrics 24, 1982).
// Everything else is "cannot tell", with the number of runs that would help.
//
// What the tests of this package show of it, at 5 % normal noise and 10 runs a
// side: A against A fails in at most 1 % of gates of any size, with outliers as
// well; a 10 % slowdown is found in 96 % (one strategy) and practically always
// where it hits all of four, but in 87 % where it hits one of four, because
// four chances of a false alarm have to be paid for. A 2 % slowdown with 5 %
// tolerated fails 4.6 %; below 1.5 % no rule whatever can bring that while
// it finds 95 % of the 10 % ones (Neyman-Pearson, with the noise known).
package compare
