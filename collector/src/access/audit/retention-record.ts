/** @module Retention record: what the log of retention holds of a run: ages and counts, no id. */
import { z } from "zod";

const count = z.int().min(0);

/** Ages and counts of a run. */
export const retentionRecord = z.strictObject({
  /** Evidence of any tenant that is at least this old may be removed, in days. */
  shortest_days: count,
  /** Receipts before these times are too old, ISO 8601 UTC, by class. */
  before: z.record(z.string(), z.string()),
  /** Tenants with ages of their own. */
  tenants: count,
  /** Rows, by store and class; empty at the start of a run. */
  removed: z.array(z.strictObject({ store: z.string(), class: z.string(), rows: count })),
});
export type RetentionRecord = z.output<typeof retentionRecord>;
