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
// a run for noise everywhere: with one run in twenty like that it finds 36 % of the
// 10 % slowdowns (see below) that it finds 98 % of without them; the rank-sum test
// finds 85 %, and without outliers it loses one point. And its level is exact for noise of
// any shape, as long as two sets of the same thing are exchangeable: that
// baseline and candidate did not meet different machines or hours is a thing no
// statistic can know, and what Sequential, which alternates, is for.
//
// # The decision
//
// "slower" takes both: that no slowdown at all is excluded (p after correction
// at most Alpha, 1 %), and that a tolerated one is unlikely (p at most 0.4). The
// stricter rule, that the whole interval lies beyond the margin, would find a
// 10 % slowdown with 10 runs a side at 5 % noise about every other time: it lies
// 2.4 standard errors beyond the margin, and a test at 1 % takes 2.6. The laxer
// one, significance alone, would fail builds for half a per cent once there are
// enough runs. An estimate beyond the margin in place of 0.4 would find one in
// two hundred more, and fail twice as many slowdowns of 2 % at 3 % noise.
//
// "same" is a claim of its own and no lack of evidence: the whole interval lies
// within the margin on either side (two one-sided tests at 5 %; Schuirmann, J.
// Pharmacokinet. Biopharm. 15, 1987). Where only its worse end does, the verdict is
// "inconclusive", but NotSlower is set, which is all that a careful gate
// needs. Neither takes a correction, since the gate passes only if all hypotheses do
// (intersection-union test; Berger, Technometrics 24, 1982). "inconclusive" comes
// with the number of runs that would help.
//
// What the simulations in the tests show of it, at 5 % normal noise and 10 runs a
// side: A against A fails in at most 1 % of gates of any size, with outliers as
// well; a 10 % slowdown is found in 96 % (one strategy) and practically always
// where it hits all of four, but in 86 % where it hits one of four, because
// four chances of a false alarm have to be paid for (13 runs make it 95 %). A 2 %
// slowdown with 5 % tolerated fails 3.5 % there, and 0.6 % at 3 % noise. Below
// 1.5 % no rule can bring the former while it finds 95 % of the 10 % ones, even
// with the noise known (Neyman and Pearson): more runs, or a quieter machine.
package compare
