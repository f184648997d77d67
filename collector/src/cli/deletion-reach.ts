/**
 * @module Deletion reach: what a deletion cannot reach, one sentence each, with what to do about
 * it.
 */
import type { Unreached } from "@turnproof/store/admin";

/** A place where bytes of the user may remain. */
export interface Beyond {
  readonly place: string;
  readonly sentence: string;
}

/** A place that a run reports. */
export type ReachPlace =
  | Unreached
  | "journal_unreadable"
  | "spool_unreadable"
  | "forward_unreadable"
  | "forwarded";

/** Places that this run reported. */
const met: { readonly [place in ReachPlace]: string } = {
  filesystem_open_reads:
    "The log of the evidence database, which a read holds open: run the deletion again.",
  legacy_bundles:
    "Bundles of an earlier version (trace_bundles) that hold rows of others too: delete the user's there.",
  mongodb_oplog: "MongoDB's oplog and journal, until they are overwritten.",
  mongodb_free_blocks: "Free blocks of MongoDB's files: run `compact` on its collections.",
  postgres_statistics: "PostgreSQL's planner statistics: run ANALYZE as the owner of the tables.",
  postgres_tables: "PostgreSQL's tables: run VACUUM FULL as their owner.",
  postgres_wal: "PostgreSQL's write-ahead log and its archive, until they are recycled.",
  clickhouse_inactive_parts: "Inactive parts of ClickHouse, which it removes after eight minutes.",
  clickhouse_server_logs: "ClickHouse's own query logs (system.query_log and others).",
  journal_unreadable: "Damaged records beside the journal (`turnproof journal list`): delete them.",
  forward_unreadable:
    "Damaged records of the forward queue (forward/queue in the data directory): delete them.",
  forwarded: "What the endpoint of TURNPROOF_FORWARD_URL received before: delete it there.",
  spool_unreadable: "Frames of a spool that this version cannot read.",
};

/** Places that no run can reach. */
const always: readonly Beyond[] = [
  { place: "backups", sentence: "Backups, snapshots and replicas of any of these stores." },
  { place: "statements", sentence: "Signed statements, exports and alerts that were handed out." },
  { place: "hosts", sentence: "What the application and its model providers keep themselves." },
];

/** The complete list. @param spools number of spools given */
export function beyondReach(places: ReadonlySet<ReachPlace>, spools: number): readonly Beyond[] {
  const others = spools === 0 ? "Spools of producers" : "Spools of other producers";
  return [
    ...[...places].map((place) => ({ place, sentence: met[place] })),
    {
      place: "spools",
      sentence: `${others} (name them with --spool where they lie): what is sent later is stored anew.`,
    },
    ...always,
  ];
}
