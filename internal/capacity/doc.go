// Package capacity answers how many clients to run, which rate a queue bears,
// and for how long: it plans sweeps over client counts, fits the Universal
// Scalability Law to them, searches the highest rate at which a service-level
// objective holds, and looks for drift in long runs.
//
// It never measures anything itself. Whoever calls it hands in a [Measure]
// function that runs one [Point], and a clock; so everything here is tested
// against simulated queues with known answers, without a server. What comes
// back is plain data ([result.Capacity]) for the result file and the renderers. An
// answer that cannot be given is an answer too: an Outcome with a sentence
// that says why, never a number that only looks like one.
package capacity
