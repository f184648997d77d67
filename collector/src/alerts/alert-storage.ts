/**
 * @module AlertStorage: where the alerts of a deployment are kept: in a file of the only
 * collector, or in the store that several collectors share. One of these looks at the rules and
 * sends; the others show what it found, and pass on what operators do.
 */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { setTimeout as after } from "node:timers/promises";

import { replaceFile } from "@turnproof/journal";
import { CodedError } from "@turnproof/semconv";
import type { CollectorState, StateKind } from "@turnproof/store";

import { Lease } from "../backend/lease.ts";
import type { LeaseTimes } from "../backend/lease.ts";
import { lateTurns, OwnLateTurns } from "./late-turn-notices.ts";
import type { LateTurns } from "./late-turn-notices.ts";
import { shownMs } from "./alert-times.ts";
import { alertDocument, noAlerts, resolvedBy, standingSilences } from "./alert-state.ts";
import type { AlertDocument, AlertSilence } from "./alert-state.ts";
import type { JudgedGroup } from "./rule-change.ts";

/** Last values of each rule, by its name. */
export type RuleValues = ReadonlyMap<string, readonly JudgedGroup[]>;

/** What operators did at any collector. */
export interface AlertOrders {
  readonly silences: readonly AlertSilence[];
  /** Ids of alerts. */
  readonly resolved: ReadonlySet<string>;
}

/** Where alerts are kept. */
export interface AlertStorage {
  /** True where this collector looks at the rules and sends. */
  leads(): boolean;
  /**
   * `moved`: it comes from the file of a version that did not share it.
   * @throws CodedError `store_corrupt` for a document that is not ours
   */
  load(): Promise<AlertDocument & { readonly moved?: true }>;
  save(document: AlertDocument): Promise<void>;
  /** Absent where there is one collector only. */
  readonly shared?: SharedAlerts;
  close(): Promise<void>;
}

/** What the collectors of one store pass on to each other beside the document. */
export interface SharedAlerts {
  values(): Promise<RuleValues>;
  saveValues(values: RuleValues): Promise<void>;
  orders(): Promise<AlertOrders>;
  silence(silence: AlertSilence): Promise<void>;
  resolve(id: string): Promise<void>;
  /** For the collector that evaluates the rules: turns received since then were written late. */
  late(sinceMs: number): Promise<void>;
  lateTurns(): Promise<LateTurns>;
}

/** What operators did; undefined where the store is away: then what is known here is shown. */
export async function ordersSoon(shared: SharedAlerts): Promise<AlertOrders | undefined> {
  // A store that is away shows on Health; here the orders that this collector has are enough.
  const found = shared.orders().catch(() => undefined);
  return Promise.race([found, after(shownMs, undefined, { ref: false })]);
}

/** The document with what operators did at any collector. */
export function withOrders(
  document: AlertDocument,
  { silences, resolved }: AlertOrders,
  now: number,
): AlertDocument {
  const ordered = { ...document, silences: standingSilences(silences, now) };
  return [...resolved].reduce((rest, id) => resolvedBy(rest, id, now), ordered);
}

/** Passes on the silences of the file of a version without shared alerts. */
export async function shareSilences(
  { shared }: AlertStorage,
  { silences }: AlertDocument,
  now: number,
): Promise<void> {
  for (const silence of standingSilences(silences, now)) await shared?.silence(silence);
}

/** Alerts of one collector, in a file; in memory only without one. */
export function fileStorage(file: string | undefined): AlertStorage {
  return {
    leads: () => true,
    async load() {
      if (file === undefined) return noAlerts;
      try {
        return documentOf(await readFile(file, "utf8"), "alerts.json");
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return noAlerts;
        throw error;
      }
    },
    async save(document) {
      if (file !== undefined) await replaceFile(file, Buffer.from(JSON.stringify(document)));
    },
    close: async () => {},
  };
}

/** Writes of one term; a safe integer holds many terms. */
const writesPerTerm = 100_000_000;
const dayMs = 86_400_000;
const documentKeepMs = 365 * dayMs;
/** Longer than any silence. */
const silenceKeepMs = 400 * dayMs;

/**
 * Alerts of all collectors of a store. @param scope names the deployment; `file` has alerts of a
 * version that kept them there
 */
export function sharedKeep(
  state: CollectorState,
  scope: string,
  { file, ...times }: Partial<LeaseTimes> & { readonly file?: string } = {},
): AlertStorage {
  const lease = new Lease(state, `alerts ${scope}`, times);
  lease.start();
  const own = new OwnLateTurns(state, scope);
  let writes = 0;
  const write = async (kind: StateKind, value: unknown): Promise<void> => {
    const { term } = lease;
    if (term === undefined) return;
    writes += 1;
    // An earlier leader that was stalled writes a smaller version, which changes nothing.
    const version = term * writesPerTerm + writes;
    const keepUntilMs = Date.now() + documentKeepMs;
    await state.write(kind, { name: scope, version, value: JSON.stringify(value), keepUntilMs });
  };
  const order = async (
    kind: StateKind,
    name: string,
    value: unknown,
    keepUntilMs: number,
  ): Promise<void> => {
    const version = ((await state.read(kind, name))?.version ?? 0) + 1;
    await state.write(kind, { name, version, value: JSON.stringify(value), keepUntilMs });
  };
  return {
    leads: () => lease.term !== undefined,
    async load() {
      const row = await state.read("alerts", scope);
      if (row === undefined) return { ...(await fileStorage(file).load()), moved: true };
      return documentOf(row.value, "collector_state");
    },
    save: (document) => write("alerts", document),
    shared: {
      async values() {
        const row = await state.read("alert_values", scope);
        return new Map(
          row === undefined ? [] : (JSON.parse(row.value) as [string, JudgedGroup[]][]),
        );
      },
      saveValues: (values) => write("alert_values", [...values]),
      async orders() {
        const [silences, resolved] = await Promise.all([
          state.list("silence"),
          state.list("resolution"),
        ]);
        return {
          silences: silences
            .filter(({ name }) => name.startsWith(`${scope} `))
            .map(({ value }) => JSON.parse(value) as AlertSilence),
          resolved: new Set(resolved.map(({ name }) => name)),
        };
      },
      silence(silence) {
        const of = JSON.stringify([silence.rule, silence.group]);
        const name = `${scope} ${createHash("sha256").update(of).digest("hex")}`;
        // Never before the row that it replaces: that one would stand again.
        return order("silence", name, silence, Date.now() + silenceKeepMs);
      },
      resolve: (id) => order("resolution", id, {}, Date.now() + 30 * dayMs),
      late: (sinceMs) => own.add(sinceMs),
      lateTurns: () => lateTurns(state, scope),
    },
    close: () => lease.close(),
  };
}

/** The shared document for a command, while no collector runs. */
export function keptRow(
  state: CollectorState,
  scope: string,
): {
  load(): Promise<AlertDocument | undefined>;
  save(document: AlertDocument): Promise<void>;
} {
  return {
    async load() {
      const row = await state.read("alerts", scope);
      return row === undefined ? undefined : documentOf(row.value, "collector_state");
    },
    async save(document) {
      const version = ((await state.read("alerts", scope))?.version ?? 0) + 1;
      const keepUntilMs = Date.now() + documentKeepMs;
      const value = JSON.stringify(document);
      await state.write("alerts", { name: scope, version, value, keepUntilMs });
    },
  };
}

function documentOf(text: string, field: string): AlertDocument {
  const parsed = alertDocument.safeParse(parseJson(text));
  if (!parsed.success) throw new CodedError("store_corrupt", { field });
  return parsed.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A torn or damaged file does not parse; the schema refuses `undefined`.
    return undefined;
  }
}
