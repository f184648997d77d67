/** @module EvidenceReader: the reads of a request path over the tables. */
import type { LegacyBundles } from "../legacy-bundles.ts";
import { rowFeed } from "../row-feed.ts";
import { scopedReads } from "../scoped-reads.ts";
import type { Reads } from "../scoped-reads.ts";
import { conditionsOf } from "../search-condition.ts";
import type { Session } from "./database.ts";
import { evidenceRows, loadRoots } from "./evidence-feed.ts";

/** The reads over a database, and over its table of legacy bundles where there is one. */
export function evidenceReader(session: Session, legacy?: LegacyBundles): Reads {
  return scopedReads({
    rounds: (question, options, cut) =>
      rowFeed(evidenceRows(session, conditionsOf(question)), options, cut),
    async rows(roots, cut) {
      const known = roots.filter((root) => root.isWellFormed());
      const loaded = await loadRoots(session, known);
      if (loaded.cut) cut();
      return loaded.rows;
    },
    ...(legacy === undefined ? {} : { legacy }),
  });
}
