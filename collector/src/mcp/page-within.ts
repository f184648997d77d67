/**
 * @module PageWithin: one page of a list within a budget. A cursor starts after the last row of
 * its page, so a page with more rows than fit is read again, smaller: a walk shows each row.
 */
import type { AnswerText } from "./answer-text.ts";

/** A list that is walked by cursors. */
interface Walk<Page> {
  readonly budget: number;
  /** Largest size of a page. */
  readonly limit: number;
  readonly read: (limit: number) => Promise<Page>;
  readonly write: (page: Page) => AnswerText;
  /** Sizes of the rows of a page, in the unit of its limit. */
  readonly sizes: (page: Page) => readonly number[];
}

/** The largest page all of whose rows fit; one row is there in any case. */
export async function pageWithin<Page>(walk: Walk<Page>): Promise<AnswerText> {
  for (let { limit } = walk; ;) {
    const page = await walk.read(limit);
    const text = walk.write(page);
    const sizes = walk.sizes(page);
    const fitting = text.rowsWithin(walk.budget);
    if (fitting === sizes.length || limit === 1) return text;
    const size = sizes.slice(0, fitting).reduce((sum, one) => sum + one, 0);
    limit = Math.max(1, Math.min(limit - 1, size));
  }
}
