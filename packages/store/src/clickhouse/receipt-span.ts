/**
 * @module ReceiptSpan: the first and last received time of all rows, between which windows move. An
 * embedded store has one writer, so it asks once and then hears from that writer.
 */
import type { Engine } from "./connection.ts";

/** Microseconds since the epoch. */
export interface ReceiptSpan {
  readonly first: number;
  readonly last: number;
}

/** Knows the span; `note` is told what was inserted. */
export interface ReceiptSpans {
  current(signal?: AbortSignal): Promise<ReceiptSpan | undefined>;
  note(inserted: ReceiptSpan): void;
}

/** The spans of an engine. */
export function receiptSpans(engine: Engine): ReceiptSpans {
  let known: ReceiptSpan | undefined;
  const join = (span: ReceiptSpan | undefined): void => {
    if (span === undefined) return;
    const first = Math.min(known?.first ?? span.first, span.first);
    known = { first, last: Math.max(known?.last ?? span.last, span.last) };
  };
  let asked = false;
  return {
    async current(signal) {
      if (engine.shared !== undefined) return engine.shared.span();
      if (!engine.embedded) return read(engine, signal);
      if (!asked) {
        join(await read(engine, signal));
        asked = true;
      }
      return known;
    },
    note: join,
  };
}

async function read(engine: Engine, signal?: AbortSignal): Promise<ReceiptSpan | undefined> {
  const answer = await engine.query(
    "SELECT min(received_at) AS first, max(received_at) AS last, toUInt32(count() > 0) AS some FROM events",
    {},
    signal,
  );
  const at = (name: string): number => Number(answer.columns.get(name)?.[0] ?? 0);
  return at("some") === 0 ? undefined : { first: at("first"), last: at("last") };
}
