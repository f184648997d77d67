/**
 * @module `turnproof tail`: new events as they become readable, until interrupted.
 */
import type { Command } from "commander";
import pc from "picocolors";
import type { TurnEvent } from "@turnproof/evidence";

import { createClient } from "./client.ts";
import { filterParameters, withClient, withFilters } from "./command.ts";
import type { FilterFlags, SharedFlags } from "./command.ts";
import { attempt } from "./failure.ts";
import { exitCodes, fail, printable, write } from "./terminal.ts";

interface TailFlags extends SharedFlags, FilterFlags {
  readonly count?: string;
}

/** Adds the command. */
export function addTailCommand(program: Command): void {
  withFilters(withClient(program.command("tail")))
    .description("follow new events; with --json one event per line")
    .option("--count <n>", "stop after so many events")
    .action((flags: TailFlags) => attempt(flags, () => tail(flags)));
}

async function tail(flags: TailFlags): Promise<void> {
  let left = flags.count === undefined ? Number.POSITIVE_INFINITY : Number(flags.count);
  if (!(left >= 1) || (flags.count !== undefined && !Number.isInteger(left))) {
    fail("--count is a whole number from 1.", exitCodes.usage);
    return;
  }
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => stop.abort());
  const client = createClient(flags);
  const response = await client.answer("/traces/live", filterParameters(flags), stop.signal);
  if (response.body === null) return;
  let buffer = "";
  try {
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      buffer += chunk;
      const messages = buffer.split("\n\n");
      buffer = messages.pop() ?? "";
      for (const message of messages) {
        const { event, data } = fieldsOf(message);
        if (event === "gap") write("Some events were passed over: too many at once.");
        if (event !== "event") continue;
        print(JSON.parse(data) as TurnEvent, flags);
        left -= 1;
        if (left <= 0) return;
      }
    }
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  } finally {
    stop.abort();
  }
}

function fieldsOf(message: string): { readonly event: string; readonly data: string } {
  const lines = message.split("\n");
  const all = (name: string): string =>
    lines
      .filter((line) => line.startsWith(`${name}:`))
      .map((line) => line.slice(name.length + 1).trimStart())
      .join("\n");
  return { event: all("event"), data: all("data") };
}

function print(event: TurnEvent, flags: TailFlags): void {
  if (flags.json === true) {
    process.stdout.write(`${JSON.stringify(event)}\n`);
    return;
  }
  const { agent_id, event_kind, operation, status, thread_id, timestamp, duration_ms } = event;
  const paint = status === "error" ? pc.red : status === "success" ? pc.green : pc.yellow;
  const cells = [
    pc.dim(timestamp.slice(11, 23)),
    paint(status.padEnd(7)),
    event_kind.padEnd(16),
    printable(agent_id ?? "?").padEnd(16),
    pc.dim(printable(thread_id ?? "?")),
    printable(operation ?? ""),
    duration_ms === undefined ? "" : pc.dim(`${duration_ms} ms`),
  ];
  process.stdout.write(`${cells.join(" ").trimEnd()}\n`);
}
