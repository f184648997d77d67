/**
 * @module Patience: how long a test waits for a state that it polls, where the test has no bound of
 * its own. Vitest's default of a second is a bound on the machine: beside three other files a
 * process may not run for so long. It is shorter than the time limits of servers, so that a test
 * does not pass because one of them ended the wait. A test of a time limit measures it itself.
 */
export const patienceMs = 10_000;
