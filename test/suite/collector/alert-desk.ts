/** @module AlertDesk: a receiver of alerts, and alerts over a store with a clock of the test's. */
import { createServer } from "node:http";
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

import { recordStored } from "@turnproof/store";
import type { EvidenceStore } from "@turnproof/store";
import { everybody } from "@turnproof/store/testing";
import { parseConfig } from "turnproof";
import { Webhook } from "standardwebhooks";

import { fileKeep } from "../../../collector/src/alerts/alert-keep.ts";
import { startAlerts } from "../../../collector/src/alerts/alerts.ts";
import type { AlertOptions } from "../../../collector/src/alerts/alerts.ts";
import type { Alerts } from "../../../collector/src/parts.ts";
import type { MeasureParts } from "../../../collector/src/alerts/measure.ts";
import { parseAlertRules } from "../../../collector/src/config/alert-rules.ts";
import { openPriceList } from "../../../collector/src/cost/price-list.ts";
import { judgeTurns, quiet, turnEvents } from "./desk.ts";

/** Signing secret of the tests. */
export const secret = `whsec_${Buffer.from("a secret of thirty-two bytes ok!").toString("base64")}`;

/** One request to a receiver. */
export interface Received {
  readonly path: string;
  readonly id: string;
  readonly body: string;
  readonly atMs: number;
}

/** A receiver; `answer` is the status of its next answers. */
export interface Receiver {
  readonly url: string;
  readonly got: Received[];
  answer: number;
  close(): Promise<void>;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** Listens; a signed request whose signature is wrong is refused and not kept. */
export async function openReceiver(): Promise<Receiver> {
  const got: Received[] = [];
  const server = createServer((request, response) => {
    void textOf(request).then((body) => {
      const { headers } = request;
      if (headers["webhook-id"] !== undefined) {
        new Webhook(secret).verify(body, headers as Record<string, string>);
      }
      const id = String(headers["webhook-id"] ?? "");
      got.push({ path: request.url ?? "", id, body, atMs: Date.now() });
      const status = receiver.answer;
      response.writeHead(status, status === 302 ? { location: "/elsewhere" } : {}).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    got,
    answer: 204,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return receiver;
}

/** A clock of the test's. */
export interface Clock {
  ms: number;
}

/** Parts that a measure reads, over a store. */
export async function measureParts(store: EvidenceStore, clock: Clock): Promise<MeasureParts> {
  const report = { journal: { oldest_pending_at: null } };
  return {
    config: parseConfig({ TURNPROOF_BACKEND: "ephemeral" }),
    log: quiet,
    store,
    recorder: undefined,
    server: null,
    now: () => clock.ms,
    ingest: {
      mark: () => new Date(clock.ms).toISOString(),
      report: () => report,
      losses: () => ({ quarantined_roots: [], losses: [] }),
    } as unknown as MeasureParts["ingest"],
    prices: await openPriceList(undefined),
  };
}

/** Alerts that look every 20 ms. */
export async function openAlerts(
  store: EvidenceStore,
  clock: Clock,
  of: { readonly rules: string; readonly file?: string } & Pick<
    AlertOptions,
    "targets" | "keep" | "rulesChange"
  >,
): Promise<Alerts> {
  const { rules, file, ...options } = of;
  return startAlerts(await measureParts(store, clock), {
    rules: parseAlertRules(`version: 1\nrules:\n${rules}`),
    secret,
    scope: "test",
    base: "https://turnproof.test",
    everyMs: 20,
    keep: fileKeep(file),
    ...options,
  });
}

let batches = 0;
/** Puts turns with a verdict, received then. */
export async function putTurns(
  store: EvidenceStore,
  atMs: number,
  turns: readonly {
    readonly root: string;
    readonly agent?: string;
    readonly verdict?: string;
    readonly codes?: readonly string[];
    /** Names of results, `contract:order=violated`. */
    readonly contracts?: readonly string[];
    readonly failed?: boolean;
    readonly tookMs?: number;
  }[],
): Promise<void> {
  const at = new Date(atMs).toISOString();
  for (const {
    root,
    agent = "helper",
    verdict,
    codes = [],
    contracts,
    failed,
    tookMs = 5,
  } of turns) {
    const events = turnEvents({ root, agent, at }).map((event) => ({
      ...event,
      duration_ms: tookMs,
      ...(failed === true && event.event_kind === "tool_call" ? { status: "error" as const } : {}),
    }));
    const receivedAt = at.replace("Z", "000Z");
    await store.append({ batchId: `alerts-${++batches}`, receivedAt, events });
    await recordStored(store, everybody, [root]);
    if (verdict !== undefined) {
      await judgeTurns(store, [root], { verdict, finding_codes: codes }, contracts);
    }
  }
}
