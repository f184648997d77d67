/**
 * @module Content mode: the only module that passes content to a route, and so to a person
 * (requirements: Authentication 2, 3; security: Principals). Content is in memory rows, including
 * those of imported bundles. The role decides whether it may be shown, the mode how: `metadata`
 * never,
 * `redacted` masked, `full` unchanged.
 */
import { CodedError } from "@turnproof/semconv";
import type { TurnEvent } from "@turnproof/evidence";
import type { Json, MemoryFilter, MemoryRecord, MemoryStore } from "@turnproof/store";

import { permits } from "../access/principal.ts";
import type { Principal } from "../access/principal.ts";
import type { Config } from "../config/config.ts";
import { contentIds } from "../memory/legacy-content.ts";
import { redact } from "./redaction.ts";

/** One piece of content of an event. */
export interface ShownPart {
  /** Kind of content: `user`, `assistant`, `input`, `result`, `text` or `comment`. */
  readonly part: string;
  readonly record_id: string;
  readonly text: string;
}

/** Most rows that are searched for one event, per kind. */
const rowsMax = 2_000;
const pageRows = 200;

/**
 * The content of one event in memory, as this principal may see it. Empty without any.
 *
 * @throws CodedError `forbidden` for a role without the reveal permission, `content_hidden` in the
 * mode `metadata`, `not_configured` without a content store, `identity_missing` for an
 * unattributed event
 */
export async function revealContent(
  memory: MemoryStore | undefined,
  mode: Config["contentMode"],
  principal: Principal,
  event: TurnEvent,
): Promise<readonly ShownPart[]> {
  if (memory === undefined) throw new CodedError("not_configured");
  requireReveal(mode, principal);
  const tenant = event.user_id;
  if (tenant === undefined) throw new CodedError("identity_missing", { field: "user_id" });
  const own = await contentOf(memory, { tenant, ...placeOf(event) }, event);
  const parts = own.length > 0 ? own : await importedContent(memory, tenant, event);
  if (mode === "full") return parts;
  const ids = tenant === null ? [] : [tenant];
  return parts.map((part) => ({ ...part, text: redact(part.text, ids) }));
}

/** An operator's own text, such as a note, under the same rule; null where it is hidden. */
export function shownNote(
  mode: Config["contentMode"],
  principal: Principal,
  text: string | undefined,
): string | null {
  if (text === undefined || mode === "metadata" || !permits(principal, "trace.reveal")) return null;
  return mode === "full" ? text : redact(text);
}

function requireReveal(mode: Config["contentMode"], principal: Principal): void {
  if (!permits(principal, "trace.reveal")) throw new CodedError("forbidden");
  if (mode === "metadata") throw new CodedError("content_hidden");
}

function placeOf({ agent_id, thread_id }: TurnEvent): Omit<MemoryFilter, "tenant"> {
  return {
    ...(agent_id === undefined ? {} : { agentId: agent_id }),
    ...(thread_id === undefined ? {} : { threadId: thread_id }),
  };
}

type Part = Omit<ShownPart, "record_id">;

async function contentOf(
  memory: MemoryStore,
  filter: MemoryFilter,
  event: TurnEvent,
): Promise<readonly ShownPart[]> {
  const { turn_id, attributes } = event;
  // The event of a memory row is named after its kind and row.
  const row = event.event_id.slice(event.event_id.indexOf(":") + 1);
  switch (event.event_kind) {
    case "conversation":
      return rowOf(await memory.get(filter, "conversation", row), messageParts);
    case "execution_log":
      return rowOf(await memory.get(filter, "tool_log", row), callParts);
    case "turn":
      return matching(memory, filter, {
        kind: "conversation",
        parts: messageParts,
        // A turn without an id has no content of its own.
        is: ({ data }) => turn_id !== undefined && data["turn_id"] === turn_id,
      });
    case "tool_call":
      return matching(memory, filter, {
        kind: "tool_log",
        parts: callParts,
        is: ({ data }) =>
          attributes.tool_call_id !== undefined &&
          data["tool_call_id"] === attributes.tool_call_id &&
          data["turn_id"] === turn_id,
      });
    case "feedback":
      return matching(memory, filter, {
        kind: "feedback",
        parts: ({ text }) => (text === undefined ? [] : [{ part: "comment", text }]),
        is: ({ data }) =>
          attributes.comment_hash !== undefined &&
          data["comment_hash"] === attributes.comment_hash &&
          data["turn_id"] === turn_id,
      });
    default:
      return [];
  }
}

/** Content of an imported legacy bundle. */
async function importedContent(
  memory: MemoryStore,
  tenant: string | null,
  event: TurnEvent,
): Promise<readonly ShownPart[]> {
  for (const id of contentIds(event)) {
    const shown = rowOf(await memory.get({ tenant }, "trace_content", id), importedParts);
    if (shown.length > 0) return shown;
  }
  return [];
}

function rowOf(
  row: MemoryRecord | undefined,
  parts: (row: MemoryRecord) => readonly Part[],
): readonly ShownPart[] {
  return row === undefined ? [] : parts(row).map((part) => ({ ...part, record_id: row.id }));
}

async function matching(
  memory: MemoryStore,
  filter: MemoryFilter,
  search: {
    readonly kind: "conversation" | "tool_log" | "feedback";
    readonly is: (row: MemoryRecord) => boolean;
    readonly parts: (row: MemoryRecord) => readonly Part[];
  },
): Promise<readonly ShownPart[]> {
  const found: ShownPart[] = [];
  let after: string | null = null;
  let seen = 0;
  do {
    const page: Awaited<ReturnType<MemoryStore["list"]>> = await memory.list(filter, search.kind, {
      limit: pageRows,
      ...(after === null ? {} : { after }),
    });
    for (const row of page.records) {
      if (search.is(row)) found.unshift(...rowOf(row, search.parts));
    }
    seen += page.records.length;
    after = page.next;
  } while (after !== null && seen < rowsMax);
  return found;
}

function messageParts({ text, data }: MemoryRecord): readonly Part[] {
  const role = data["role"] === "assistant" ? "assistant" : "user";
  return text === undefined ? [] : [{ part: role, text }];
}

function importedParts({ data }: MemoryRecord): readonly Part[] {
  const { parts = null } = data;
  if (typeof parts !== "object" || parts === null || Array.isArray(parts)) return [];
  return Object.entries(parts).flatMap(([part, text]) =>
    typeof text === "string" ? [{ part, text }] : [],
  );
}

function callParts({ data }: MemoryRecord): readonly Part[] {
  const shown = (value: Json): string =>
    typeof value === "string" ? value : JSON.stringify(value);
  return ["input", "result"].flatMap((part) => {
    const value = data[part];
    return value === undefined || value === null ? [] : [{ part, text: shown(value) }];
  });
}
