/**
 * @module Judge rules: which judge this is. Written by `npm run generate` from its verdicts over the
 * windows in test/golden/verdicts.
 */

/** SHA-256 over those verdicts, hex; judges with another digest may judge a window otherwise. */
export const judgeRules = "f5d53ba70f57889549acce0ef4688dc497a21d4de04605eb5b1b5ba5469d9a78";
