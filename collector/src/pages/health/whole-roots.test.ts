/**
 * Which traces are read with all of their events: the same as by whole reads of each, over random
 * histories, and of a large one no more is read than shows it.
 */
import { parentlessRoots } from "@turnproof/evidence";
import type { TurnEvent } from "@turnproof/evidence";
import { ephemeral, issueOperatorGrant } from "@turnproof/store";
import type { EvidenceScope, EvidenceStore } from "@turnproof/store";
import fc from "fast-check";
import { expect, test } from "vitest";

import type { Parts } from "../../parts.ts";
import { collectRoot } from "../../turns/window.ts";
import { wholeRoots } from "./whole-roots.ts";

const settled = { mark: "2026-11-21T11:00:00.000000Z", pending: 0 };
const damage = { report: () => ({ store: null, traces: 0, located: true }) };

const partsOf = (store: EvidenceStore): Parts =>
  ({ store, damage, ingest: { mark: () => settled.mark } }) as unknown as Parts;

interface Drawn {
  readonly root: number;
  readonly span: number;
  readonly parent: number | undefined;
  readonly user: string | undefined;
}

const eventOf = ({ root, span, parent, user }: Drawn): TurnEvent => ({
  schema_version: 3,
  event_id: `${span}:result`,
  event_kind: "tool_call",
  phase: "result",
  status: "success",
  timestamp: `2026-11-21T10:00:${String(span % 60).padStart(2, "0")}.000Z`,
  span_id: `${span}`,
  ...(parent === undefined ? {} : { parent_span_id: `${parent}` }),
  ...(user === undefined ? {} : { user_id: user, application_id: `app-${user}` }),
  root_trace_id: `root-${root}`,
  attributes: {},
});

const drawn = fc.record({
  root: fc.integer({ min: 1, max: 3 }),
  span: fc.integer({ min: 1, max: 30 }),
  parent: fc.option(fc.integer({ min: 1, max: 40 }), { nil: undefined }),
  user: fc.constantFrom(undefined, undefined, "a", "b"),
});
const history = fc.record({
  batches: fc.array(fc.array(drawn, { minLength: 1, maxLength: 20 }), { maxLength: 5 }),
  limit: fc.integer({ min: 1, max: 40 }),
  scope: fc.constantFrom<EvidenceScope>(
    { operator: issueOperatorGrant() },
    { operator: issueOperatorGrant({ applicationId: "app-a" }) },
    { tenant: "a" },
  ),
});

async function storeOf(batches: readonly (readonly TurnEvent[])[]): Promise<EvidenceStore> {
  const store = ephemeral();
  for (const [index, events] of batches.entries()) {
    const receivedAt = `2026-11-21T10:0${index + 1}:00.000000Z`;
    await store.append({ batchId: `${index}`, receivedAt, events });
  }
  return store;
}

/** By a whole read of each trace. */
async function byWholeReads(
  parts: Parts,
  scope: EvidenceScope,
  events: readonly TurnEvent[],
): Promise<readonly string[]> {
  const held = new Set(events.map(({ root_trace_id: root, event_id: id }) => `${root} ${id}`));
  const whole: string[] = [];
  for (const root of parentlessRoots(events)) {
    const reading = { scope, query: { store: "all" } } as const;
    const window = await collectRoot(parts, reading, root, { settled });
    const all = window.events.every(({ event_id: id }) => held.has(`${root} ${id}`));
    if (window.complete && all) whole.push(root);
  }
  return whole;
}

test("over random histories they are those of whole reads", async () => {
  let found = 0;
  await fc.assert(
    fc.asyncProperty(history, async ({ batches, limit, scope }) => {
      const parts = partsOf(await storeOf(batches.map((batch) => batch.map(eventOf))));
      const { events } = await parts.store.page(scope, { store: "trace" }, { limit });
      const reading = { scope, query: { store: "trace" } } as const;
      const whole = await wholeRoots(parts, { reading, settled, events });
      expect([...whole]).toEqual(await byWholeReads(parts, scope, events));
      found += whole.size;
    }),
    { numRuns: 300 },
  );
  expect(found).toBeGreaterThan(20);
});

test("of large traces no more is read than shows that they are larger", async () => {
  const spans = Array.from({ length: 5_000 }, (_, span) => span);
  const large = [1, 2].map((root) =>
    spans.map((span) => eventOf({ root, span: span + 1, parent: 9_000, user: undefined })),
  );
  const held = await storeOf(large);
  const budgets: (number | undefined)[] = [];
  const store: EvidenceStore = {
    ...held,
    root(scope, root, options) {
      budgets.push(options.budgetRows);
      return held.root(scope, root, options);
    },
    roots(scope, roots, options) {
      budgets.push(options.budgetRows);
      return held.roots(scope, roots, options);
    },
  };
  const scope = { operator: issueOperatorGrant() };
  const { events } = await held.page(scope, { store: "trace" }, { limit: 100 });
  const reading = { scope, query: { store: "trace" } } as const;
  expect([...(await wholeRoots(partsOf(store), { reading, settled, events }))]).toEqual([]);
  expect(budgets.length).toBeGreaterThan(1);
  expect(budgets.filter((rows) => rows === undefined || rows > 201)).toEqual([]);
});
