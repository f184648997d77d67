/** @module AlertTimes: pauses and bounds of the alerts, in milliseconds. */

/** Pause between two looks where nothing wakes them. */
export const defaultEveryMs = 2_000;
/** Shortest pause between two looks, however often turns are written or judged. */
export const leastMs = 500;
/**
 * A window of ten seconds, the shortest, may have passed a turn that is written later than this.
 */
export const lateMs = 8_000;
/** Longest wait for what operators did at other collectors. */
export const shownMs = 1_000;
/** Time for windows that had ended, in one look; the next one continues. */
export const lateBudgetMs = 500;
/**
 * Time for rules in one look, beyond that of the first one; the others are first in the next one.
 */
export const rulesBudgetMs = 250;
/** Longest wait at the end for messages that are being sent; the others are sent again. */
export const closeMs = 2_000;
/** How often progress is kept where nothing else changes. */
export const keepEveryMs = 30_000;
/** How often other collectors get the last values. */
export const valuesEveryMs = 10_000;
