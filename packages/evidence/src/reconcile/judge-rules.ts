/**
 * @module Judge rules: which judge this is. Written by `npm run generate` from its verdicts over the
 * windows in test/golden/verdicts.
 */

/** SHA-256 over those verdicts, hex; judges with another digest may judge a window otherwise. */
export const judgeRules = "7e4bd3e6268f3375990e828247b1615eae7bb2875a69ea8ed605a5b04d6dd9c6";
