/** @module EvidenceReader: the reads of a request path over the tables. */
import { rowFeed } from "../row-feed.ts";
import { scopedReads } from "../scoped-reads.ts";
import type { Reads } from "../scoped-reads.ts";
import { conditionsOf } from "../search-condition.ts";
import { settle } from "../settle.ts";
import type { Session } from "./database.ts";
import { evidenceRows, loadRoots } from "./evidence-feed.ts";

/** The reads over a database. */
export function evidenceReader(session: Session): Reads {
  return scopedReads({
    rounds: (question, options, cut) =>
      rowFeed(evidenceRows(session, conditionsOf(question)), options, cut),
    async root(rootTraceId, cut) {
      const loaded = await loadRoots(session, rootTraceId.isWellFormed() ? [rootTraceId] : []);
      if (loaded.cut) cut();
      return settle(loaded.rows);
    },
  });
}
