/**
 * @module Judge rules: version of the judge. Written by `npm run generate` from its verdicts over
 * the windows in test/golden/verdicts.
 */

/** SHA-256 over those verdicts, hex; a judge with another digest may decide differently. */
export const judgeRules = "7e4bd3e6268f3375990e828247b1615eae7bb2875a69ea8ed605a5b04d6dd9c6";
