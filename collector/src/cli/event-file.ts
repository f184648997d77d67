/**
 * @module EventFile: events of a file: a saved page, a list, or one of these per line. A value that
 * is not read as recorded is reported by its place and the names of its wrong fields, never by what
 * they hold.
 */
import { readFile } from "node:fs/promises";

import { joinPages, normalizeEvents } from "@turnproof/evidence";
import type { EventPage } from "@turnproof/evidence";
import { registryRows } from "@turnproof/semconv";

import { write } from "./terminal.ts";

/** What a file has; only pages have metadata about their reading. */
export interface EventFile {
  readonly events: readonly unknown[];
  readonly metadata?: ReturnType<typeof joinPages>["normalization_metadata"];
}

/** A line of a file that is not JSON, counted from 1. */
export class UnreadableLine extends SyntaxError {
  readonly line: number;

  constructor(line: number) {
    super("a line is not JSON");
    this.line = line;
  }
}

/** A value and where it is in its file. */
interface Placed {
  readonly value: unknown;
  readonly place: string;
}

/** Reads a file, and reports on stderr what of it is no event. */
export async function readEventFile(path: string): Promise<EventFile> {
  return parseEventFile(await readFile(path, "utf8"));
}

/** The same of the text of a file. */
export function parseEventFile(text: string): EventFile {
  const documents = documentsOf(text);
  const pages = documents.map(({ value }) => value).filter(isPage);
  if (pages.length > 0 && pages.length === documents.length) {
    const joined = joinPages(
      pages.map((page, index) => ({ page, cursor: pages[index - 1]?.next_cursor ?? null })),
    );
    return { events: joined.events, metadata: joined.normalization_metadata };
  }
  const values = documents.flatMap(({ value, place }): readonly Placed[] =>
    Array.isArray(value)
      ? value.map((one: unknown, at) => ({ value: one, place: `${place}item ${at + 1}` }))
      : [{ value, place: place.replace(/, $/, "") || "the only value" }],
  );
  reportRejected(values);
  return { events: values.map(({ value }) => value) };
}

function documentsOf(text: string): readonly Placed[] {
  try {
    return [{ value: JSON.parse(text), place: "" }];
  } catch {
    return text.split("\n").flatMap((line, at) => {
      if (line.trim() === "") return [];
      try {
        return [{ value: JSON.parse(line) as unknown, place: `line ${at + 1}, ` }];
      } catch {
        throw new UnreadableLine(at + 1);
      }
    });
  }
}

function isPage(value: unknown): value is EventPage {
  return typeof value === "object" && value !== null && "items" in value && "coverage" in value;
}

/** Most values that are named. */
const namedMax = 5;

function reportRejected(values: readonly Placed[]): void {
  if (faultsOf(values.map(({ value }) => value)).length === 0) return;
  const rejected = values.filter(({ value }) => faultsOf([value]).length > 0);
  for (const { value, place } of rejected.slice(0, namedMax)) {
    const fields = wrongFields(value);
    const where = fields.length === 0 ? "" : `: ${fields.join(", ")}`;
    write(`events_rejected: ${place}${where} (${faultsOf([value]).join(", ")})`);
  }
  const more = rejected.length - namedMax;
  if (more > 0) write(`events_rejected: ${more} more values`);
}

function faultsOf(values: readonly unknown[]): readonly string[] {
  return normalizeEvents(values).errors.map(({ code }) => code);
}

/** Fields that an event must have, each with a value that it may have. */
const required: Readonly<Record<string, unknown>> = {
  schema_version: 3,
  event_id: "event",
  event_kind: "span",
  timestamp: "2026-01-01T00:00:00Z",
};
const attributeNames: ReadonlySet<string> = new Set(
  registryRows.filter(({ slot }) => slot === "attributes").map(({ event }) => event),
);
const fieldNames: ReadonlySet<string> = new Set([
  ...registryRows.filter(({ slot }) => slot !== "attributes").map(({ event }) => event),
  "phase",
  "status",
  "started_at",
  "received_at",
  "duration_ms",
  "input_refs",
  "output_refs",
  "selection_ledger",
  "attributes",
]);

/** Names of the fields that are wrong each by itself, in an event that is right otherwise. */
function wrongFields(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return ["not an object"];
  }
  const record = value as Readonly<Record<string, unknown>>;
  const hasKind = !isWrong({ ...required, event_kind: record["event_kind"] });
  const kind = hasKind ? { ...required, event_kind: record["event_kind"] } : required;
  const names = new Set([...Object.keys(required), ...Object.keys(record)]);
  const wrong = [...names].flatMap((name) => {
    // Which attributes an event may have depends on its kind.
    if (name === "attributes") return hasKind ? wrongAttributes(kind, record[name]) : [];
    if (!isWrong({ ...kind, [name]: record[name] })) return [];
    // The id may follow from the span, the version from the file.
    if (record[name] === undefined && !isWrong({ ...kind, ...spanOf(record), [name]: undefined })) {
      return [];
    }
    // A name that no event has may be content itself.
    return [name in required || fieldNames.has(name) ? name : "an unknown field"];
  });
  return [...new Set(wrong)];
}

function spanOf({ span_id }: Readonly<Record<string, unknown>>): object {
  return span_id === undefined ? {} : { span_id };
}

function wrongAttributes(event: Readonly<Record<string, unknown>>, held: unknown): string[] {
  if (!isWrong({ ...event, attributes: held })) return [];
  if (typeof held !== "object" || held === null || Array.isArray(held)) return ["attributes"];
  return Object.entries(held).flatMap(([name, one]) => {
    if (!isWrong({ ...event, attributes: { [name]: one as unknown } })) return [];
    return [attributeNames.has(name) ? `attributes.${name}` : "an unknown attribute"];
  });
}

function isWrong(value: unknown): boolean {
  return faultsOf([value]).length > 0;
}
