/**
 * @module Judge rules: which judge this is. Written by `npm run generate` from its verdicts over the
 * windows in test/golden/verdicts.
 */

/** SHA-256 over those verdicts, hex; judges with another digest may judge a window otherwise. */
export const judgeRules = "f2dfce2bedc266ce3e4ca0dc5f07a53213ed8ef20853eaf70acef2d063e3fe4e";
