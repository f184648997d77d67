/**
 * @module ArtifactRows: the events of one turn that makes a reply, and the metadata of a window.
 */
import { reconcileOutcome } from "@turnproof/evidence";
import type { EventResource, TurnEvent } from "@turnproof/evidence";

import { complete, event } from "./turn-event.ts";

/** A window, by what is special about it, with all of its metadata. */
export type Row = readonly [caption: string, events: TurnEvent[], expected: string[]];

type Attributes = TurnEvent["attributes"];
type Extra = Partial<TurnEvent>;

export const source: EventResource = { resource_type: "document", ref: "doc", version: "3" };
export const made = (version?: string, ref = "reply-1", type = "reply"): EventResource => ({
  resource_type: type,
  ref,
  ...(version === undefined ? {} : { version }),
});
export const requests = (
  types: readonly string[] = ["reply"],
  second = 1,
  extra: Extra = {},
): TurnEvent => event("intent", second, { expected_artifact_types: [...types] }, extra);
export const began = event("application_action", 2, {}, { phase: "start", span_id: "span" });
export const ended = event("application_action", 3, {}, { phase: "result", span_id: "span" });
export const charge = (second: number, extra: Extra = {}): TurnEvent =>
  event(
    "application_action",
    second,
    { credit_decision: "charged" },
    { phase: "result", span_id: "charge", event_id: `charge-${second}`, ...extra },
  );
export const artifact = (second = 10, attributes: Attributes = {}, extra: Extra = {}): TurnEvent =>
  event(
    "artifact",
    second,
    {
      artifact_type: "reply",
      persistence_verified: true,
      producing_span_id: "span",
      ...attributes,
    },
    { input_refs: [source], output_refs: [made("1")], ...extra },
  );
export const shows = (
  second = 20,
  refs: readonly EventResource[] = [made("1")],
  extra: Extra = {},
) =>
  event("delivery", second, { emitted: true, acknowledged: true }, { input_refs: refs, ...extra });
export const by = (producer_id: string, producer_seq: number, event_id?: string): Extra => ({
  producer_id,
  producer_seq,
  ...(event_id === undefined ? {} : { event_id }),
});
export const failed = { artifact_status: "failed", persistence_verified: false } as const;
export const deleted = { artifact_status: "deleted" } as const;
export const unnamed = { output_refs: [] };

/**
 * Status, then findings with their evidence (`?` where more could lift them), then links of one
 * sort.
 */
export function reported(events: readonly TurnEvent[], of: string = "artifact"): string[] {
  const verdict = reconcileOutcome(events, { normalizationMetadata: complete });
  const partly = reconcileOutcome(events, {});
  const findings = verdict.findings.map(({ code, subject, evidence_ids }) => {
    const same = partly.findings.find((one) => one.code === code && one.subject === subject);
    const may = same?.confidence === "low" ? "?" : "";
    return [`${code}${may}`, subject, ...evidence_ids].filter((part) => part !== null).join(" ");
  });
  const links = verdict.chain
    .filter(({ link }) => link === of)
    .map(({ name, state, reason, evidence_ids }) =>
      ["-", name, state, reason, ...evidence_ids].filter((part) => part !== null).join(" "),
    );
  return [verdict.status, ...findings, ...links];
}

/** The event without one of its attributes. */
export function without(one: TurnEvent, name: string): TurnEvent {
  const left = Object.entries(one.attributes).filter(([key]) => key !== name);
  return { ...one, attributes: Object.fromEntries(left) };
}
