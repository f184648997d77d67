/**
 * @module A randomized driver over every provider: hostile tenants at once, failures of the store
 * and of the embedder, deletions, reopening; each answer is compared with an oracle that shares no
 * code with memory. `MEMORY_OPERATIONS=100000` is the long run, `MEMORY_SEED` another history.
 */
import { lexicalEmbedder, Memory } from "@turnproof/memory";
import { deleteUser } from "@turnproof/memory/admin";
import { CodedError } from "@turnproof/semconv";
import type { AdministeredMemory, MemoryStore } from "@turnproof/store";
import { hostileNames } from "@turnproof/store/testing";
import { describe, expect, test } from "vitest";

import { randomOf } from "../evidence/oracle/random.ts";
import type { Random } from "../evidence/oracle/random.ts";
import { Oracle } from "./oracle.ts";
import type { OraclePlace } from "./oracle.ts";
import { reopenables } from "./reopenable.ts";
import type { Reopenable } from "./reopenable.ts";

const operations = Number(process.env["MEMORY_OPERATIONS"] ?? 600);
const seed = Number(process.env["MEMORY_SEED"] ?? 20_261_122);
const tenants: readonly (string | null)[] = [null, ...hostileNames];
const names = ["home_city", "tone", "river"];
const marksIn = (text: string): readonly string[] => [...new Set(text.match(/mark\d+x/g))];
const all = { messagesMax: 1_000, charsMax: 1e9 };

/** Memory whose store and embedder fail on request. */
class Faulty {
  memory!: Memory;
  store!: AdministeredMemory;
  /** Tenants whose next write is refused before it reaches the store. */
  readonly refusing: Set<string | null> = new Set();
  embedderFails = false;
  readonly provider: Reopenable;

  constructor(provider: Reopenable) {
    this.provider = provider;
  }

  async open(): Promise<void> {
    this.store = await this.provider.open();
    const { store, refusing } = this;
    const put: MemoryStore["put"] = async (filter, ...rest) => {
      if (refusing.has(filter.tenant)) throw new CodedError("store_unavailable");
      return store.put(filter, ...rest);
    };
    const lexical = lexicalEmbedder();
    const embedder = {
      ...lexical,
      doEmbed: (options: { readonly values: string[] }) => {
        if (this.embedderFails) return Promise.reject(new Error("away"));
        return lexical.doEmbed(options);
      },
    };
    const faulty = Object.create(store, { put: { value: put } }) as MemoryStore;
    this.memory = new Memory(faulty, { embedder });
  }
}

/** Input of a step: nothing of it is drawn while others run. */
interface Step {
  readonly place: OraclePlace;
  readonly kind: number;
  readonly name: string;
  readonly mark: string;
  readonly refused: boolean;
}

function draw(random: Random, userId: string | null, serial: number): Step {
  const place = {
    userId,
    agentId: `agent_${random.below(2)}`,
    memoryId: `memory_${random.below(2)}`,
    threadId: `thread_${random.below(3)}`,
  };
  const mark = `mark${serial}x`;
  const refused = random.chance(0.05);
  return { place, kind: random.below(100), name: random.pick(names), mark, refused };
}

/** One operation of one tenant, on memory and on the oracle. */
async function play(faulty: Faulty, oracle: Oracle, step: Step): Promise<void> {
  const { place, kind, name, mark, refused } = step;
  const { conversation, entities } = faulty.memory;
  if (refused) faulty.refusing.add(place.userId);
  const written = async (write: Promise<unknown>, then: () => void): Promise<void> => {
    const code = await write.then(
      () => undefined,
      (error: unknown) => (CodedError.is(error) ? error.code : String(error)),
    );
    expect(code).toBe(refused ? "store_unavailable" : undefined);
    if (!refused) then();
  };
  if (kind < 35) {
    const role = kind % 2 === 0 ? "user" : "assistant";
    const text = `where is the ${name} of ${mark} please`;
    await written(conversation.append(place, [{ role, text }]), () =>
      oracle.print({ ...place, role, mark }),
    );
  } else if (kind < 50) {
    const role = name === "tone" ? "preference" : "profile";
    await written(entities.remember(place, { name, role, text: `it is ${mark}` }), () =>
      oracle.remember(place, name, mark),
    );
  } else if (kind < 58) {
    const role = name === "tone" ? "preference" : "profile";
    expect(await entities.forget(place, name, role)).toBe(oracle.forget(place, name));
  } else if (kind < 70) {
    const history = await conversation.history(place, all);
    expect(history.flatMap(({ text }) => marksIn(text))).toEqual(oracle.history(place, 1_000));
  } else if (kind < 80) {
    const found = (await entities.list(place)).map((row) => `${row.name}=${marksIn(row.text)[0]}`);
    expect(found.toSorted((a, b) => (a < b ? -1 : 1))).toEqual(oracle.entities(place));
  } else if (kind < 98) {
    const question = { text: `where is the ${name}` };
    const mode = (["hybrid", "vector", "lexical"] as const)[kind % 3] ?? "hybrid";
    const policy = { retrieval: { mode } };
    const { history, text } = await faulty.memory.assembleContext(place, question, policy);
    const allowed = oracle.allowed(place);
    const stated = history.flatMap((message) => marksIn(message.text));
    expect(marksIn(text).filter((found) => !allowed.has(found))).toEqual([]);
    // A history begins with its user; what stands before was cut off, nothing in between.
    expect(stated).toEqual(
      stated.length === 0 ? [] : oracle.history(place, 20).slice(-stated.length),
    );
  } else {
    const count = (await faulty.memory.counts(place)).conversation.count;
    expect(count).toBe(oracle.history(place, Infinity).length);
  }
  faulty.refusing.delete(place.userId);
}

describe.each(Object.entries(reopenables))("on %s", (_name, start) => {
  test(`${operations} operations answer as the oracle does`, { timeout: 7_200_000 }, async () => {
    const faulty = new Faulty(await start());
    const oracle = new Oracle();
    const random = randomOf(seed);
    await faulty.open();
    try {
      for (let done = 0; done < operations;) {
        faulty.embedderFails = random.chance(0.05);
        const together = new Set(Array.from({ length: 12 }, () => random.pick(tenants)));
        const steps = [...together].map((userId, at) => draw(random, userId, done + at));
        // Of one tenant one step at a time, of all tenants many at once.
        await Promise.all(steps.map((step) => play(faulty, oracle, step)));
        done += steps.length;
        if (random.chance(0.02)) await faulty.open();
        if (random.chance(0.05)) {
          const userId = random.pick(hostileNames);
          const report = await deleteUser(faulty.store, { userId, dryRun: false });
          expect(report.complete).toBe(true);
          oracle.deleteUser(userId);
          done += 1;
        }
      }
    } finally {
      await faulty.provider.end();
    }
  });
});
