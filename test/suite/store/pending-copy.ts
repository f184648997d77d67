/** @module PendingCopy: what holds while old events wait to be copied, and once they are copied. */
import type { Provider } from "@turnproof/store";
import { defaultRetention, deleteUserEvidence } from "@turnproof/store/admin";
import type { CopyReport, EvidenceAdmin } from "@turnproof/store/admin";
import { allTenants, receivedAt, sampleTurn } from "@turnproof/store/testing";
import { expect } from "vitest";

/** A provider that opened a large old database. */
type Old = Pick<Provider, "evidence" | "retention"> & Pick<EvidenceAdmin, "copyOld" | "dropOld">;

/** How many old events there are, and how many events the new rows hold now. */
interface Held {
  readonly events: number;
  readonly inBundles: () => Promise<number>;
}

/** Events that are stored while others wait to be copied. */
const fresh = sampleTurn("new", { user_id: "ann" });

/** Stores and reads while the copy is pending, then begins the copy and ends it in the middle. */
export async function beginCopy(provider: Old, { events, inBundles }: Held): Promise<void> {
  const { evidence } = provider;
  expect((await evidence.check()).diagnostics).toEqual(["migration_pending"]);
  // What comes now is stored and shown; what is not copied is missing, and the page shows it.
  await evidence.append({ batchId: "new", receivedAt: receivedAt(57), events: fresh });
  const page = await evidence.page(allTenants, {}, { limit: 10 });
  expect([page.events.length, page.bounded]).toEqual([3, true]);
  // A batch whose events wait for the copy is known to be whole.
  expect(await evidence.readBack("batch-3", receivedAt(3))).toEqual({ rows: 4, complete: true });
  const pending = { code: "migration_pending" };
  await expect(provider.dropOld()).rejects.toMatchObject(pending);
  const requested = { policy: defaultRetention, now: "2027-01-01T00:00:00Z" };
  await expect(provider.retention.evidence(requested)).rejects.toMatchObject(pending);
  await expect(deleteUserEvidence(evidence, { userId: "u-1" })).rejects.toMatchObject(pending);
  const dry = await provider.copyOld();
  expect(dry).toEqual({ dry_run: true, events, copied: 0, complete: true });
  expect(await inBundles()).toBe(fresh.length);
  const end = new AbortController();
  const onProgress = (): void => end.abort();
  const first = await provider.copyOld({ dryRun: false, signal: end.signal, onProgress });
  expect(first).toMatchObject({ dry_run: false, events, complete: false });
  expect(first.copied).toBeGreaterThan(0);
  expect(await inBundles()).toBe(first.copied + fresh.length);
}

/** All is copied, once. */
export async function expectCopied(
  provider: Old,
  { events, inBundles }: Held,
  rest: CopyReport,
): Promise<void> {
  const { evidence } = provider;
  expect(rest).toEqual({ dry_run: false, events, copied: events, complete: true });
  expect(await inBundles()).toBe(events + fresh.length);
  expect(await provider.copyOld({ dryRun: false })).toEqual(rest);
  expect((await evidence.check()).diagnostics).toBeUndefined();
  expect((await evidence.page(allTenants, {}, { limit: 10 })).bounded).toBe(false);
}
