/** @module Names: the two sides of a gate, and their names on its page. */

/** The sides in their order. */
export const sides = ["baseline", "candidate"] as const;
/** Their names. */
export const sideNames = { baseline: "Baseline", candidate: "Candidate" } as const;
