/** @module OldWorld: evidence as a version before the ledger had it, and what it must answer. */
import type { EvidenceBatch, TurnEvent } from "@turnproof/evidence";
import { ephemeral, recordStored } from "@turnproof/store";
import type { EvidenceStore, Keyset } from "@turnproof/store";
import { allTenants, receivedAt, sampleEvent, sampleTurn } from "@turnproof/store/testing";

/** Batches of several users, roots that grew over several batches, an id with U+0000. */
export function oldBatches(turns: number): readonly EvidenceBatch[] {
  const batches: EvidenceBatch[] = [];
  for (let n = 0; n < turns; n += 1) {
    const who = {
      user_id: n % 5 === 0 ? null : `u-${n % 3}`,
      agent_id: `agent-${n % 2}`,
      thread_id: `t-${n % 7}\u0000`,
    };
    const root = `root-${n}`;
    const events = [
      ...sampleTurn(root, who),
      sampleEvent(`late-${n}`, { root_trace_id: "shared" }),
    ];
    batches.push({ batchId: `batch-${n}`, receivedAt: receivedAt(n % 50), events });
    const more = sampleEvent("more", { root_trace_id: root, parent_span_id: "aa" });
    batches.push({ batchId: `more:${n}`, receivedAt: receivedAt(55), events: [more] });
  }
  return batches;
}

/** What a store answers of these batches. */
export interface Answers {
  readonly events: readonly TurnEvent[];
  readonly scoped: readonly TurnEvent[];
  readonly found: readonly TurnEvent[];
  readonly batches: readonly unknown[];
  readonly turns: readonly unknown[];
}

async function pages(store: EvidenceStore, tenant?: string): Promise<readonly TurnEvent[]> {
  const scope = tenant === undefined ? allTenants : { tenant };
  const events: TurnEvent[] = [];
  for (let after: Keyset | undefined; ;) {
    const options = { limit: 500, ...(after === undefined ? {} : { after }) };
    const page = await store.page(scope, { store: "all" }, options);
    events.push(...page.events);
    if (page.next === null) return events;
    after = page.next;
  }
}

/** All that the store returns. */
export async function answersOf(
  store: EvidenceStore,
  batches: readonly EvidenceBatch[],
): Promise<Answers> {
  const every = { scope: allTenants, where: [] };
  const { records } = await store.ledger.listTurns(every, {
    order: { by: "first_received" },
    limit: 5_000,
  });
  return {
    events: (await pages(store)).toSorted(byName),
    scoped: (await pages(store, "u-1")).toSorted(byName),
    found: (await store.find(allTenants, "t-3\u0000", {}, { limit: 500 })).events.toSorted(byName),
    batches: await Promise.all(
      batches.slice(0, 40).map((batch) => store.readBack(batch.batchId, batch.receivedAt)),
    ),
    turns: records.toSorted((a, b) => (a.key < b.key ? -1 : 1)),
  };
}

const byName = (a: TurnEvent, b: TurnEvent): number => (nameOf(a) < nameOf(b) ? -1 : 1);
const nameOf = (event: TurnEvent): string =>
  `${event.root_trace_id}/${event.span_id}/${event.phase}/${event.event_kind}`;

/** What they must answer: the same batches in a store of this version. */
export async function wantedOf(batches: readonly EvidenceBatch[]): Promise<Answers> {
  await using store = ephemeral();
  for (const batch of batches) await store.append(batch);
  const roots = batches.flatMap(({ events }) => events.flatMap((one) => one.root_trace_id ?? []));
  await recordStored(store, allTenants, [...new Set(roots)]);
  return await answersOf(store, batches);
}
