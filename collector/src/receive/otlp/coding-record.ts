/**
 * @module CodingRecord: a log record of Claude Code or Codex CLI as a span of ours: a prompt is
 * the start of a turn, a request a model call, a result a tool call. Records have no trace, so the
 * root is derived: of one prompt for Claude Code, of the conversation for Codex, which names no
 * prompt.
 */
import { createHash } from "node:crypto";

import { attribute, codingEvents, codingNames, codingScope } from "@turnproof/semconv";
import type { AttributeValue, CodingEvent } from "@turnproof/semconv";

import { decodedAttributes } from "./span-builder.ts";
import type { DecodedAttributes, SpanBuilder } from "./span-builder.ts";

const completed = "response.completed";
const failed = "response.failed";

/** Fills the builder; rejects a record that is no evidence. */
export function settleCodingRecord(builder: SpanBuilder, event: string, time: string): void {
  const known = codingEvents[event];
  const source = reader(builder.attributes);
  // Another product may have an event of a name without a prefix; none has the id of a prompt.
  const isOwn =
    event.includes(".") || source.text("prompt") !== undefined || builder.scopeName === codingScope;
  const thread = source.text("session") ?? source.text("conversation");
  if (known === undefined || !isOwn || thread === undefined || !isEvidence(known, source)) {
    builder.reject("log_not_evidence");
    return;
  }
  const turn = source.text("prompt") ?? thread;
  const root = digest([known.agent, thread, turn]);
  const attributes = attributesOf(known, source);
  Object.assign(attributes, {
    [attribute.agent_id.span]: known.agent,
    [attribute.agent_name.span]: known.agent,
    [attribute.thread_id.span]: thread,
    [attribute.turn_id.span]: turn,
  });
  const user = source.text("account") ?? source.text("codexAccount") ?? source.text("user");
  if (user !== undefined) attributes[attribute.user_id.span] = user;
  builder.traceId = root.slice(0, 32);
  // The same record sent again is the same event.
  const identity = Object.entries(attributes).toSorted(([a], [b]) => (a < b ? -1 : 1));
  builder.spanId = digest([root, event, time, JSON.stringify(identity)]).slice(0, 16);
  builder.parentSpanId = undefined;
  builder.kind = known.fact === "model_call" || known.fact === "failed_call" ? 3 : 1;
  builder.name = undefined;
  builder.startTimeUnixNano = startOf(time, source.number("duration"));
  builder.endTimeUnixNano = time;
  builder.attributes = attributes;
}

/**
 * Of what streams, only the end has token counts; of requests to Codex's model, only failures
 * count.
 */
function isEvidence({ agent, fact }: CodingEvent, source: Reader): boolean {
  if (agent !== "codex") return true;
  if (fact === "model_call") return [completed, failed].includes(source.text("streamed") ?? "");
  // A request without an answer, such as one that timed out, has no status.
  return fact !== "failed_call" || (source.number("codexStatus") ?? 400) >= 400;
}

function attributesOf({ agent, fact }: CodingEvent, source: Reader): DecodedAttributes {
  const attributes = decodedAttributes();
  const put = (name: keyof typeof attribute, value: AttributeValue | undefined): void => {
    if (value !== undefined) attributes[attribute[name].span] = value;
  };
  put("event_kind", fact === "failed_call" ? "model_call" : fact);
  if (fact === "turn") {
    // No record marks the end of a turn, so a prompt is a point in time and its status is open.
    put("phase", "event");
    put("status", "unknown");
    return attributes;
  }
  // Without a duration a call is a point in time: a span whose ends are equal would last 0 ms.
  put("phase", source.number("duration") === undefined ? "event" : "result");
  if (fact === "tool_call") {
    const succeeded = source.flag("success");
    put("genai_operation", "execute_tool");
    put("tool_name", source.text("tool"));
    put("tool_call_id", source.text("toolUse") ?? source.text("call"));
    put("status", succeeded === undefined ? "unknown" : succeeded ? "success" : "error");
    return attributes;
  }
  put("genai_operation", "chat");
  put("provider", agent === "codex" ? "openai" : "anthropic");
  put("model", source.text("model"));
  put("request_id", source.text("request"));
  const hasFailed =
    fact === "failed_call" || (agent === "codex" && source.text("streamed") === failed);
  put("status", hasFailed ? "error" : statusOf(agent, source));
  if (fact === "failed_call") {
    const status = source.number("statusCode") ?? source.number("codexStatus");
    put("error_type", status === undefined ? undefined : String(status));
    return attributes;
  }
  putTokens(put, source);
  return attributes;
}

/**
 * Codex writes the end of a failed stream as a completed one, with a message in place of tokens,
 * so without tokens the outcome is open.
 */
function statusOf(agent: CodingEvent["agent"], source: Reader): "success" | "unknown" {
  const counts = [source.number("codexInput"), source.number("codexOutput")];
  const isOpen = agent === "codex" && counts.every((count) => count === undefined);
  return isOpen ? "unknown" : "success";
}

/** Claude Code counts cached input apart; the conventions count it among the input. */
function putTokens(
  put: (name: keyof typeof attribute, value: AttributeValue | undefined) => void,
  source: Reader,
): void {
  const fresh = source.number("inputTokens");
  const [read, created] = [source.number("cacheRead"), source.number("cacheCreation")];
  const counted = fresh === undefined ? undefined : fresh + (read ?? 0) + (created ?? 0);
  put("input_tokens", counted ?? source.number("codexInput"));
  put("output_tokens", source.number("outputTokens") ?? source.number("codexOutput"));
  put("cached_tokens", read ?? source.number("codexCached"));
  put("cache_write_tokens", created);
  put("reasoning_tokens", source.number("codexReasoning"));
}

type Name = keyof typeof codingNames;

interface Reader {
  text(name: Name): string | undefined;
  /** A whole number from 0, written as one or as digits. */
  number(name: Name): number | undefined;
  flag(name: Name): boolean | undefined;
}

function reader(attributes: DecodedAttributes): Reader {
  return {
    text(name) {
      const value = attributes[codingNames[name]];
      return typeof value === "string" && value !== "" ? value : undefined;
    },
    number(name) {
      const value = attributes[codingNames[name]];
      const number =
        typeof value === "string" && /^\d{1,15}(\.\d+)?$/.test(value) ? Number(value) : value;
      return typeof number === "number" && number >= 0 ? Math.round(number) : undefined;
    },
    flag(name) {
      const value = attributes[codingNames[name]];
      if (value === true || value === "true") return true;
      return value === false || value === "false" ? false : undefined;
    },
  };
}

function digest(parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

function startOf(time: string, durationMs: number | undefined): string {
  if (durationMs === undefined) return time;
  const start = BigInt(time) - BigInt(durationMs) * 1_000_000n;
  return start > 0n ? String(start) : time;
}
