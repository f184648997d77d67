/**
 * @module Played turn: a turn in a store of its own, what the store holds of it afterwards, and
 * what no recorded text may hold.
 */
import type { TurnEvent } from "@turnproof/evidence";
import { storeSink } from "@turnproof/exporter";
import { withTurn } from "@turnproof/instrumentation";
import type {
  ObservabilityRecorder,
  ResourceRef,
  TraceContext,
  Turn,
} from "@turnproof/instrumentation";
import { CodedError } from "@turnproof/semconv";
import { ephemeral } from "@turnproof/store";
import { expect } from "vitest";

/** An authoritative source. */
export const page = {
  resourceType: "page",
  ref: "page_1",
  version: "v1",
  role: "authoritative_current_source",
  ownershipVerified: true,
  provenanceStatus: "verified",
} as const satisfies ResourceRef;
/** An artifact. */
export const notes = { resourceType: "study_notes", ref: "notes_1", version: "r1" } as const;

/** What a store holds of a turn. */
export interface Played {
  readonly events: readonly TurnEvent[];
  readonly turn: TraceContext;
}

/** Plays a turn into a store and reads what the store holds of its root. */
export async function play(
  fn: (turn: Turn, recorder: ObservabilityRecorder) => unknown,
): Promise<Played> {
  const store = ephemeral();
  const sink = storeSink({ store, applicationId: "app" });
  const identity = { agentId: "a", userId: "u", memoryId: "m", threadId: "t", sink, strict: true };
  const turn = await withTurn(identity, async (own) => {
    await fn(own, own.recorder());
    return own.traceContext;
  });
  const { events } = await store.root({ tenant: "u" }, turn.rootTraceId, { limit: 1_000 });
  return { events, turn };
}

/** The one event of a kind that a turn leaves. */
export async function only(
  kind: TurnEvent["event_kind"],
  fn: (turn: Turn, recorder: ObservabilityRecorder) => unknown,
): Promise<TurnEvent> {
  const { events } = await play(fn);
  const found = events.filter(({ event_kind }) => event_kind === kind);
  expect(found).toHaveLength(1);
  return found[0] as TurnEvent;
}

/** What is thrown or rejected, as its code. */
export async function codeOf(fn: () => unknown): Promise<string> {
  try {
    await fn();
    return "accepted";
  } catch (error) {
    return CodedError.is(error) ? error.code : `no code: ${String(error)}`;
  }
}

/** Texts that are no label and no id. */
export const unsafe = {
  "an e-mail": "ann@example.com",
  "a URL": "https://shop.example/orders/1",
  "a credential": "sk-proj-Zk3vN8qLw2Xr7Tp5Yb9Dc4Fh6Jm1Gs0A",
  "a sentence": "Please send my order to the new address, thank you very much indeed",
} as const;
