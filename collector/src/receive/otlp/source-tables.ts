/**
 * @module Source tables: the names that the decoders may read, compiled once from the vocabulary.
 * Everything else is skipped by its length.
 */
import { sourceCode, sourceNames } from "@turnproof/exporter";
import {
  attribute,
  codingEvents,
  codingScope,
  dialectTables,
  knownScopeNames,
  nameSources,
  namedSpanMarks,
  otlpNames,
} from "@turnproof/semconv";

import { KeyTable } from "./key-table.ts";
import { TextMemo } from "./text-memo.ts";

/** Beginnings of scope names that determine a dialect, as text and as bytes. */
interface ScopePrefix {
  readonly name: string;
  readonly bytes: Buffer;
}

/** The names as bytes, and the memo of texts; one per decoder, because a memo is state. */
export interface SourceTables {
  /** Source names by their number. */
  readonly attributes: KeyTable;
  /**
   * By number: true where a text is a name, which is replaced by its digest when it is too long.
   */
  readonly isName: readonly boolean[];
  readonly scopes: KeyTable;
  readonly scopePrefixes: readonly ScopePrefix[];
  readonly exceptionType: KeyTable;
  /** Events of log records that are evidence: see `logEvent`. */
  readonly logEvents: KeyTable;
  readonly eventName: KeyTable;
  readonly memo: TextMemo;
  /** Its presence marks the span as ours, so that its name may be read. */
  readonly ownMark: string;
  /** Its number. */
  readonly ownCode: number;
  /** Their presence means that the name may be an agent's or a tool's. */
  readonly nameMarks: readonly string[];
  /** Their numbers. */
  readonly nameCodes: readonly number[];
}

/** Indexes in `logEvents`; anything else is no evidence. */
export const logEvent = { none: -1, evaluation: 0, inference: 1, coding: 2 } as const;

const codingEventNames = Object.keys(codingEvents);

/** The name of an event of a coding agent, by its index in `logEvents`. */
export function codingEventAt(index: number): string | undefined {
  return codingEventNames[index - logEvent.coding];
}

/** Compiles semconv's lists of names. */
export function compileSourceTables(): SourceTables {
  const prefixes = dialectTables.flatMap((table) => table.scopePrefixes);
  return {
    attributes: new KeyTable(sourceNames),
    isName: sourceNames.map((name) => nameSources.has(name)),
    scopes: new KeyTable([...knownScopeNames, codingScope]),
    scopePrefixes: prefixes.map((name) => ({ name, bytes: Buffer.from(name, "utf8") })),
    exceptionType: new KeyTable([otlpNames.exceptionType]),
    logEvents: new KeyTable([
      otlpNames.evaluationEvent,
      otlpNames.inferenceEvent,
      ...codingEventNames,
    ]),
    eventName: new KeyTable([otlpNames.eventName]),
    memo: new TextMemo(),
    ownMark: attribute.event_kind.span,
    ownCode: sourceCode.get(attribute.event_kind.span) ?? -1,
    nameMarks: namedSpanMarks,
    nameCodes: namedSpanMarks.map((name) => sourceCode.get(name) ?? -1),
  };
}

/**
 * The known scope name at `bytes[start, end)`. Of a name with a known beginning only the beginning
 * is kept: the rest is foreign text.
 */
export function scopeNameAt(
  tables: SourceTables,
  bytes: Buffer,
  start: number,
  end: number,
): string | undefined {
  const index = tables.scopes.find(bytes, start, end);
  if (index >= 0) return tables.scopes.names[index];
  const found = tables.scopePrefixes.find(
    ({ bytes: prefix }) =>
      prefix.length <= end - start &&
      bytes.compare(prefix, 0, prefix.length, start, start + prefix.length) === 0,
  );
  return found?.name;
}

/** Longest version that is kept. */
const versionBytesMax = 24;

/** A version of digits and dots; anything else could be words. */
export function scopeVersionAt(
  tables: SourceTables,
  bytes: Buffer,
  start: number,
  end: number,
): string | undefined {
  if (end === start || end - start > versionBytesMax) return undefined;
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number;
    if (byte !== 0x2e && (byte < 0x30 || byte > 0x39)) return undefined;
  }
  return tables.memo.read(bytes, start, end);
}
