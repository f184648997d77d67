/**
 * @module EraseSpool: removes a user's spans from the spool of a producer that is not running. A
 * span names its user in an attribute; one without it is removed with its trace. Remaining spans
 * are appended again before the old ones are checkpointed, so a killed run leaves copies and loses
 * nothing.
 */
import { attribute } from "@turnproof/semconv";

import type { ReadableSpanLike } from "../gate/sdk-shapes.ts";
import { openJournal } from "@turnproof/journal";
import { decodeSpans, encodeSpans } from "./span-codec.ts";

/** Result of a run, in spans. */
export interface SpoolErasure {
  readonly found: number;
  readonly deleted: number;
  /** Frames that this build cannot read. */
  readonly unreadable: number;
}

/** User of the spans, and whether they are deleted; a dry run unless `dryRun` is false. */
export interface EraseSpoolOptions {
  readonly directory: string;
  /** Every form of the id: plain and keyed. */
  readonly userIds: readonly string[];
  readonly dryRun?: boolean;
}

/** Erases in a spool's directory. @throws CodedError journal_locked while its producer runs */
export async function eraseSpool(options: EraseSpoolOptions): Promise<SpoolErasure> {
  const { directory, userIds, dryRun = true } = options;
  const users = new Set(userIds);
  const journal = await openJournal({ directory });
  try {
    const named = new Set<string>();
    let unreadable = 0;
    let last = 0;
    for await (const frame of journal.read()) {
      last = frame.sequence;
      const read = decodeSpans(frame.payload);
      if (read === undefined) unreadable += 1;
      for (const span of read?.spans ?? []) {
        if (namesUser(span, users)) named.add(span.spanContext().traceId);
      }
    }
    let found = 0;
    for await (const frame of journal.read()) {
      if (frame.sequence > last) break;
      const { payload, spans: count } = frame;
      const spans = decodeSpans(payload)?.spans;
      const kept = spans?.filter((span) => !isUsers(span, users, named));
      found += spans === undefined || kept === undefined ? 0 : spans.length - kept.length;
      if (dryRun) continue;
      if (kept === undefined) await journal.append({ payload, spans: count });
      else if (kept.length > 0) {
        const evidence = kept.filter(isEvidence).length;
        await journal.append({ payload: encodeSpans(kept, evidence), spans: kept.length });
      }
    }
    if (dryRun) return { found, deleted: 0, unreadable };
    // With nothing pending, files of sent frames may still exist: one more frame retires them.
    const nothing = { payload: encodeSpans([], 0), spans: 0 };
    const end = last === 0 ? (await journal.append(nothing)).sequence : last;
    await journal.checkpoint(end);
    return { found, deleted: found, unreadable };
  } finally {
    await journal.close();
  }
}

const isEvidence = (span: ReadableSpanLike): boolean =>
  span.attributes[attribute.producer_seq.span] !== undefined;

function namesUser(span: ReadableSpanLike, users: ReadonlySet<string>): boolean {
  return Object.values(span.attributes).some(
    (value) => typeof value === "string" && users.has(value),
  );
}

function isUsers(
  span: ReadableSpanLike,
  users: ReadonlySet<string>,
  traces: ReadonlySet<string>,
): boolean {
  if (namesUser(span, users)) return true;
  return (
    traces.has(span.spanContext().traceId) && span.attributes[attribute.user_id.span] === undefined
  );
}
