/** @module StrangerMemory: random commands on a memory, each answer held against plain maps. */
import { scopedKinds } from "@turnproof/semconv";
import type { ScopedKind } from "@turnproof/semconv";
import type { AdministeredMemory, MemoryFilter } from "@turnproof/store";
import { expect } from "vitest";

import {
  longTexts,
  noTenants,
  numbersOf,
  only,
  ownerMark,
  strangeTexts,
} from "./stranger-world.ts";
import type { StrangerEffort } from "./stranger-world.ts";

const at = "2026-03-01T10:00:00.000Z";

/** Throws where an answer is not what the tenant put there, and nothing else. */
export async function driveMemory(
  memory: AdministeredMemory,
  { commands, seed }: StrangerEffort,
): Promise<void> {
  const next = numbersOf(seed);
  const pick = <T>(list: readonly T[]): T => list[next(list.length)] as T;
  const tenants: readonly (string | null)[] = [null, ...strangeTexts, ...longTexts];
  const ids = [...strangeTexts, ...longTexts];
  // A stranger's world is small in ids and kinds, so that tenants meet.
  const model = new Map<string, Map<string, string>>();
  const held = (tenant: number, kind: ScopedKind): Map<string, string> => {
    const key = `${tenant} ${kind}`;
    const rows = model.get(key) ?? new Map<string, string>();
    model.set(key, rows);
    return rows;
  };
  for (let step = 0; step < commands; step += 1) {
    const tenant = next(tenants.length);
    const filter: MemoryFilter = { tenant: tenants[tenant] as string | null };
    const kind = next(3) === 0 ? pick(scopedKinds) : "semantic_cache";
    const rows = held(tenant, kind);
    const id = next(2) === 0 && rows.size > 0 ? pick([...rows.keys()]) : pick(ids);
    const words = `${ownerMark(tenant)} green tea ${step}`;
    switch (next(9)) {
      case 0:
      case 1:
      case 2: {
        const put = await memory.put(filter, kind, {
          id,
          text: words,
          embedding: [1, next(3), next(3)],
          data: { owner: ownerMark(tenant), [pick(strangeTexts)]: ownerMark(tenant) },
          created_at: at,
        });
        rows.set(id, words);
        only(put, tenant);
        break;
      }
      case 3: {
        const got = await memory.get(filter, kind, id);
        expect(got?.text).toBe(rows.get(id));
        only(got ?? {}, tenant);
        break;
      }
      case 4: {
        const version = (await memory.get(filter, kind, id))?.version ?? 1;
        const changed = await memory
          .update(filter, kind, id, version, { text: words })
          .catch(() => undefined);
        expect(changed === undefined).toBe(!rows.has(id));
        if (changed !== undefined) rows.set(id, words);
        only(changed ?? {}, tenant);
        break;
      }
      case 5:
        expect(await memory.delete(filter, kind, id)).toBe(rows.delete(id));
        break;
      case 6: {
        const near = await memory.vectorSearch(filter, kind, { embedding: [1, 1, 1], limit: 500 });
        expect(near.hits.length).toBe(rows.size);
        expect(new Set(near.hits.map(({ record }) => record.id))).toEqual(new Set(rows.keys()));
        only(near, tenant);
        // A lookup in a semantic cache is the nearest row above a threshold.
        const best = { embedding: [1, 1, 1], limit: 1, minScore: 0.78 };
        only(await memory.vectorSearch(filter, kind, best), tenant);
        break;
      }
      case 7: {
        const found = await memory.textSearch(filter, kind, { text: "green tea", limit: 500 });
        expect(new Set(found.hits.map(({ record }) => record.id))).toEqual(new Set(rows.keys()));
        only(found, tenant);
        break;
      }
      default: {
        expect(await memory.count(filter, kind)).toBe(rows.size);
        const seen: string[] = [];
        let after: string | null = null;
        const limit = 1 + next(3);
        do {
          const position: { after?: string } = after === null ? {} : { after };
          const page = await memory.list(filter, kind, { limit, ...position });
          seen.push(...page.records.map((row) => row.id));
          only(page, tenant);
          after = page.next;
        } while (after !== null);
        expect(seen.length).toBe(rows.size);
        expect(new Set(seen)).toEqual(new Set(rows.keys()));
      }
    }
  }
  // A position of one tenant's list leads no other to its rows.
  const lists = await Promise.all(
    tenants.slice(0, 12).map((one) => memory.list({ tenant: one }, "semantic_cache", { limit: 1 })),
  );
  for (const [tenant, one] of tenants.slice(0, 12).entries()) {
    for (const { next: after } of lists) {
      if (after === null) continue;
      only(await memory.list({ tenant: one }, "semantic_cache", { limit: 50, after }), tenant);
    }
  }
  for (const none of noTenants) {
    const filter = { tenant: none } as MemoryFilter;
    for (const call of [
      () => memory.get(filter, "semantic_cache", "ann"),
      () => memory.list(filter, "semantic_cache", { limit: 500 }),
      () => memory.count(filter, "semantic_cache"),
      () => memory.vectorSearch(filter, "semantic_cache", { embedding: [1, 1, 1], limit: 500 }),
      () => memory.textSearch(filter, "semantic_cache", { text: "tea", limit: 500 }),
      () => memory.delete(filter, "semantic_cache", "ann"),
    ]) {
      await expect(call()).rejects.toThrow();
    }
  }
}
