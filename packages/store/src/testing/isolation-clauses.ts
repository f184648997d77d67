/**
 * @module IsolationClauses: nothing outside of a scope ever leaves a store (requirements: Scope
 * hierarchy 1 to 3; faults T3, T7). Random histories run on the provider and on the reference, and
 * every read must be equal and inside its scope. These clauses cannot be exempted.
 */
import { deepEqual, equal, ok } from "node:assert/strict";

import type { EvidenceBatch, TurnEvent } from "@turnproof/evidence";

import { ephemeral } from "../ephemeral.ts";
import type { EvidenceStore } from "../evidence-store.ts";
import { issueOperatorGrant } from "../scope.ts";
import type { EvidenceScope } from "../scope.ts";
import type { KitClause, Harness } from "./contract.ts";
import { ledgerIsolationClauses } from "./ledger-clauses.ts";
import { onStore } from "./on-store.ts";
import { operatorIsolationClauses } from "./operator-clauses.ts";
import { hostileIds } from "./hostile.ts";
import { holdsForEvery } from "./random-runs.ts";
import { histories } from "./random-world.ts";
import type { Command } from "./random-world.ts";
import { sampleEvent, sampleTurn } from "./sample-event.ts";
import { walkPages } from "./walk-pages.ts";

/** Result of a read, page by page, in a form that can be compared between two stores. */
async function shown(store: EvidenceStore, command: Command): Promise<unknown> {
  switch (command.do) {
    case "append":
    case "again":
      return undefined;
    case "page": {
      const { scope, query } = command;
      const pages = await walkPages((o) => store.page(scope, query, o), command);
      return pages.map((page) => {
        inside(page.events, scope);
        return [page.events, page.sourceRows, page.bundleCount, page.duplicatesRemoved];
      });
    }
    case "find": {
      const { scope, id } = command;
      const pages = await walkPages((o) => store.find(scope, id, { store: "all" }, o), command);
      return pages.map((page) => {
        inside(page.events, scope);
        return [page.events, page.sourceRows];
      });
    }
    case "root": {
      const { scope, root } = command;
      const pages = await walkPages((o) => store.root(scope, root, o), command);
      return pages.map((page) => {
        inside(page.events, scope);
        return [page.events, page.bounded];
      });
    }
    case "bundles": {
      const { scope, query } = command;
      const pages = await walkPages((o) => store.bundles(scope, query, o), command);
      return pages.map((page) => {
        const events = page.bundles.flatMap((bundle) => eventsIn(bundle.payload));
        inside(events, scope);
        return page.bundles;
      });
    }
  }
}

function eventsIn(payload: unknown): readonly TurnEvent[] {
  return (payload as { readonly events: readonly TurnEvent[] }).events;
}

/** Checked without the store's own scope check, which may be broken. */
function inside(events: readonly TurnEvent[], scope: EvidenceScope): void {
  if ("operator" in scope) return;
  for (const event of events) {
    ok(event.user_id === scope.tenant, "an event of another tenant left the store");
    const applicationId: string | undefined = scope.applicationId;
    ok(applicationId === undefined || event.application_id === applicationId);
  }
}

async function runHistory(history: readonly Command[], harness: Harness): Promise<void> {
  const store = await harness.open();
  const reference = ephemeral();
  const batches: EvidenceBatch[] = [];
  try {
    for (const command of history) {
      if (command.do === "append" || command.do === "again") {
        const batch =
          command.do === "append" ? command.batch : batches[command.nth % (batches.length || 1)];
        if (batch === undefined) continue;
        batches.push(batch);
        await store.append(batch);
        await reference.append(batch);
        await harness.settle(store);
      } else {
        deepEqual(await shown(store, command), await shown(reference, command));
      }
    }
  } finally {
    await store.close();
  }
}

/** All clauses about scope. */
export const isolationClauses: readonly KitClause[] = [
  ...operatorIsolationClauses,
  {
    name: "random histories read the same as in the reference, inside their scope",
    isolation: true,
    async run(harness) {
      const drawn = histories(harness.effort.commands);
      await holdsForEvery(drawn, (history) => runHistory(history, harness), harness.effort);
    },
  },
  {
    ...onStore("hostile tenants stay apart in every read", async (store, put) => {
      // Three roots contain all tenants: each turn has its own spans in them.
      const own = hostileIds.map((user_id, i) => {
        const who = { user_id, agent_id: "helper", turn_id: `t${i}` };
        return sampleTurn(`root-${i % 3}`, who).map((event) => ({
          ...event,
          event_id: `${i}-${event.event_id}`,
          span_id: `${i}-${event.span_id}`,
          ...(event.parent_span_id === undefined
            ? {}
            : { parent_span_id: `${i}-${event.parent_span_id}` }),
        }));
      });
      const half = Math.floor(own.length / 2);
      await put(1, own.slice(0, half).flat());
      await put(2, own.slice(half).flat());
      for (const tenant of hostileIds) {
        const scope = { tenant };
        const page = await store.page(scope, {}, { limit: 100 });
        equal(page.events.length, 3);
        const reads = [page.events, (await store.find(scope, tenant, {}, { limit: 100 })).events];
        for (const events of reads) {
          equal(events.length, 3);
          inside(events, scope);
        }
      }
      // Unattributed rows are readable by operators only, whatever value is passed as the tenant.
      await put(3, [sampleEvent("nn", { root_trace_id: "root-0", span_id: "nn" })]);
      await put(4, [sampleEvent("mm", { root_trace_id: "nobody" })]);
      for (const none of [{}, { tenant: undefined }, { tenant: 0 }, { tenant: ["ann"] }]) {
        const scope = none as unknown as EvidenceScope;
        for (const read of [
          () => store.page(scope, {}, { limit: 10 }),
          () => store.root(scope, "nobody", { limit: 10 }),
          () => store.find(scope, "nobody", {}, { limit: 10 }),
        ]) {
          const events = await read().then(
            (slice) => slice.events,
            () => [],
          );
          equal(events.length, 0);
        }
      }
      for (const tenant of [null, "", "nobody", "x\ud800", "*", "%"]) {
        equal((await store.page({ tenant }, {}, { limit: 10 })).events.length, 0);
      }
    }),
    isolation: true,
  },
  {
    ...onStore("a scope bound to an application holds in every read", async (store, put) => {
      const turn = (root: string, application_id: string): TurnEvent[] =>
        sampleTurn(root, { user_id: "u", thread_id: "t", application_id });
      await put(1, [...turn("root-1", "desk"), ...turn("root-2", "shop")]);
      const grant = issueOperatorGrant({ applicationId: "desk" });
      for (const scope of [{ tenant: "u", applicationId: "desk" }, { operator: grant }]) {
        const reads = [
          (await store.page(scope, {}, { limit: 9 })).events,
          (await store.find(scope, "t", {}, { limit: 9 })).events,
          (await store.root(scope, "root-1", { limit: 9 })).events,
          (await store.bundles(scope, {}, { limit: 9 })).bundles.flatMap((bundle) =>
            eventsIn(bundle.payload),
          ),
        ];
        for (const events of reads) {
          equal(events.length, 3);
          ok(events.every((event) => event.application_id === "desk"));
        }
        equal((await store.root(scope, "root-2", { limit: 9 })).events.length, 0);
      }
    }),
    isolation: true,
  },
  ...ledgerIsolationClauses,
];
