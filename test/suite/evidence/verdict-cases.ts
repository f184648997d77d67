/** @module VerdictCases: the golden verdicts and the small changes that must break them. */
import { readdirSync, readFileSync } from "node:fs";

import type { WindowMetadata } from "@turnproof/evidence";

/** A record of JSON. */
export type Json = { [name: string]: unknown };

/** One step of a change: to an event, to the list, to the metadata or to the requested task. */
export type Change =
  | { readonly event: string; readonly set: Json }
  | { readonly event: string; readonly unset: readonly string[] }
  | { readonly drop: string }
  | { readonly add: Json }
  | { readonly metadata: WindowMetadata | null }
  | { readonly task: string };

/** What a window must give. */
export interface Expected {
  readonly status: string;
  /** The codes of all findings, sorted, each once. */
  readonly codes: readonly string[];
  readonly missing_stages?: readonly string[];
  readonly reasons?: readonly string[];
  readonly priorities?: readonly number[];
  readonly tools?: { readonly [count: string]: number };
}

/** What is judged. */
export interface Window {
  readonly events: readonly Json[];
  readonly metadata: WindowMetadata | null;
  readonly taskId: string | null;
}

/** A golden case: a window that satisfies a rule, and mutations that do not. */
export interface VerdictCase {
  readonly name: string;
  readonly caption: string;
  readonly rule: number;
  readonly window: Window;
  readonly expect: Expected;
  readonly mutations: readonly {
    readonly caption: string;
    readonly change: readonly Change[];
    readonly expect: Expected;
  }[];
}

const folder = new URL("../../golden/verdicts/", import.meta.url);

/** Every golden case, by file name. */
export function verdictCases(): VerdictCase[] {
  const files = readdirSync(folder).filter((file) => file.endsWith(".json"));
  return files.toSorted().map((file) => {
    const raw = JSON.parse(readFileSync(new URL(file, folder), "utf8")) as VerdictCase & {
      readonly events: readonly Json[];
      readonly normalization_metadata: WindowMetadata | null;
      readonly task_id?: string;
    };
    const window = {
      events: raw.events,
      metadata: raw.normalization_metadata,
      taskId: raw.task_id ?? null,
    };
    return { ...raw, name: file.replace(".json", ""), window };
  });
}

/** A copy of the window with the changes applied; an event that is not there fails the test. */
export function applyChanges(window: Window, changes: readonly Change[]): Window {
  let { events, metadata, taskId } = structuredClone(window) as {
    events: Json[];
    metadata: WindowMetadata | null;
    taskId: string | null;
  };
  const find = (id: string): Json => {
    const event = events.find((one) => one["event_id"] === id);
    if (event === undefined) throw new Error(`no event ${id}`);
    return event;
  };
  for (const change of changes) {
    if ("drop" in change) {
      find(change.drop);
      events = events.filter((event) => event["event_id"] !== change.drop);
    } else if ("add" in change) events.push(structuredClone(change.add));
    else if ("metadata" in change) ({ metadata } = change);
    else if ("task" in change) taskId = change.task;
    else if ("set" in change) {
      for (const [path, value] of Object.entries(change.set)) put(find(change.event), path, value);
    } else for (const path of change.unset) put(find(change.event), path, undefined);
  }
  return { events, metadata, taskId };
}

function put(event: Json, path: string, value: unknown): void {
  const [first = "", second] = path.split(".");
  const target = second === undefined ? event : (event[first] as Json);
  const name = second ?? first;
  if (value === undefined) delete target[name];
  else target[name] = value;
}
