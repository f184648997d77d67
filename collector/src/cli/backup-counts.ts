/**
 * @module BackupCounts: what a store and an audit log hold, counted by reading all of it: the same
 * in a backup and in what was restored from it.
 */
import type { EvidenceStore } from "@turnproof/store";

import { collectorScope } from "../access/grants.ts";
import { logLines } from "../access/audit/lines.ts";
import { createTree, hashLeaf } from "../access/audit/merkle.ts";
import { leafOf } from "../access/audit/record.ts";
import type { EvidenceCounts, Manifest } from "./backup-manifest.ts";
import { allEvents } from "./evidence-copy.ts";

/** A page has a fixed cost beside its rows; this many of them take some megabytes. */
const pageRows = 5_000;

/** Counts of a whole store. @param onCounted called with the number of events so far */
export async function countEvidence(
  store: EvidenceStore,
  onCounted: (events: number) => void = () => {},
): Promise<EvidenceCounts> {
  let events = 0;
  for await (const page of allEvents(store, pageRows)) {
    events += page.length;
    onCounted(events);
  }
  const all = { scope: collectorScope(), where: [] };
  const [figures] = await store.ledger.turnFigures(all, {});
  return { events, turns: figures?.turns ?? 0, verdicts: { ...figures?.verdicts } };
}

/** Size and root of an audit log's tree. */
export async function auditHead(file: string): Promise<NonNullable<Manifest["audit"]>> {
  const tree = createTree();
  for await (const { lines, torn } of logLines(file)) {
    if (!torn) for (const line of lines) tree.append(hashLeaf(leafOf(line)));
  }
  return { records: tree.size, root: tree.root().toString("base64") };
}

/** What differs, one line each: expected and found. */
export function differences(
  expected: Pick<Manifest, "evidence" | "audit">,
  found: Pick<Manifest, "evidence" | "audit">,
): readonly { readonly what: string; readonly expected: string; readonly found: string }[] {
  const [before, after] = [flat(expected), flat(found)];
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((what) => before.get(what) !== after.get(what))
    .map((what) => ({ what, expected: before.get(what) ?? "0", found: after.get(what) ?? "0" }));
}

function flat({ evidence, audit }: Pick<Manifest, "evidence" | "audit">): Map<string, string> {
  const values: (readonly [string, string])[] = [];
  if (evidence !== null) {
    values.push(["events", String(evidence.events)], ["turns", String(evidence.turns)]);
    for (const [status, turns] of Object.entries(evidence.verdicts)) {
      if (turns > 0) values.push([`turns: ${status}`, String(turns)]);
    }
  }
  if (audit !== null) {
    values.push(["audit records", String(audit.records)], ["audit root", audit.root]);
  }
  return new Map(values);
}
