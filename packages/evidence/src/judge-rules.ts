/**
 * @module Judge rules: which judge this is. Written by `npm run generate` from its verdicts over the
 * windows in test/golden/verdicts.
 */

/** SHA-256 over those verdicts, hex; judges with another digest may judge a window otherwise. */
export const judgeRules = "5d3cf12b4d12789616002f75a71137a77a7d279857d71313b52808fb7023e8ab";
