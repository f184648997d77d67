/**
 * Every count that a list, facets, trend, overview, differences, the incident finder, agents,
 * threads, tools, models, cost and the agent graph show equals a recount from the stored events by
 * another path, which reads and folds whole roots: on every provider, at rest and under load.
 */
import type { TurnEvent } from "@turnproof/evidence";
import {
  clickhouse,
  ephemeral,
  filesystem,
  mongodb,
  postgres,
  providersWith,
} from "@turnproof/store";
import type { EvidenceStore, ProviderName } from "@turnproof/store";
import fc from "fast-check";
import { afterAll, describe, expect, test, vi } from "vitest";

import { listen } from "../../../collector/src/server.ts";
import { sendWeek } from "../../apps/week/week.ts";
import { traceRequest } from "../../otlp/encode.ts";
import { openMongo } from "../../servers/mongo-database.ts";
import { temporaryDirectories } from "../store/temporary-directory.ts";
import { openDesk, quiet } from "./desk.ts";
import type { Desk } from "./desk.ts";
import {
  expectEqual,
  judgeAll,
  recounted,
  recountedBeside,
  recountedGroups,
  reported,
  reportedBeside,
  reportedGroups,
  turnsOf,
} from "./recounting.ts";
import { recountedCalls, reportedCalls } from "./recounting-calls.ts";
import { event } from "./turn-meaning.ts";

const directories = temporaryDirectories();
const closing: (() => Promise<unknown>)[] = [() => directories.remove()];
afterAll(async () => {
  for (const end of closing.splice(0).toReversed()) await end();
});

const stores: Readonly<Record<ProviderName, () => Promise<EvidenceStore>>> = {
  ephemeral: async () => ephemeral(),
  filesystem: async () => (await filesystem({ directory: await directories.make() })).evidence,
  clickhouse: async () => clickhouse({ connection: { dataDir: await directories.make() } }),
  postgres: async () => owned(await postgres({ path: await directories.make() })),
  async mongodb() {
    const databases = await openMongo();
    closing.push(() => databases.close());
    return owned(await mongodb({ url: databases.url }));
  },
};
const turnsOfWeek = 240;
const weekEndMs = Date.now() - 3_600_000;

/** The evidence of a provider that has a memory too; both are closed after the tests. */
function owned(provider: {
  readonly evidence: EvidenceStore;
  close(): Promise<void>;
}): EvidenceStore {
  closing.push(() => provider.close());
  return provider.evidence;
}

/** Filters that every answer is read under. */
const filters: readonly string[] = [
  "",
  "has:error",
  "-status:success",
  "latency:>2s",
  "-latency:>2s tokens:<5000",
  "-agent:order-desk",
  "verdict:failed",
  "verdict:unjudged -has:finding",
  "finding:delivery_unconfirmed",
  "insight:memory_supply_missing -status:error",
  "tokens:>100 has:cache",
  "kind:tool_call -has:fallback",
];

const everyThird = (first: number): readonly string[] =>
  filters.filter((_, index) => index % 3 === first);

async function deskOver(backend: ProviderName): Promise<Desk> {
  return openDesk({}, { store: await stores[backend](), judge: false });
}

/** Providers that answer at once. */
const quick: ReadonlySet<ProviderName> = new Set(["ephemeral", "filesystem"]);

describe.each(providersWith("evidence"))("%s", (backend) => {
  test("the demo week, at rest and while OTLP arrives", { timeout: 300_000 }, async () => {
    const desk = await deskOver(backend);
    const server = await listen(desk.collector.app, { host: "127.0.0.1", port: 0, log: quiet });
    const settled = (): Promise<void> =>
      vi.waitFor(
        async () => {
          const page = await desk.json<{ pending_frames: number }>("/traces/turns.json?limit=1");
          expect(page.pending_frames).toBe(0);
        },
        { timeout: 60_000, interval: 100 },
      );
    const { url: endpoint } = server;
    await sendWeek({ endpoint, endMs: weekEndMs, turns: turnsOfWeek, seed: "recount" });
    await settled();
    const turns = await turnsOf(desk.store);
    expect(turns.length).toBeGreaterThanOrEqual(turnsOfWeek);
    await judgeAll(desk, turns);
    const until = new Date(weekEndMs + 60_000).toISOString();
    const early = turns.filter(({ row }) => row.ended_at < until);
    let salt = 0;
    const expectAll = async (under = filters): Promise<void> => {
      for (const filter of under) {
        const requested = `${filter} before:${until}`;
        const answers = await reported(desk, requested, `nobody-${(salt += 1)}`);
        expectEqual(answers, recounted(early, requested, Date.now()), filter);
      }
    };
    await expectAll();
    for (const by of ["agent_id", "thread_id"] as const) {
      expect(await reportedGroups(desk, by)).toEqual(recountedGroups(turns, by));
    }
    // More arrives meanwhile, all of it later: what was there before stays as it was. What a filter
    // means was read at rest, and is read below over what is there then: of the slower providers
    // one in three is read meanwhile, and another afterwards.
    const later = sendMore(server.url);
    await expectAll(quick.has(backend) ? filters : everyThird(0));
    await later;
    await expectAll(everyThird(1));
    await settled();
    const all = await turnsOf(desk.store);
    expect(all.length).toBe(turns.length + 4 * requests);
    await judgeAll(desk, all);
    const { list, facets, turns: counts } = await reported(desk, "", "nobody");
    const now = recounted(all, "", Date.now());
    expectEqual(
      { list, facets, counts },
      { list: now.list, facets: now.facets, counts: now.turns },
    );
    for (const filter of filters.filter((one) => one !== "")) {
      expectEqual(
        await reportedBeside(desk, filter, "nobody"),
        recountedBeside(all, filter),
        filter,
      );
      expectEqual(await reportedCalls(desk, filter), recountedCalls(all, filter), filter);
    }
    await server.close(500);
    await desk.collector.close();
    await desk.store.close();
  });

  test("random histories", { timeout: 300_000 }, async () => {
    const desk = await deskOver(backend);
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(event, { minLength: 1, maxLength: 12 }),
        fc.constantFrom(...filters, "app:a", "-user:anonymous", "release:a tool:b", "cache:none"),
        async (events, filter) => {
          run += 1;
          await desk.put(events.map((one) => inRun(one, run)));
          const turns = await turnsOf(desk.store);
          await judgeAll(desk, turns);
          const answers = await reported(desk, filter, `nobody-${run}`);
          expectEqual(answers, recounted(turns, filter, Date.now()), filter);
          const beside = await reportedBeside(desk, filter, `nobody-${run}`);
          expectEqual(beside, recountedBeside(turns, filter), filter);
          expectEqual(await reportedCalls(desk, filter), recountedCalls(turns, filter), filter);
          for (const by of ["agent_id", "thread_id"] as const) {
            expect(await reportedGroups(desk, by)).toEqual(recountedGroups(turns, by));
          }
        },
      ),
      { numRuns: quick.has(backend) ? 25 : 10 },
    );
    await desk.collector.close();
    await desk.store.close();
  });
});

const requests = 60;

/** Sends turns that ended after the week, one request after the other. */
async function sendMore(url: string): Promise<void> {
  for (let n = 1; n <= requests; n += 1) {
    const start = BigInt(weekEndMs + 600_000 + n) * 1_000_000n;
    const spans = [1, 2, 3, 4].map((one) => ({
      traceId: (n * 10 + one).toString(16).padStart(32, "0"),
      spanId: (n * 10 + one).toString(16).padStart(16, "0"),
      name: "invoke_agent late-one",
      startTimeUnixNano: String(start),
      endTimeUnixNano: String(start + 5_000_000n),
      attributes: { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "late-one" },
    }));
    const response = await fetch(`${url}/v1/traces`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(traceRequest(spans, { "service.name": "late" })),
    });
    expect(response.status).toBe(200);
  }
}

/** An event of a root of its own run; a root is written once. */
function inRun(one: TurnEvent, run: number): TurnEvent {
  const root = `${one.root_trace_id}-${run}`;
  return { ...one, event_id: `${one.event_id}-${run}`, root_trace_id: root };
}
