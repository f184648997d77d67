/**
 * @module EraseAlerts: removes roots of a deleted user from alerts that fire, from ended ones, and
 * from messages that wait. The alerts themselves stay: they are of rules, not of a user.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";

import type { CollectorState } from "@turnproof/store";

import { fileStorage, keptRow } from "./alert-storage.ts";
import { bodyWithout } from "./alert-message.ts";
import type { AlertDocument } from "./alert-state.ts";

/** File of the alerts of a data directory. */
export const alertsFile = (dataDir: string): string => join(dataDir, "alerts.json");

/** A place where alerts are kept. */
export interface AlertPlace {
  readonly kind: string;
  load(): Promise<AlertDocument | undefined>;
  save(document: AlertDocument): Promise<void>;
}

/** Alerts and messages with roots of the user. */
export interface AlertErasure {
  readonly found: number;
  readonly deleted: number;
  readonly remaining: number;
}

/** Both places: an earlier version, or a collector without shared state, keeps a file. */
export function alertPlaces(of: {
  readonly file: string;
  readonly state: CollectorState | undefined;
  readonly scope: string;
}): readonly AlertPlace[] {
  const { file, state, scope } = of;
  const kept = fileStorage(file);
  return [
    ...(existsSync(file) ? [{ ...kept, kind: "alerts" }] : []),
    ...(state === undefined ? [] : [{ kind: "shared alerts", ...keptRow(state, scope) }]),
  ];
}

/** Removes the roots, or counts what has some. @throws CodedError `store_corrupt` */
export async function eraseAlerts(
  place: Pick<AlertPlace, "load" | "save">,
  roots: ReadonlySet<string>,
  dryRun: boolean,
): Promise<AlertErasure> {
  const document = await place.load();
  if (document === undefined) return { found: 0, deleted: 0, remaining: 0 };
  let found = 0;
  const cut = <T extends { readonly roots: readonly string[] }>(alert: T): T => {
    const left = alert.roots.filter((root) => !roots.has(root));
    if (left.length === alert.roots.length) return alert;
    found += 1;
    return { ...alert, roots: left };
  };
  const left: AlertDocument = {
    ...document,
    active: document.active.map(cut),
    closed: document.closed.map(cut),
    outbox: document.outbox.map((message) => {
      const body = bodyWithout(message.body, roots);
      if (body === message.body) return message;
      found += 1;
      return { ...message, body };
    }),
  };
  if (dryRun) return { found, deleted: 0, remaining: found };
  if (found > 0) await place.save(left);
  return { found, deleted: found, remaining: 0 };
}
