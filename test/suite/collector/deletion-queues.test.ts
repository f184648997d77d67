/**
 * Deletion of a user whose spans wait for another endpoint, and whose roots stand in alerts: no
 * file of the data directory has a byte of the user afterwards, the endpoint receives the others'
 * spans and none of the user's, and the alerts stay without the roots.
 */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { openJournal } from "@turnproof/journal";
import { sampleTurn } from "@turnproof/store/testing";
import { expect, test, vi } from "vitest";

import { bodyWithout } from "../../../collector/src/alerts/alert-message.ts";
import { encodeProtobuf, traceRequest } from "../../otlp/encode.ts";
import { turnproof } from "../contracts/command.ts";
import { startCollector } from "../faults/collector-child.ts";
import type { CollectorChild } from "../faults/collector-child.ts";
import { openStrictReceiver } from "../receive/strict-receiver.ts";
import { filesHolding } from "../store/scan-files.ts";

const user = "user-delme";
/** Begins every trace of the user. */
const mark = "de1e7ede1e7e";
const away = "http://127.0.0.1:9/v1/traces";
const rules = `version: 1
rules:
  - {name: unproven, measure: verdict_share, verdict: unknown, by: agent, window: 1h, above: 0.5}
`;
const wait = { timeout: 60_000, interval: 100 };

let spans = 0;
/** Sends a turn of two spans of a user in one request, and another's in the same. */
async function send({ url }: CollectorChild): Promise<void> {
  const now = BigInt(Date.now()) * 1_000_000n;
  const turn = (trace: string, owner: string): object[] => {
    const root = (++spans).toString(16).padStart(16, "0");
    const tool = (++spans).toString(16).padStart(16, "0");
    const span = (spanId: string, operation: string, more: object): object => ({
      traceId: `${trace}${spans.toString(16)}`.padEnd(32, "0"),
      spanId,
      name: `${operation} desk`,
      startTimeUnixNano: String(now),
      endTimeUnixNano: String(now + 1_000_000n),
      ...more,
    });
    const names = { "gen_ai.agent.name": `of-${owner}`, "turnproof.user.id": owner };
    const call = { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "look" };
    return [
      span(root, "invoke_agent", {
        attributes: { "gen_ai.operation.name": "invoke_agent", ...names },
      }),
      // Its owner follows from the turn.
      span(tool, "execute_tool", { parentSpanId: root, attributes: call }),
    ];
  };
  const all = [...turn(mark, user), ...turn("57a1", "user-stays")];
  const answer = await fetch(`${url}/v1/traces`, {
    method: "POST",
    headers: { "content-type": "application/x-protobuf" },
    body: encodeProtobuf(traceRequest(all as never, { "service.name": "desk" })) as BodyInit,
  });
  expect(answer.status).toBe(200);
}

interface Report {
  readonly kinds: readonly { readonly kind: string; readonly found: number }[];
  readonly remaining: number;
  readonly unreached: readonly { readonly place: string }[];
}

async function deleted(dataDir: string, ...flags: string[]): Promise<Report> {
  const ran = await turnproof("delete-user", user, "--json", "--data-dir", dataDir, ...flags);
  expect(ran.code, ran.err).toBe(0);
  return JSON.parse(ran.out) as Report;
}

const foundIn = ({ kinds }: Report, kind: string): number | undefined =>
  kinds.find((place) => place.kind === kind)?.found;

test("what waits for an endpoint that is away, and alerts", { timeout: 300_000 }, async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "turnproof-queues-"));
  const file = join(mkdtempSync(join(tmpdir(), "turnproof-rules-")), "rules.yaml");
  writeFileSync(file, rules);
  const env = {
    TURNPROOF_BACKEND: "filesystem",
    TURNPROOF_GRPC_PORT: "off",
    TURNPROOF_ALERT_RULES: file,
  };
  const first = await startCollector(dataDir, { ...env, TURNPROOF_FORWARD_URL: away });
  for (let turn = 0; turn < 5; turn += 1) await send(first);
  await vi.waitFor(async () => {
    const metrics = await (await fetch(`${first.url}/metrics`)).text();
    expect(metrics).toMatch(/^turnproof_forward_pending_spans 20$/m);
    const alerts = await (await fetch(`${first.url}/alerts.json`)).text();
    expect(alerts).toContain(`of-${user}`);
  }, wait);
  expect(await first.stop()).toBe(0);
  expect(await filesHolding(dataDir, new RegExp(mark))).toEqual(
    expect.arrayContaining(["alerts.json", expect.stringMatching(/^forward\/queue\/.*segment$/)]),
  );

  const flags = ["--backend", "filesystem"];
  const dry = await deleted(dataDir, ...flags);
  expect([foundIn(dry, "forward queue"), foundIn(dry, "alerts")]).toEqual([10, 1]);
  const done = await deleted(dataDir, ...flags, "--apply");
  expect([foundIn(done, "forward queue"), foundIn(done, "alerts")]).toEqual([10, 1]);
  expect(done.remaining).toBe(0);
  expect(done.unreached.map(({ place }) => place)).toContain("forwarded");
  expect(await filesHolding(dataDir, new RegExp(mark))).toEqual([]);
  // The agent has this name too, which is its own and stays in the alert.
  expect(await filesHolding(dataDir, new RegExp(`(?<!of-)${user}`))).toEqual([]);

  const receiver = await openStrictReceiver();
  const second = await startCollector(dataDir, { ...env, TURNPROOF_FORWARD_URL: receiver.url });
  await vi.waitFor(() => expect(receiver.spans).toHaveLength(10), wait);
  expect(receiver.spans.every(({ traceId }) => traceId.startsWith("57a1"))).toBe(true);
  expect(receiver.bodies.join("")).not.toContain(user);
  const page = await (await fetch(`${second.url}/alerts`)).text();
  expect(page).toContain(`of-${user}`);
  expect(page).not.toContain(mark);
  await second.stop();
  await receiver.close();
});

test("frames that a killed collector left pending are forwarded later", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "turnproof-queues-"));
  const journal = await openJournal({ directory: join(dataDir, "journal") });
  const events = [user, "user-stays"].flatMap((owner) =>
    sampleTurn(`root-${owner}`, { user_id: owner, thread_id: `thread-${owner}` }),
  );
  await journal.append({ payload: Buffer.from(JSON.stringify(events)), spans: events.length });
  await journal.close();
  process.env["TURNPROOF_FORWARD_URL"] = away;
  try {
    await deleted(dataDir, "--backend", "filesystem", "--apply");
  } finally {
    delete process.env["TURNPROOF_FORWARD_URL"];
  }
  const queue = await openJournal({ directory: join(dataDir, "forward", "queue") });
  let waiting = "";
  for await (const { payload } of queue.read()) waiting += Buffer.from(payload).toString();
  expect(queue.stats().pendingSpans).toBe(events.length / 2);
  await queue.close();
  expect(waiting).toContain("user-stays");
  expect(await filesHolding(dataDir, new RegExp(user))).toEqual([]);
});

test("a message that waits loses the roots, and no other", () => {
  const roots = new Set(["a/b", "gone"]);
  const webhook = JSON.stringify({ data: { root_trace_ids: ["gone", "kept"], rule: "gone-rule" } });
  expect(bodyWithout(webhook, roots)).toBe(
    JSON.stringify({ data: { root_trace_ids: ["kept"], rule: "gone-rule" } }),
  );
  const link = (root: string): string =>
    `<https://x.test/traces/${encodeURIComponent(root)}|${root}>`;
  const text = ["fires\n<https://x.test/traces?q=a|Turns>", link("a/b"), link("kept")];
  const slack = JSON.stringify({ text: "fires", blocks: [{ text: { text: text.join(" · ") } }] });
  expect(bodyWithout(slack, roots)).toBe(
    JSON.stringify({
      text: "fires",
      blocks: [{ text: { text: [text[0], text[2]].join(" · ") } }],
    }),
  );
  expect(bodyWithout(JSON.stringify({ data: ["kept"] }), roots)).toBe('{"data":["kept"]}');
});
