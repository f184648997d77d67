/**
 * @module Judge rules: which judge this is. Written by `npm run generate` from its verdicts over the
 * windows in test/golden/verdicts.
 */

/** SHA-256 over those verdicts, hex; judges with another digest may judge a window otherwise. */
export const judgeRules = "7a9bf74a1624431ba5681b077c926ff1d661f62bd8274adb0cc9037e18d8684d";
