/**
 * @module `turnproof backfill` and `turnproof parity`: with `--from`, copies the evidence of
 * another backend into the configured one, and compares both; the source is unchanged. Every
 * backend writes its index with its rows, so without `--from` there is nothing to do.
 */
import type { Command } from "commander";
import { CodedError, isoMicros } from "@turnproof/semconv";
import { providersWith } from "@turnproof/store";

import { openStore } from "../backend/backend.ts";
import { readConfig } from "../config/read-config.ts";
import type { Config } from "../config/config.ts";
import { withJson } from "./command.ts";
import { allEvents, appendAll, contentHash } from "./evidence-copy.ts";
import { attempt } from "./failure.ts";
import { exitCodes, printJson, printTable, write } from "./terminal.ts";

interface CopyFlags {
  readonly json?: boolean;
  readonly from?: string;
  readonly apply?: boolean;
  readonly dataDir?: string;
  readonly backend?: string;
}

const sources = providersWith("evidence", "durable");

/** Adds both commands. */
export function addBackfillCommands(program: Command): void {
  shared(program, "backfill")
    .description("copy another backend's evidence into the configured one; --apply copies")
    .option("--apply", "copy; without it there is only a report")
    .addHelpText(
      "after",
      `
Copied events keep their time of receipt and their identity, so running it again copies nothing
twice. Without --from there is nothing to do.

  turnproof backfill --from filesystem --apply
  turnproof parity --from filesystem`,
    )
    .action((flags: CopyFlags) => attempt(flags, () => backfill(flags)));
  shared(program, "parity")
    .description("compare the configured backend with another one, event by event")
    .addHelpText("after", "\nExit code 0 when both hold the same, 1 otherwise.")
    .action((flags: CopyFlags) => attempt(flags, () => parity(flags)));
}

function shared(program: Command, name: string): Command {
  return withJson(program.command(name))
    .option("--from <backend>", `${sources.join(", ")}`)
    .option("--backend <kind>", "the configured backend (default TURNPROOF_BACKEND)")
    .option("--data-dir <dir>", "directory of embedded stores (default .turnproof)");
}

/** The two configurations; a store cannot be copied into itself. */
function configsOf(flags: CopyFlags): { readonly from: Config; readonly to: Config } {
  const to = readConfig(flags);
  const kind = sources.find((name) => name === flags.from);
  if (kind === undefined || kind === to.backend) {
    throw new CodedError("parameter_invalid", { field: "from" });
  }
  return { from: { ...to, backend: kind }, to };
}

function nothingToDo({ backend }: Config, { json }: CopyFlags): void {
  if (json === true) printJson({ store: backend, nothing_to_do: true });
  else write(`The ${backend} backend writes its index with its rows: nothing to do.`);
  process.exitCode = exitCodes.ok;
}

async function backfill(flags: CopyFlags): Promise<void> {
  if (flags.from === undefined) {
    nothingToDo(readConfig(flags), flags);
    return;
  }
  const configs = configsOf(flags);
  await using from = await openStore(configs.from);
  await using to = await openStore(configs.to);
  let events = 0;
  for await (const page of allEvents(from)) {
    const newest = page[0]?.received_at;
    if (flags.apply === true && page.length > 0) {
      await appendAll(to, page, newest ?? isoMicros(Date.now() * 1_000));
    }
    events += page.length;
    if (process.stderr.isTTY) process.stderr.write(`\r${events} events`);
  }
  if (process.stderr.isTTY) process.stderr.write("\r");
  const applied = flags.apply === true;
  if (flags.json === true) printJson({ from: from.name, to: to.name, events, applied });
  else write(applied ? `${events} events copied.` : `${events} events; a dry run: --apply copies.`);
  process.exitCode = exitCodes.ok;
}

async function parity(flags: CopyFlags): Promise<void> {
  if (flags.from === undefined) {
    nothingToDo(readConfig(flags), flags);
    return;
  }
  const configs = configsOf(flags);
  await using from = await openStore(configs.from);
  await using to = await openStore(configs.to);
  const wanted = new Map<string, string>();
  for await (const page of allEvents(from)) {
    for (const event of page) wanted.set(contentHash(event), event.root_trace_id ?? "");
  }
  const compared = wanted.size;
  let extra = 0;
  for await (const page of allEvents(to)) {
    for (const event of page) if (!wanted.delete(contentHash(event))) extra += 1;
  }
  const roots = [...new Set(wanted.values())].slice(0, 20);
  const result = { from: from.name, to: to.name, compared, missing: wanted.size, extra, roots };
  if (flags.json === true) printJson(result);
  else {
    printTable(
      ["COMPARED", "MISSING", "ONLY IN THE CONFIGURED"],
      [[String(compared), String(wanted.size), String(extra)]],
    );
    for (const root of roots) write(`missing in root ${root}`);
  }
  process.exitCode = wanted.size === 0 ? exitCodes.ok : exitCodes.failed;
}
