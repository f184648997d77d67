/** The digest of a cursor's unit: of one read of its root, the same as of many small ones. */
import { createHash } from "node:crypto";

import { canonicalJson, compareText, contentOf } from "@turnproof/evidence";
import type { TurnEvent } from "@turnproof/evidence";
import { ephemeral, issueOperatorGrant } from "@turnproof/store";
import type { EvidenceStore, Keyset } from "@turnproof/store";
import fc from "fast-check";
import { expect, test } from "vitest";

import { cursorUnitAt } from "./cursor-digest.ts";
import type { CursorUnitPlace } from "./cursor-digest.ts";

const scope = { operator: issueOperatorGrant() };
const { signal } = new AbortController();
const receipts = ["2026-11-21T10:01:00.000000Z", "2026-11-21T10:02:00.000000Z"] as const;

const eventOf = (span: number, parent: number): TurnEvent => ({
  schema_version: 3,
  event_id: `${span}:result`,
  event_kind: "tool_call",
  phase: "result",
  status: "success",
  timestamp: "2026-11-21T10:00:00.000Z",
  span_id: `${span}`,
  parent_span_id: `${parent}`,
  root_trace_id: "root",
  attributes: {},
});

async function storeOf(batches: readonly (readonly TurnEvent[])[]): Promise<EvidenceStore> {
  const store = ephemeral();
  for (const [index, events] of batches.entries()) {
    await store.append({ batchId: `${index}`, receivedAt: receipts[index % 2] as string, events });
  }
  return store;
}

/** By pages of a few events. */
async function byPages(store: EvidenceStore, at: CursorUnitPlace): Promise<string> {
  const contents: string[] = [];
  let [rows, latest] = [0, ""];
  let after: Keyset | null = null;
  do {
    const options = { limit: 3, ...(after === null ? {} : { after }) };
    const slice = await store.root(scope, "root", options);
    rows += slice.sourceRows;
    for (const event of slice.events) {
      if ((event.received_at ?? "") > latest) latest = event.received_at ?? "";
      if (event.received_at === at["received"]) contents.push(contentOf(event));
    }
    after = slice.next;
  } while (after !== null);
  const text = at["received"] === undefined ? { rows, latest } : contents.toSorted(compareText);
  return createHash("sha256").update(canonicalJson(text)).digest("base64url");
}

test("over random histories it is that of small pages", async () => {
  const span = fc.integer({ min: 1, max: 12 });
  const batch = fc.array(fc.tuple(span, span), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(batch, { maxLength: 4 }),
      fc.constantFrom<CursorUnitPlace>(
        { root: "root" },
        ...receipts.map((received) => ({ root: "root", received })),
      ),
      async (batches, at) => {
        const store = await storeOf(batches.map((one) => one.map(([own, of]) => eventOf(own, of))));
        const reader = { parts: { store, memory: undefined }, scope, query: {}, signal };
        expect((await cursorUnitAt(reader, at)).digest).toBe(await byPages(store, at));
      },
    ),
    { numRuns: 200 },
  );
});

test("a root is read once for it, however many events it has", async () => {
  const spans = Array.from({ length: 10_001 }, (_, span) => eventOf(span + 1, span));
  const held = await storeOf([spans]);
  let reads = 0;
  const store: EvidenceStore = {
    ...held,
    root(...requested) {
      reads += 1;
      return held.root(...requested);
    },
  };
  const reader = { parts: { store, memory: undefined }, scope, query: {}, signal };
  await cursorUnitAt(reader, { root: "root", received: receipts[0] });
  expect(reads).toBe(1);
});
