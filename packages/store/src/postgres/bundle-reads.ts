/** @module BundleReads: request reads over bundles in PostgreSQL. */
import type { EventQuery } from "@turnproof/evidence";
import { limits } from "@turnproof/semconv";

import { rootRows } from "../bundle/root-rows.ts";
import type { NoteCut } from "../bundle/root-rows.ts";
import { rangeBounds } from "../bundle/own-range.ts";
import { hashesOfId, rootWords, rowWords } from "../bundle/bundle-words.ts";
import type { SliceOptions } from "../evidence-store.ts";
import type { LegacyBundles } from "../legacy/bundles.ts";
import { positionOfKeyset } from "../position.ts";
import { firstRound, rootRounds } from "../root-rounds.ts";
import type { KnownRoot } from "../root-rounds.ts";
import { scopedReads } from "../scoped-reads.ts";
import type { Reads } from "../scoped-reads.ts";
import type { EvidenceRequest } from "../evidence-request.ts";
import { settle } from "../settle.ts";
import type { StoredEvent } from "../stored-event.ts";
import { wordsSql } from "./bundle-writer.ts";
import type { Session } from "./database.ts";
import { bindings } from "./sql-text.ts";
import type { Bindings } from "./sql-text.ts";
import { fromStored } from "./stored-text.ts";

/** Dependencies of reads besides the database. */
export interface PostgresReadParts {
  /** True while events of an earlier version are not copied: every read is bounded. */
  readonly pending: () => boolean;
  readonly legacy: LegacyBundles | undefined;
}

/** The reads over a database, and over its table of legacy bundles if there is one. */
export function bundleReads(session: Session, { pending, legacy }: PostgresReadParts): Reads {
  return scopedReads({
    rounds(request, options, cut) {
      if (pending()) cut();
      return rootRounds(
        candidates(session, request, options),
        async (some) => {
          const roots = some.map(({ root }) => root);
          return settle(await rowsOf(session, roots, cut));
        },
        { ...options, ...firstRound(request, options.limit) },
      );
    },
    rows(roots, cut, rowsMax) {
      if (pending()) cut();
      const known = roots.filter((root) => root.isWellFormed());
      return rowsOf(session, known, cut, rowsMax);
    },
    ...(legacy === undefined ? {} : { legacy }),
  });
}

const rootsFirst = 64;
const rootsMax = 2_048;

/** Roots that may contain part of the answer, newest last receipt first. */
async function* candidates(
  session: Session,
  request: EvidenceRequest,
  options: SliceOptions,
): AsyncGenerator<KnownRoot> {
  let below: { readonly last: string; readonly root: string } | undefined;
  for (let wanted = rootsFirst; ; wanted = Math.min(wanted * 2, rootsMax)) {
    options.signal?.throwIfAborted();
    const bind = bindings();
    const where = ["true", ...conditions(request, options, bind)];
    if (below !== undefined) {
      const [last, root] = [below.last, below.root].map((value) => `${bind.plain(value)}::bigint`);
      where.push(`(last_us, root) < (${last}, ${root})`);
    }
    const { rows } = await session.query(
      `SELECT root_trace_id, root::text AS place, first_us::text AS first, last_us::text AS last,
    events::text AS events
FROM evidence_roots r WHERE ${where.join("\n    AND ")}
ORDER BY last_us DESC, root DESC LIMIT ${wanted}`,
      bind.parameters,
    );
    for (const row of rows) {
      below = { last: String(row["last"]), root: String(row["place"]) };
      yield {
        root: fromStored(String(row["root_trace_id"])),
        first: Number(row["first"]),
        last: Number(row["last"]),
        rows: Number(row["events"]),
      };
    }
    if (rows.length < wanted) return;
  }
}

function conditions(request: EvidenceRequest, options: SliceOptions, bind: Bindings): string[] {
  const { scope, query, id } = request;
  const where: string[] = [];
  const oneOf = (hashes: readonly number[]): void => {
    const words = wordsSql(hashes, bind);
    where.push(`root IN (SELECT b.root FROM evidence_bundles b WHERE b.words && ${words})`);
  };
  if (options.after !== undefined) {
    const { micros } = positionOfKeyset(options.after);
    where.push(`first_us <= ${bind.plain(String(micros))}::bigint`);
  }
  if (query.root_trace_id !== undefined) {
    const root = query.root_trace_id;
    where.push(root.isWellFormed() ? `root_trace_id = ${bind.text(root)}` : "false");
  }
  where.push(...rangeSql(query, bind));
  for (const hash of [...rootWords(scope, query), ...rowWords(query)]) oneOf([hash]);
  if (id !== undefined) oneOf(hashesOfId(id));
  return where;
}

/** The expression of the index, whose statistics hold how many roots overlap a range. */
function rangeSql(query: EventQuery, bind: Bindings): readonly string[] {
  const { since, until } = rangeBounds(query);
  if (since === undefined && until === undefined) return [];
  // The engine refuses a range that ends before it begins.
  if (since !== undefined && until !== undefined && since > until) return ["false"];
  const [from, to] = [since, until].map((at) =>
    at === undefined ? "NULL" : bind.plain(String(at)),
  );
  const requested = `int8range(${from}::bigint, ${to}::bigint, '[]')`;
  return [`int8range(own_from, own_to, '[]') && ${requested}`];
}

/** All rows of these roots; `cut` is called for an unreadable body, and for too many rows. */
export async function rowsOf(
  session: Session,
  roots: readonly string[],
  cut: NoteCut,
  rowsMax: number = limits.rootEventsMax,
): Promise<readonly StoredEvent[]> {
  if (roots.length === 0) return [];
  const bind = bindings();
  const { rows } = await session.query(
    `SELECT root_trace_id, body FROM (
    SELECT r.root_trace_id, b.body, b.seq, b.events,
        sum(b.events) OVER (PARTITION BY b.root ORDER BY b.seq) AS upto
    FROM evidence_roots r JOIN evidence_bundles b ON b.root = r.root
    WHERE r.root_trace_id = ANY(${bind.texts(roots)})) AS held
WHERE upto - events <= ${bind.plain(String(rowsMax))}::bigint ORDER BY root_trace_id, seq`,
    bind.parameters,
  );
  const held = rootRows({ rowsMax, cut });
  for (const row of rows) held.add(fromStored(String(row["root_trace_id"])), String(row["body"]));
  return held.events;
}
