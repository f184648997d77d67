/**
 * @module EvidenceAccount: a signed account, in the data directory, of how many events the store
 * holds, beside it or on a server. Fewer of them without a deletion mean that evidence is gone,
 * though the turns that rested on it went with it: a folder that was removed, parts that the engine
 * set aside, a table of a server that was emptied. Each collector of a shared store has its own
 * account: what others store or delete is in the counts of the store.
 */
import { existsSync } from "node:fs";
import { readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { replaceFile, serialQueue } from "@turnproof/journal";
import { isoNow } from "@turnproof/semconv";
import type { EvidenceStore, HeldEvents } from "@turnproof/store";
import { compactVerify, createLocalJWKSet } from "jose";
import { z } from "zod";

import { ifThere } from "../config/data-files.ts";
import type { StatementSigner } from "./statement.ts";

const typ = "turnproof-evidence-account+json";
const fileName = "evidence-account.jws";
/** An account that could not be checked, until an operator moves it away. */
export const accountAside: string = `${fileName}.corrupt`;

const schema = z.strictObject({
  v: z.literal(1),
  /** Events that the store had. */
  events: z.int().nonnegative(),
  /** Events that were gone by then. */
  missing: z.int().nonnegative(),
  /** When they were counted, ISO 8601 UTC. */
  at: z.string(),
  /** Deletions by then. */
  deletions: z.int().nonnegative(),
  /** When the deletions were last seen to rise, ISO 8601 UTC. */
  rose_at: z.string().optional(),
  /** The store on a server that was counted; none for one in the data directory. */
  server: z.string().optional(),
});

/** What the store had when it was last counted. */
export type EvidenceAccount = z.infer<typeof schema>;

/**
 * The account of a data directory: `none` where it was never written, or is that of another store.
 *
 * @param server as {@link serverPlaceOf} names it
 */
export async function readAccount(
  dataDir: string,
  signer: Pick<StatementSigner, "keys">,
  server: string | undefined,
): Promise<EvidenceAccount | "none" | "unusable"> {
  try {
    // Without the file there is no account; one that cannot be read is no missing one.
    const text = await ifThere(readFile(join(dataDir, fileName), "utf8"), fileName);
    if (text === undefined) return "none";
    const { payload, protectedHeader } = await compactVerify(text, createLocalJWKSet(signer.keys));
    if (protectedHeader.typ !== typ) return "unusable";
    const account = schema.parse(JSON.parse(new TextDecoder().decode(payload)));
    return account.server === server ? account : "none";
  } catch {
    return "unusable";
  }
}

/** Whether an account that could not be checked was set aside. */
export function hasDamagedAccount(dataDir: string): boolean {
  return existsSync(join(dataDir, accountAside));
}

/** Whether an account was written. */
export function hasAccount(dataDir: string): boolean {
  return existsSync(join(dataDir, fileName));
}

/** Compares the account with what the store holds, and keeps it. */
export interface AccountKeeper {
  /** Counts once; answers with the events that are gone. @throws CodedError of the store */
  count(signal?: AbortSignal): Promise<number>;
  /**
   * `damaged` where one could not be checked, until what was set aside is moved away; `new` where
   * there was none, although the store held events at the first count.
   */
  state(): "kept" | "new" | "damaged";
}

/** Opens the account of a data directory. @param keeps false where nothing may be written */
export async function openAccount(
  of: {
    readonly dataDir: string;
    readonly signer: StatementSigner;
    readonly keeps: boolean;
    readonly server?: string | undefined;
    /** After how long fewer events are counted again before they are gone: replicas may lag. */
    readonly againMs?: number;
  },
  store: Pick<EvidenceStore, "held">,
): Promise<AccountKeeper> {
  const { server } = of;
  const found = await readAccount(of.dataDir, of.signer, server);
  const isUnusable = found === "unusable";
  if (isUnusable && of.keeps) {
    await rename(join(of.dataDir, fileName), join(of.dataDir, accountAside));
  }
  const isDamaged = isUnusable || hasDamagedAccount(of.dataDir);
  let account = typeof found === "string" ? undefined : found;
  let isFirst = true;
  let begins = false;
  const counts = serialQueue();
  const count = async (signal?: AbortSignal): Promise<number> => {
    let held = await store.held(signal);
    if (of.againMs !== undefined && account !== undefined && held.events < account.events) {
      await sleep(of.againMs, undefined, { signal, ref: false });
      const again = await store.held(signal);
      if (again.events > held.events) held = again;
    }
    const at = isoNow();
    const missing = account === undefined ? 0 : missingSince(account, held, at);
    begins ||= isFirst && account === undefined && held.events > 0;
    isFirst = false;
    const rose = account !== undefined && held.deletions > account.deletions;
    const roseAt = rose ? at : account?.rose_at;
    account = {
      v: 1,
      ...held,
      missing,
      at,
      ...(roseAt === undefined ? {} : { rose_at: roseAt }),
      ...(server === undefined ? {} : { server }),
    };
    if (of.keeps) {
      const text = await of.signer.signAs(typ, account);
      await replaceFile(join(of.dataDir, fileName), Buffer.from(text));
    }
    return missing;
  };
  return {
    state: () => (isDamaged ? "damaged" : begins ? "new" : "kept"),
    // One at a time: the file is replaced.
    count: (signal) => counts(() => count(signal)),
  };
}

/** For how long after a deletion rows may still go: it is counted before they do. */
const deletingMs = 600_000;

/**
 * Events that are gone, by an account and a count at a time. During a deletion it is not known how
 * many events should be there, so the count is where the account goes on. A loss remains until an
 * operator restores the account with the evidence, or moves it away: events that come later may be
 * other ones.
 */
export function missingSince(
  account: Pick<EvidenceAccount, "events" | "deletions" | "missing" | "rose_at">,
  { events, deletions }: HeldEvents,
  at: string,
): number {
  if (deletions > account.deletions) return account.missing;
  if (events < account.events) {
    const { rose_at: rose } = account;
    const goes = deletions === account.deletions && rose !== undefined;
    if (goes && Math.abs(Date.parse(at) - Date.parse(rose)) < deletingMs) return account.missing;
    return account.missing + account.events - events;
  }
  return account.missing;
}
