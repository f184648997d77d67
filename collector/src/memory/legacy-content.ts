/**
 * @module Legacy content: the content of imported legacy bundles. Evidence never contains it; it
 * becomes rows of the scoped kind `trace_content`, under the event's own tenant, and only
 * `content-mode.ts` returns them (collector: Answer).
 */
import { createHash } from "node:crypto";

import { normalize } from "@turnproof/evidence";
import type { TurnEvent } from "@turnproof/evidence";
import type { TenantFilter, UntypedRecord } from "@turnproof/semconv";
import type { Json, MemoryDraft, MemoryStore } from "@turnproof/store";

import { isRecord } from "@turnproof/semconv";

import { memoryFilter } from "./memory-filter.ts";

/** Content of one event, and its tenant. */
export interface LegacyContent {
  readonly tenant: TenantFilter["tenant"];
  readonly draft: MemoryDraft;
}

/** Names under which legacy writers stored content, and the names under which it is shown. */
const partNames: { readonly [part: string]: readonly string[] } = {
  user: ["query", "question", "user_message"],
  assistant: ["answer", "response", "final_text", "output_text"],
  input: ["arguments", "args", "input", "prompt", "messages", "parameters"],
  result: ["result", "output", "error_message"],
  text: ["text", "content", "reasoning", "excerpt", "excerpts", "page_body", "candidates"],
  comment: ["comment"],
};

/** A longer text is cut: it is a preview, not an archive. */
const charsMax = 65_536;

/** The content in a stored record, by event; empty for a record without any. */
export function legacyContent(
  row: unknown,
  rooted: (event: TurnEvent) => TurnEvent,
): readonly LegacyContent[] {
  const payload = payloadOf(row);
  const children = payload?.["events"];
  if (!isRecord(row) || payload === undefined || !Array.isArray(children)) return [];
  return children.flatMap((child: unknown): LegacyContent[] => {
    const words = isRecord(child) ? wordsOf(child) : {};
    if (Object.keys(words).length === 0) return [];
    // The normalizer decides which event a child becomes, wrapped alone in its own envelope.
    const { event_count: _count, ...rest } = payload;
    const alone = { ...rest, events: [child] };
    const { events } = normalize([payload === row ? alone : { ...row, ...wrapped(row, alone) }]);
    const [event] = events;
    if (event?.user_id === undefined) return [];
    return [{ tenant: event.user_id, draft: draftOf(rooted(event), words) }];
  });
}

/** Stores the content; the same content again is the same row. */
export async function keepContent(
  memory: MemoryStore,
  content: readonly LegacyContent[],
): Promise<void> {
  for (const { tenant, draft } of content) {
    const kept = await memory.get({ tenant }, "trace_content", draft.id);
    if (kept === undefined) {
      await memory.put(memoryFilter(tenant, draft), "trace_content", draft);
    }
  }
}

/**
 * Ids under which the content of an event may be stored: its turn may have been derived on read.
 */
export function contentIds(event: TurnEvent): readonly string[] {
  const { turn_id: _turn, ...turnless } = event;
  return [...new Set([contentId(event), contentId(turnless)])];
}

function contentId({ root_trace_id, turn_id, event_id }: Partial<TurnEvent>): string {
  const text = JSON.stringify([root_trace_id ?? "", turn_id ?? "", event_id ?? ""]);
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}

function draftOf(event: TurnEvent, parts: Readonly<Record<string, string>>): MemoryDraft {
  const { agent_id, memory_id, thread_id, root_trace_id, turn_id, event_id, event_kind } = event;
  return {
    id: contentId(event),
    ...(agent_id === undefined ? {} : { agent_id }),
    ...(memory_id === undefined ? {} : { memory_id }),
    ...(thread_id === undefined ? {} : { thread_id }),
    created_at: event.timestamp,
    data: {
      event_id,
      event_kind,
      root_trace_id: root_trace_id ?? null,
      turn_id: turn_id ?? null,
      parts,
    },
  };
}

/** Content may be in a child itself or in its `data` or `attributes`. */
function wordsOf(child: UntypedRecord): Readonly<Record<string, string>> {
  const places = [child, child["data"], child["attributes"], child["payload"]].filter(isRecord);
  const words: Record<string, string> = {};
  for (const [part, names] of Object.entries(partNames)) {
    for (const place of places) {
      const name = names.find((each) => place[each] !== undefined && place[each] !== null);
      if (name === undefined) continue;
      const value = place[name] as Json;
      const text = typeof value === "string" ? value : JSON.stringify(value);
      if (text !== "") words[part] ??= text.slice(0, charsMax);
    }
  }
  return words;
}

const payloadNames = ["payload", "bundle", "content", "data", "value"] as const;

/** The bundle of a record, parsed where it was stored as text. */
function payloadOf(row: unknown): UntypedRecord | undefined {
  if (!isRecord(row)) return undefined;
  if (Array.isArray(row["events"])) return row;
  const name = payloadNames.find((each) => row[each] !== undefined);
  const value = name === undefined ? undefined : row[name];
  if (typeof value !== "string") return isRecord(value) ? value : undefined;
  try {
    const parsed: unknown = JSON.parse(value);
    return isRecord(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** The payload, wrapped under the record's name for it. */
function wrapped(row: UntypedRecord, payload: UntypedRecord): UntypedRecord {
  const name = payloadNames.find((each) => row[each] !== undefined) ?? "payload";
  return { [name]: payload };
}
