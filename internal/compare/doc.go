// Package compare judges sets of runs against each other: is the new one
// slower, faster, the same, or is that inconclusive? It holds the statistics of
// the regression gate (Compare; start there) and of the paired comparison
// (Trial, Sequential). It reads result's runs and returns result.Comparison; it
// knows no database, prints nothing and looks at nothing outside its arguments.
//
// # What is compared
//
// A run is one sample; the latencies inside a run are not independent of each
// other, and thousands of them would make any difference between two runs look
// certain. Numbers are compared as ratios, on the log scale, where a machine
// that is 20% slower moves every strategy by the same amount. A value of which
// only bounds are known (the queue time of orders that still waited) is taken at
// the bound that speaks most against each claim.
//
// # Why ranks
//
// Single runs on shared machines fall to 0.3 of the median. A t-test takes such
// a run for noise everywhere: with one run in twenty like that it finds 36% of the
// 10% slowdowns (see below) that it finds 98% of without them; the rank-sum test
// finds 83%, and without outliers it loses three points. And its level is exact for
// noise of any shape, as long as two sets of the same thing are exchangeable. That
// baseline and candidate did not meet different machines or hours is a thing no
// statistic can know, and what Sequential, which alternates, is for; what shows
// within the sets, drift tests.
//
// # The decision
//
// "slower" takes both: that no slowdown at all is excluded (p after correction
// at most Alpha, 1%), and that a tolerated one is unlikely (p at most 0.4). The
// stricter rule, that the whole interval lies beyond the margin, would find a
// 10% slowdown with 10 runs a side at 5% noise about every other time: it lies
// 2.4 standard errors beyond the margin, and a test at 1% takes 2.6. The laxer
// one, significance alone, would fail builds for half a per cent once there are
// enough runs. An estimate beyond the margin in place of 0.4 would find one in
// two hundred more, and fail twice as many slowdowns of 2% at 3% noise.
//
// "same" is a claim of its own and no lack of evidence: the whole interval lies
// within the margin on either side (two one-sided tests at 5%; Schuirmann, J.
// Pharmacokinet. Biopharm. 15, 1987). Where only its worse end does, the verdict is
// "inconclusive", but NotSlower is set, which is enough to pass. Neither takes a
// correction, since the gate passes only if all hypotheses do (intersection-union
// test; Berger, Technometrics 24, 1982). "inconclusive" comes with the number of
// runs that would help.
//
// What stays inconclusive passes only where its interval excludes twice the
// tolerated slowdown (Options.Undecided): a gate that lets pass what it could not
// see is none. The 1% is about "slower" alone.
//
// # What the simulations show
//
// TestSimulatedNoise, 1,000 comparisons of n runs a side and 5% tolerated, in per
// cent; "drift" is the part of inconclusive that drift left open:
//
//	noise                        n  slower  same  inconclusive  drift  passes
//	normal 2%                   10     0.0  99.1           0.9    0.8    99.2
//	normal 5%                   10     0.5  33.1          66.0    0.4    99.0
//	normal 5%                   20     0.0  79.6          20.4    1.1    98.9
//	normal 20%                  10     0.6   0.0          98.4    0.6    28.6
//	heavy tails (t, 2 d.f.)     10     1.1   6.2          91.7    0.9    86.1
//	bimodal, 40% apart          10     0.5  13.2          85.9    0.4    58.7
//	outliers, 1 in 20           10     0.4  19.2          79.6    0.8    94.7
//	normal 5%, 10% slower       10    95.1   0.0           4.8    0.6     2.1
//	normal 5%, 10% slower       20    98.9   0.0           1.0    0.9     0.0
//	outliers, 10% slower        10    82.5   0.1          17.4    0.6     3.7
//	drift of 10% (5% noise)     10    32.5   1.9          65.6    3.3    50.6
//	drift of 20%                10    68.2   0.0          31.8   29.6     0.6
//	drift of 20%                20    22.8   0.0          77.2   77.2     0.0
//	drift of 40%                10     1.1   0.0          98.9   98.9     0.0
//	autocorrelated 0.8 (10%)    10    11.4   2.6          75.8   46.6    38.8
//	autocorrelated 0.8          20     1.6   0.9          96.1   93.7     4.7
//	autocorrelated 0.8          40     0.0   0.0         100.0  100.0     0.0
//	autocorrelated 0.95         20     0.4   0.5          98.9   98.7     0.9
//
// The tests for drift cost at most 1% of comparisons, which they leave
// inconclusive without a reason. With 10 runs a side they find only what is strong,
// so the first set must not be followed by the second where a machine drifts:
// every comparison of such sets says so, and recommends qbench ab. A 2% slowdown
// with 5% tolerated is called slower in 3.5% at 5% noise, and in 0.6% at 3%;
// below 1.5% no rule can bring the former while it finds 95% of the 10% ones,
// even with the noise known (Neyman and Pearson): more runs, or a quieter machine.
package compare
