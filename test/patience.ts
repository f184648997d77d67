/**
 * @module Patience: how long a test waits for a state that it polls, where the test has no bound of
 * its own. Vitest's default of a second is a bound on the machine: beside three other files a
 * process may not run for so long. It is below the time limits of servers, so that none of them
 * stands for what should happen at once. A test that bounds a time measures it itself.
 */
export const patienceMs = 10_000;
