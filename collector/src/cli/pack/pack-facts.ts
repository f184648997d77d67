/** @module PackFacts: what an evidence pack states, and how its signed list is read. */
import { z } from "zod";

import { retentionRecord } from "../../access/audit/retention-record.ts";

const text = z.string();
const count = z.int().min(0);

/** State of a log: the audit log, or that of retention. */
const logSchema = z.strictObject({
  ok: z.boolean(),
  records: count,
  checkpoints: count,
  findings: count,
  /** The newest tree head, a signed note; null before the first. */
  tree_head: text.nullable(),
  /** Key that verifies it. */
  key: text,
});
export type PackLog = z.output<typeof logSchema>;

/** A run of retention. */
const retentionRun = z.strictObject({
  at: text,
  reason: text,
  /** `begun`: its end is not recorded, so that its counts are unknown. */
  result: z.enum(["ok", "partial", "failed", "begun"]),
  ...retentionRecord.shape,
});
export type PackRetention = z.output<typeof retentionRun>;

/** A file of the pack. */
const fileSchema = z.strictObject({ path: text, bytes: count, sha256: text });
export type PackFile = z.output<typeof fileSchema>;

/** What producers report as dropped, by their reports of the window. */
const droppedSchema = z.strictObject({
  /** Sum of the reported losses: a lower bound unless all reported. Null: none reported. */
  at_least: count.nullable(),
  /** Producers that reported. */
  reported: count,
  /** Producers of the window; all events without a producer's id count as those of one. */
  producers: count,
  /** Of those that reported, the ones with events after their last report. */
  active_since: count,
});
export type PackDropped = z.output<typeof droppedSchema>;

/** Everything that the table of articles is worked out from. */
export const factsSchema = z.strictObject({
  from: text,
  to: text,
  /** When its reading began: what came later is in no file. Packs of rules before 5 have none. */
  began_at: text.exactOptional(),
  /** When the pack was made, ISO 8601 UTC. */
  made_at: text,
  version: text,
  store: text,
  events: z.strictObject({
    rows: count,
    /** Receipts of the events of the window; null without one. */
    first_received: text.nullable(),
    last_received: text.nullable(),
    /** False where frames were pending, records unreadable, or a bound ended a reading. */
    complete: z.boolean(),
  }),
  /** Turns whose last event lies in the window: those of its other events have no row. */
  turns: z.strictObject({ rows: count, judged: count, with_findings: count }),
  /** Root traces of the events, and those of them without such a turn; rules before 6 had none. */
  roots: z.strictObject({ rows: count, without_turn: count }).exactOptional(),
  /** Receipt of the oldest turn that is kept, of any time; null without one. */
  oldest_kept: text.nullable(),
  retention: z.strictObject({
    /** Days below which the collector's commands delete no metadata; null: no floor is set. */
    floor_days: count.nullable(),
    legal_hold: z.boolean(),
  }),
  losses: z.strictObject({
    /**
     * Spans that producers report as dropped; null: the reports could not be read. In packs of
     * rules before 5 a number of the newest events, null where one producer did not report.
     */
    dropped_by_producers: z.union([count, droppedSchema]).nullable(),
    /** Items that arrived and are in no place: of any time, as the journal's files show it. */
    lost_frames: count,
    corrupt_ranges: count,
    quarantined: count,
    /** Whether every received item is in exactly one place, since the collector's start. */
    balanced: z.boolean(),
  }),
  audit: logSchema
    .extend({
      /** Records of the window; packs of earlier versions have none. */
      window: z
        .strictObject({
          /** Records of an access to a route: those of deletions are none. */
          accesses: count,
          /** Whether the tree head covers all records of the window. */
          covered: z.boolean(),
          /** First record of the log, of any time; packs of earlier rules have none of these. */
          since: text.nullable().exactOptional(),
          /** Times within the window in which a collector ran without the log. */
          off: z.array(z.strictObject({ from: text, to: text })).exactOptional(),
        })
        .exactOptional(),
    })
    .nullable(),
  /**
   * Deletions of users, from the start of the window to the making of the pack; up to the end of
   * the window in packs of earlier rules. A reason is a code; packs without rules have none.
   */
  deletions: z.array(z.strictObject({ at: text, reason: text, result: text })),
  /** Runs of retention in the same time. Packs of earlier versions have none of this. */
  retentions: z
    .strictObject({
      /** Null: no run is recorded. */
      log: logSchema.nullable(),
      /** First record: earlier runs are not recorded. */
      since: text.nullable(),
      runs: z.array(retentionRun),
    })
    .exactOptional(),
  /** Rules of the table; packs of earlier versions, which have none, follow theirs. */
  rules: z.literal([2, 3, 4, 5, 6]).exactOptional(),
});
export type PackFacts = z.output<typeof factsSchema>;

/** A row of the table. */
const rowSchema = z.strictObject({
  article: text,
  duty: text,
  state: z.enum(["proven", "partial", "not_evidenced"]),
  because: text,
});
export type PackRow = z.output<typeof rowSchema>;

/** The signed list of a pack. */
export const packSchema = z.strictObject({
  v: z.literal(1),
  facts: factsSchema,
  table: z.array(rowSchema),
  files: z.array(fileSchema),
});
export type Pack = z.output<typeof packSchema>;

/** Type of the signature, so that no signature of another kind counts as one. */
export const packType = "turnproof-evidence-pack+json";
