/**
 * @module TextRows: what a row of the windows by the text holds, and events that several rows add
 * to the successful turn.
 */
import type { WindowMetadata } from "@turnproof/evidence";

import { artifact, as, at, delivery, invoice, renamed, success } from "./text-windows.ts";
import type { Json } from "./verdict-cases.ts";

/** A window and what it must give. */
export interface Row {
  readonly rule: string;
  readonly events: readonly Json[];
  readonly status: string | readonly string[];
  /**
   * The codes of the diagnostics table that hold, sorted; absent where the row is not about them.
   */
  readonly diagnostics?: readonly string[];
  readonly metadata?: WindowMetadata | null;
  readonly taskId?: string;
  readonly missing?: readonly string[];
}

/** A later state of the invoice: its second version. */
export const update = (attributes: Json = {}, extra: Json = {}): Json =>
  artifact(
    { artifact_status: "updated", ...attributes },
    {
      event_id: "update",
      timestamp: "2026-11-21T08:00:50Z",
      output_refs: [invoice("2")],
      ...extra,
    },
  );
/** A fresh delivery, of the second version unless it names another. */
export const again = (attributes: Json = {}, extra: Json = {}): Json =>
  delivery(attributes, {
    event_id: "again",
    timestamp: "2026-11-21T08:00:59Z",
    input_refs: [invoice("2")],
    ...extra,
  });
/** The result of a model call. */
export const model = (second: number, attributes: Json, extra: Json = {}): Json =>
  at(second, "model_call", attributes, {
    event_id: `model-${second}`,
    phase: "result",
    span_id: `bbbbbbbbbbbbbb${second}`,
    ...extra,
  });
/** The label of a task. */
export const task = (name: string): Json => ({ task_id: name });
/** The five events as a task's, with a producer of its own. */
export const taskWindow = (name: string, changes: { [id: string]: Json | null } = {}): Json[] =>
  renamed(as(success(changes), task(name)), name).map((event) => {
    const span = `cccccccccccccc${name}`;
    if (event["span_id"] !== undefined) return { ...event, span_id: span };
    const attributes = event["attributes"] as Json;
    return attributes["producing_span_id"] === undefined
      ? event
      : { ...event, attributes: { ...attributes, producing_span_id: span } };
  });
