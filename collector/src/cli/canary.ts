/**
 * @module `turnproof canary`: sends its own spans over OTLP, reads them back, and reports losses
 * and latency.
 */
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

import type { Command } from "commander";
import type { EventPage } from "@turnproof/evidence";
import { attribute } from "@turnproof/semconv";

import { readClientConfig } from "../config/read-config.ts";
import { createClient } from "./client.ts";
import type { Client } from "./client.ts";
import { withClient } from "./command.ts";
import type { SharedFlags } from "./command.ts";
import { attempt } from "./failure.ts";
import { exitCodes, fail, printJson, printTable } from "./terminal.ts";

interface CanaryFlags extends SharedFlags {
  readonly count: string;
  readonly timeout: string;
  readonly ingestToken?: string;
}

const agent = "turnproof-canary";

/** Adds the command. */
export function addCanaryCommand(program: Command): void {
  withClient(program.command("canary"))
    .description("send spans, read them back, report loss and delay")
    .option("--count <n>", "spans to send, 1 to 1,000", "10")
    .option("--timeout <seconds>", "how long to wait for them", "15")
    .option("--ingest-token <token>", "producer's token (default TURNPROOF_INGEST_TOKEN)")
    .addHelpText(
      "after",
      "\nExit code 0 only when every span came back. They are content-free and stay as evidence.",
    )
    .action((flags: CanaryFlags) => attempt(flags, () => canary(flags)));
}

async function canary(flags: CanaryFlags): Promise<void> {
  const count = Number(flags.count);
  if (!Number.isInteger(count) || count < 1 || count > 1_000) {
    fail("--count is a number from 1 to 1,000.", exitCodes.usage);
    return;
  }
  const seconds = Number(flags.timeout);
  if (!(seconds > 0 && seconds <= 3_600)) {
    fail("--timeout is a number of seconds up to 3,600.", exitCodes.usage);
    return;
  }
  const client = createClient(flags);
  const trace = randomBytes(16).toString("hex");
  const token = flags.ingestToken ?? readClientConfig(flags).ingestToken;
  const sentAt = performance.now();
  const answer = await client.post(
    "/v1/traces",
    JSON.stringify(requestOf(trace, count)),
    "application/json",
    token,
  );
  const acknowledgedMs = performance.now() - sentAt;
  if (answer.status !== 200) {
    fail(`The collector refused the spans (${answer.status}).`);
    return;
  }
  const found = await waitFor(client, trace, count, seconds * 1000);
  const result = {
    trace_id: trace,
    sent: count,
    found,
    lost: count - found,
    acknowledged_ms: rounded(acknowledgedMs),
    readable_ms: rounded(performance.now() - sentAt),
  };
  if (flags.json === true) printJson(result);
  else {
    printTable(
      ["SENT", "FOUND", "LOST", "ACKNOWLEDGED", "READABLE"],
      [
        [
          String(count),
          String(found),
          String(result.lost),
          `${result.acknowledged_ms} ms`,
          `${result.readable_ms} ms`,
        ],
      ],
    );
  }
  process.exitCode = result.lost === 0 ? exitCodes.ok : exitCodes.failed;
}

async function waitFor(
  client: Client,
  trace: string,
  count: number,
  timeoutMs: number,
): Promise<number> {
  const until = performance.now() + timeoutMs;
  for (;;) {
    const page = await client.json<EventPage>("/traces/events.json", {
      root_trace_id: trace,
      limit: 1_000,
    });
    const found = page.items.length;
    if (found >= count || performance.now() >= until) return found;
    await sleep(50);
  }
}

/** An OTLP request: one turn and tool calls inside it. */
function requestOf(trace: string, count: number): object {
  const now = BigInt(Date.now()) * 1_000_000n;
  const text = (key: string, value: string): object => ({ key, value: { stringValue: value } });
  const root = randomBytes(8).toString("hex");
  const spans = Array.from({ length: count }, (_, index) => ({
    traceId: trace,
    spanId: index === 0 ? root : randomBytes(8).toString("hex"),
    ...(index === 0 ? {} : { parentSpanId: root }),
    name: "canary",
    kind: 1,
    startTimeUnixNano: String(now),
    endTimeUnixNano: String(now + BigInt(index)),
    attributes:
      index === 0
        ? [
            text(attribute.genai_operation.span, "invoke_agent"),
            text(attribute.agent_id.span, agent),
            text(attribute.scope.span, "anonymous"),
          ]
        : [
            text(attribute.genai_operation.span, "execute_tool"),
            text(attribute.tool_name.span, "canary"),
          ],
  }));
  return {
    resourceSpans: [
      {
        resource: { attributes: [text(attribute.application_id.span, agent)] },
        scopeSpans: [{ scope: { name: agent }, spans }],
      },
    ],
  };
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10;
}
