/** @module VerdictFiles: what the background judge found, one file per root; the latest stands. */
import { createHash } from "node:crypto";

import { groupBy } from "@turnproof/semconv";
import type { TurnVerdict } from "../evidence-store.ts";
import { keepLatest, latestVerdicts } from "../latest-verdicts.ts";
import { inScope } from "../scope.ts";
import type { EvidenceScope } from "../scope.ts";
import type { Disk, Place } from "./disk.ts";
import { parseObject } from "./document.ts";
import { documentName } from "./safe-name.ts";
import type { Held, WriteLock } from "./write-lock.ts";

/** Verdicts by root. */
export interface VerdictFiles {
  of(scope: EvidenceScope, roots: readonly string[]): Promise<readonly TurnVerdict[]>;
  put(verdicts: readonly TurnVerdict[]): Promise<void>;
  /** Takes away what was found of roots that are gone. */
  forget(roots: readonly string[]): Promise<void>;
  /** How many verdicts there are of this kind, in all files. */
  count(which: (verdict: TurnVerdict) => boolean): Promise<number>;
  /** Takes these verdicts out of all files. */
  drop(which: (verdict: TurnVerdict) => boolean): Promise<void>;
}

/** The verdicts of a disk. */
export function verdictFiles(disk: Disk, lock: WriteLock): VerdictFiles {
  const read = async (root: string): Promise<readonly TurnVerdict[]> => {
    const bytes = await disk.read(placeOf(root));
    const parsed = bytes === undefined ? undefined : parseObject(bytes);
    // The name may be a hash; only what was written for this very root counts.
    if (parsed?.["root"] !== root || !Array.isArray(parsed["verdicts"])) return [];
    return [...latestVerdicts(parsed["verdicts"] as TurnVerdict[]).values()];
  };
  const write = async (root: string, verdicts: readonly TurnVerdict[]): Promise<Place> => {
    const latest = latestVerdicts(await read(root));
    keepLatest(latest, verdicts);
    const place = placeOf(root);
    const folder = place.slice(0, -1);
    await disk.ensure(folder);
    const text = JSON.stringify({ root, verdicts: [...latest.values()] });
    await disk.replace(place, Buffer.from(text, "utf8"));
    return folder;
  };
  return {
    count: (which) => count(disk, which),
    drop: (which) => lock.run((held) => drop(disk, held, which)),
    async of(scope, roots) {
      const found: TurnVerdict[] = [];
      for (const root of new Set(roots)) found.push(...(await read(root)));
      return found.filter((verdict) => inScope(verdict, scope));
    },
    async forget(roots) {
      if (roots.length === 0) return;
      await lock.run(async (held) => {
        await held.confirm();
        for (const root of roots) {
          // The name may be a hash, so that the file of another root is looked at first.
          const place = placeOf(root);
          const bytes = await disk.read(place);
          const parsed = bytes === undefined ? undefined : parseObject(bytes);
          if (parsed?.["root"] === root) await disk.remove(place);
        }
      });
    },
    async put(verdicts) {
      if (verdicts.length === 0) return;
      const own = structuredClone(verdicts);
      await lock.run(async (held) => {
        await held.confirm();
        const folders = new Map<string, Place>();
        for (const [root, list] of groupBy(own, (one) => one.root_trace_id)) {
          const folder = await write(root, list);
          folders.set(folder.join("/"), folder);
        }
        for (const folder of folders.values()) await disk.sync(folder);
      });
    },
  };
}

const verdictsPlace: Place = ["evidence", "verdicts"];

type Which = (verdict: TurnVerdict) => boolean;

interface VerdictFile {
  readonly place: Place;
  readonly verdicts: readonly TurnVerdict[];
}

async function* filesOf(disk: Disk): AsyncGenerator<VerdictFile> {
  for (const folder of await disk.list(verdictsPlace)) {
    for (const name of await disk.list([...verdictsPlace, folder])) {
      const place = [...verdictsPlace, folder, name];
      const bytes = await disk.read(place);
      const held = bytes === undefined ? undefined : parseObject(bytes)?.["verdicts"];
      if (Array.isArray(held)) yield { place, verdicts: held as TurnVerdict[] };
    }
  }
}

async function count(disk: Disk, which: Which): Promise<number> {
  let found = 0;
  for await (const { verdicts } of filesOf(disk)) found += verdicts.filter(which).length;
  return found;
}

async function drop(disk: Disk, held: Held, which: Which): Promise<void> {
  await held.confirm();
  for await (const { place, verdicts } of filesOf(disk)) {
    const left = verdicts.filter((verdict) => !which(verdict));
    if (left.length === verdicts.length) continue;
    const root = left[0]?.root_trace_id;
    const text = JSON.stringify({ root, verdicts: left });
    if (root === undefined) await disk.remove(place);
    else await disk.replace(place, Buffer.from(text, "utf8"));
    await disk.sync(place.slice(0, -1));
  }
}

/** Verdicts are spread over folders, since there is a file for every root. */
function placeOf(root: string): Place {
  const spread = createHash("sha256").update(root).digest("hex").slice(0, 2);
  return [...verdictsPlace, spread, documentName(root)];
}
