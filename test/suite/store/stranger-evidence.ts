/** @module StrangerEvidence: turns of many tenants in few roots, and the questions of all. */
import type { TurnEvent } from "@turnproof/evidence";
import { recordStored, summarizeEvidence } from "@turnproof/store";
import type { EvidenceScope, EvidenceStore, TurnPage } from "@turnproof/store";
import { allTenants } from "@turnproof/store/testing";
import { expect } from "vitest";

import {
  longTexts,
  noTenants,
  numbersOf,
  only,
  ownerMark,
  ownersIn,
  strangeTexts,
} from "./stranger-world.ts";
import type { StrangerEffort } from "./stranger-world.ts";

/** A turn with its tenant, and two children without: theirs is inherited. */
function turnOf(serial: number, tenant: number, user: string | null, root: string): TurnEvent[] {
  const mark = `${ownerMark(tenant)}${serial}`;
  const common = {
    schema_version: 3,
    phase: "result",
    status: "success",
    timestamp: `2026-03-01T10:00:${String(serial % 60).padStart(2, "0")}Z`,
    root_trace_id: root,
    task_id: mark,
    dialect: "turnproof",
    attributes: {},
    input_refs: [{ resource_type: "document", ref: "shared-ref" }],
  } as const;
  const span = `span-${serial}`;
  return [
    {
      ...common,
      event_id: `${span}:t`,
      event_kind: "turn",
      span_id: span,
      user_id: user,
      agent_id: "helper",
    },
    {
      ...common,
      event_id: `${span}:m`,
      event_kind: "model_call",
      span_id: `${span}m`,
      parent_span_id: span,
    },
    {
      ...common,
      event_id: `${span}:c`,
      event_kind: "tool_call",
      span_id: `${span}c`,
      parent_span_id: `${span}m`,
    },
  ];
}

async function walked(
  read: (options: { limit: number; after?: Readonly<Record<string, string | number>> }) => Promise<{
    readonly events: readonly TurnEvent[];
    readonly next: Readonly<Record<string, string | number>> | null;
  }>,
  limit: number,
): Promise<readonly TurnEvent[]> {
  const events: TurnEvent[] = [];
  let after: Readonly<Record<string, string | number>> | null = null;
  do {
    const page: Awaited<ReturnType<typeof read>> = await read({
      limit,
      ...(after === null ? {} : { after }),
    });
    events.push(...page.events);
    after = page.next;
  } while (after !== null);
  return events;
}

/** Throws where an answer is not the tenant's own; every `stride`th tenant reads. */
export async function driveEvidence(
  store: EvidenceStore,
  { commands, seed }: StrangerEffort,
  stride = 1,
): Promise<void> {
  const next = numbersOf(seed + 1);
  const tenants: readonly (string | null)[] = [null, ...strangeTexts];
  const model = new Map<number, Map<string, TurnEvent>>();
  const batches: Parameters<EvidenceStore["append"]>[0][] = [];
  const expectIds = (events: readonly TurnEvent[], wanted: Iterable<string>): void => {
    const ids = events.map(({ event_id }) => event_id);
    expect(ids.length).toBe(new Set(ids).size);
    expect(new Set(ids)).toEqual(new Set(wanted));
  };
  // Every tenant has something to lose before the first question.
  const rounds = Math.max(tenants.length + 1, Math.floor(commands / 2));
  const waiting: TurnEvent[] = [];
  for (let serial = 0; serial < rounds; serial += 1) {
    const tenant = serial < tenants.length ? serial : next(tenants.length);
    // A few roots hold many tenants at once.
    const root = next(3) === 0 ? `own-${serial}` : `shared-${next(3)}`;
    const events = turnOf(serial, tenant, tenants[tenant] as string | null, root);
    waiting.push(...events);
    // Several tenants come in one batch.
    if (waiting.length >= 12 || serial === rounds - 1) {
      const receivedAt = `2026-03-02T10:00:0${next(4)}.000000Z`;
      const batch = { batchId: `b${serial}`, receivedAt, events: waiting.splice(0) };
      await store.append(batch);
      batches.push(batch);
    }
    const own = model.get(tenant) ?? new Map<string, TurnEvent>();
    for (const event of events) own.set(event.event_id, event);
    model.set(tenant, own);
  }
  await store.append(batches[next(batches.length)] as (typeof batches)[number]);
  const roots = batches.flatMap(({ events }) =>
    events.flatMap((event) => event.root_trace_id ?? []),
  );
  await recordStored(store, allTenants, [...new Set(roots)]);
  for (let tenant = 0; tenant < tenants.length; tenant += stride) {
    const scope = { tenant: tenants[tenant] as string | null };
    const own = model.get(tenant) ?? new Map<string, TurnEvent>();
    const limit = 4 + next(12);
    const page = await walked((o) => store.page(scope, { store: "all" }, o), limit);
    only(page, tenant);
    expectIds(page, own.keys());
    switch (next(5)) {
      case 0: {
        const found = await walked((o) => store.find(scope, "shared-ref", {}, o), limit + 3);
        only(found, tenant);
        expectIds(found, own.keys());
        break;
      }
      case 1: {
        const helper = await walked((o) => store.page(scope, { agent_id: "helper" }, o), limit);
        only(helper, tenant);
        expectIds(helper, own.keys());
        break;
      }
      case 2: {
        const root = await walked((o) => store.root(scope, "shared-1", o), limit);
        only(root, tenant);
        const inRoot = [...own.values()].filter((event) => event.root_trace_id === "shared-1");
        expectIds(
          root,
          inRoot.map(({ event_id }) => event_id),
        );
        break;
      }
      case 3: {
        const { bundles } = await store.bundles(scope, {}, { limit: 500 });
        only(bundles, tenant);
        break;
      }
      default: {
        const now = "2026-03-03T00:00:00.000Z";
        const summary = await summarizeEvidence(store, scope, {}, { now });
        only(summary, tenant);
        // Foreign ids find nothing, and a filter on another's name only narrows.
        const other = tenants[next(tenants.length)] as string | null;
        const query = { user_id: other };
        const narrowed = await walked((o) => store.page(scope, query, o), 50);
        only(narrowed, tenant);
        expectIds(narrowed, other === scope.tenant ? own.keys() : []);
      }
    }
    const { records } = await turnsIn(store, scope);
    only(records, tenant);
    expect(records.length).toBeGreaterThan(0);
  }
  await refuseForged(store);
}

function turnsIn(store: EvidenceStore, scope: EvidenceScope): Promise<TurnPage> {
  const order = { by: "first_received" } as const;
  return store.ledger.listTurns({ scope, where: [] }, { order, limit: 1_000 });
}

/** What is no scope gives nothing: a refusal or an empty answer, never rows. */
async function refuseForged(store: EvidenceStore): Promise<void> {
  // Rows without a tenant are an operator's alone.
  const [turn] = turnOf(9_999, 9_999, null, "nobody");
  const { user_id: _user, ...unattributed } = turn as TurnEvent;
  const receivedAt = "2026-03-02T11:00:00.000000Z";
  await store.append({ batchId: "nobody", receivedAt, events: [unattributed] });
  const scopes: readonly unknown[] = [
    ...noTenants.map((tenant) => ({ tenant })),
    {},
    { operator: {} },
    { operator: { applicationId: undefined } },
    { operator: Object.freeze({ [Symbol("operator-grant")]: true }) },
    ...longTexts.map((tenant) => ({ tenant })),
  ];
  for (const forged of scopes) {
    const scope = forged as Parameters<EvidenceStore["page"]>[0];
    for (const read of [
      () => store.page(scope, { store: "all" }, { limit: 100 }),
      () => store.find(scope, "shared-ref", {}, { limit: 100 }),
      () => store.root(scope, "shared-0", { limit: 100 }),
      () => store.root(scope, "nobody", { limit: 100 }),
      () => store.bundles(scope, {}, { limit: 100 }),
      () => turnsIn(store, scope),
    ]) {
      const answer: unknown = await read().catch(() => ({}));
      expect([...ownersIn(answer)], "rows for a forged scope").toEqual([]);
    }
  }
}
