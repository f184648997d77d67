/**
 * @module `turnproof evidence-pack`: the evidence of a window with what it shows for articles 12,
 * 19, 26(6) and 72 of the EU AI Act, as a signed folder that `turnproof verify` checks offline. It
 * runs where the collector's data directory is, whose keys sign it, and reads from the running
 * collector.
 */
import { createReadStream } from "node:fs";
import { readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";

import type { Command } from "commander";
import type { JSONWebKeySet } from "jose";
import { CodedError, compareTimes, isoNow, normalizeTime } from "@turnproof/semconv";

import { verifierKeyOf } from "../access/audit/checkpoint.ts";
import { readVerifierKey } from "../access/audit/note.ts";
import { createStatementSigner, hasStatementKey } from "../judge/statement.ts";
import type { StatementSigner } from "../judge/statement.ts";
import { readConfig } from "../config/read-config.ts";
import type { Config } from "../config/config.ts";
import type { HealthModel } from "../pages/health/route.ts";
import type { TurnsModel } from "../pages/turns/route.ts";
import { version } from "../version.ts";
import { createClient } from "./client.ts";
import type { Client } from "./client.ts";
import { withClient } from "./command.ts";
import type { SharedFlags } from "./command.ts";
import { exportParts } from "./export-parts.ts";
import { attempt } from "./failure.ts";
import { auditFacts } from "./pack/audit-facts.ts";
import { digestOf, packNames } from "./pack/pack-check.ts";
import { packType } from "./pack/pack-facts.ts";
import type { Pack, PackFacts, PackFile } from "./pack/pack-facts.ts";
import { limitsPage, tablePage } from "./pack/pack-pages.ts";
import { droppedOf } from "./pack/pack-losses.ts";
import { packTable } from "./pack/pack-table.ts";
import { wholeFolder } from "./pack/whole-folder.ts";
import { exitCodes, printJson, printTable, write } from "./terminal.ts";

interface PackFlags extends SharedFlags {
  readonly from: string;
  readonly to: string;
  readonly out: string;
  readonly dataDir?: string;
}

/** Adds the command. */
export function addEvidencePackCommand(program: Command): void {
  withClient(program.command("evidence-pack"))
    .description("write a signed folder of evidence with what it shows for the EU AI Act")
    .requiredOption("--from <time>", "start of the window (ISO 8601)")
    .requiredOption("--to <time>", "end of the window, exclusive")
    .requiredOption("--out <folder>", "a new or empty folder")
    .option("--data-dir <dir>", "the collector's data directory (default .turnproof)")
    .addHelpText(
      "after",
      `
The collector must run, and the token must read every tenant. Exit code 3 when the window could not
be read completely; the table then states it. A command that fails leaves no folder: run it again.

  turnproof evidence-pack --from 2026-05-01 --to 2026-11-01 --out ./pack
  turnproof verify ./pack --keys jwks.json`,
    )
    .action((flags: PackFlags) =>
      attempt({ ...flags, rangeOptions: ["--from", "--to"] }, () => writePack(flags)),
    );
}

async function writePack(flags: PackFlags): Promise<void> {
  const config = readConfig(flags.dataDir === undefined ? {} : { dataDir: flags.dataDir });
  const [from, to] = [timeOf(flags.from, "from"), timeOf(flags.to, "to")];
  const client = createClient(flags);
  const signer = await signerOf(client, config);
  const { facts, table, files } = await wholeFolder(flags.out, packNames.list, async (out) => {
    const gathered = await gather(client, config, { out, from, to });
    const rows = packTable(gathered);
    await writeFile(join(out, "table.md"), tablePage(gathered, rows));
    await writeFile(join(out, "what-this-does-not-prove.md"), limitsPage);
    await writeFile(join(out, packNames.keys), `${JSON.stringify(signer.keys, null, 2)}\n`);
    const found = await listed(out);
    const pack: Pack = { v: 1, facts: gathered, table: [...rows], files: [...found] };
    await writeFile(join(out, packNames.list), `${await signer.signAs(packType, pack)}\n`);
    return pack;
  });
  if (flags.json === true) printJson({ facts, table, files: files.length });
  else {
    const rows = table.map(({ article, state, because }) => [
      article,
      state.replaceAll("_", " "),
      because,
    ]);
    printTable(["ARTICLE", "STATE", "BECAUSE"], rows);
    write(`${files.length} files in the pack.`);
  }
  process.exitCode = facts.events.complete ? exitCodes.ok : exitCodes.partial;
}

/**
 * The signer of the data directory, which must be that of the collector: the evidence is read from
 * the one, deletions, runs of retention and tree heads from the other. A key that replaced another
 * is published once the collector has started again. Makes no key.
 *
 * @throws CodedError `data_directory_other`; `key_unusable` for a key that is gone or damaged
 */
async function signerOf(client: Client, config: Config): Promise<StatementSigner> {
  const { signingKey, dataDir } = config;
  const other = (): CodedError => new CodedError("data_directory_other", { field: dataDir });
  if (signingKey === undefined && !hasStatementKey(dataDir)) throw other();
  const signer = await createStatementSigner(signingKey, dataDir);
  const published = await client.json<JSONWebKeySet>("/.well-known/jwks.json");
  const isOfCollector = signer.keys.keys.some(({ x }) => published.keys.some((key) => key.x === x));
  if (!isOfCollector) throw other();
  return signer;
}

function timeOf(text: string, field: string): string {
  const time = normalizeTime(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text);
  if (time === undefined) throw new CodedError("parameter_invalid", { field });
  return time;
}

interface PackWindow {
  readonly out: string;
  readonly from: string;
  readonly to: string;
}

async function gather(client: Client, config: Config, window: PackWindow): Promise<PackFacts> {
  const { out, from, to } = window;
  const filters = { start_time: from, end_time: to };
  const began = isoNow();
  // What is received until a later end is in no file.
  let complete = compareTimes(to, began) <= 0;
  for (const table of ["events", "turns"]) {
    for (const format of ["jsonl", "parquet"]) {
      const folder = join(out, format === "jsonl" ? table : `${table}-parquet`);
      const requested = { folder, table, format, filters, resume: false, json: false };
      const manifest = await exportParts(client, requested);
      complete &&= manifest.window_complete;
    }
  }
  const health = await client.json<HealthModel>("/traces/health.json", {
    start_time: from,
    end_time: to,
    limit: 1,
  });
  const oldest = await client.json<TurnsModel>("/traces/turns.json", {
    sort: "first_received",
    order: "ascending",
    limit: 1,
  });
  const { collector, range } = health;
  if (collector === null) throw new CodedError("scope_forbidden");
  // A configured key does not show whose the data directory is; the key of its audit log does.
  if (!isSameKey(collector.audit_key, verifierKeyOf(config))) {
    throw new CodedError("data_directory_other", { field: config.dataDir });
  }
  const { journal, conservation } = collector.ingest;
  const audit = await auditFacts(config, window);
  return {
    from,
    to,
    began_at: began,
    made_at: isoNow(),
    version,
    store: collector.store.name,
    events: { ...(await eventFacts(join(out, "events"))), complete },
    ...(await turnFacts(out)),
    oldest_kept: oldest.items[0]?.received_at ?? null,
    retention: { floor_days: config.retentionFloorDays ?? null, legal_hold: config.legalHold },
    losses: {
      dropped_by_producers: droppedOf(range),
      lost_frames: journal.lost_frames,
      corrupt_ranges: journal.corrupt_ranges,
      quarantined: journal.quarantined_spans,
      balanced: conservation.balanced,
    },
    audit: audit.log,
    deletions: [...audit.deletions],
    retentions: audit.retentions,
    rules: 6,
  };
}

/** Whether two verifier keys are the same key, under any name; both may be absent. */
function isSameKey(one: string | null, other: string | undefined): boolean {
  const [a, b] = [one ?? "", other ?? ""].map((key) => readVerifierKey(key)?.publicKey);
  return a === undefined || b === undefined ? a === b : a.equals(b);
}

async function eventFacts(folder: string): Promise<Omit<PackFacts["events"], "complete">> {
  let rows = 0;
  let first: string | null = null;
  let last: string | null = null;
  for await (const { event_received_at: at } of rowsIn(folder)) {
    rows += 1;
    if (typeof at !== "string") continue;
    if (first === null || at < first) first = at;
    if (last === null || at > last) last = at;
  }
  return { rows, first_received: first, last_received: last };
}

/** An event is in the window by its own time, a turn by its end. */
async function turnFacts(out: string): Promise<Required<Pick<PackFacts, "turns" | "roots">>> {
  const counts = { rows: 0, judged: 0, with_findings: 0 };
  const roots = new Set<unknown>();
  for await (const { root_trace_id: root } of rowsIn(join(out, "events"))) roots.add(root);
  const without = new Set(roots);
  for await (const { root_trace_id: root, verdict, flag_list: flags } of rowsIn(
    join(out, "turns"),
  )) {
    counts.rows += 1;
    without.delete(root);
    if (verdict !== "unjudged") counts.judged += 1;
    if (Array.isArray(flags) && flags.includes("finding")) counts.with_findings += 1;
  }
  return { turns: counts, roots: { rows: roots.size, without_turn: without.size } };
}

async function* rowsIn(folder: string): AsyncGenerator<Readonly<Record<string, unknown>>> {
  for (const name of (await readdir(folder)).filter((file) => file.endsWith(".jsonl"))) {
    for await (const line of createInterface({ input: createReadStream(join(folder, name)) })) {
      if (line !== "") yield JSON.parse(line) as Readonly<Record<string, unknown>>;
    }
  }
}

/** Every file of the pack with its digest, sorted. */
async function listed(out: string): Promise<readonly PackFile[]> {
  const paths = (await readdir(out, { recursive: true })).map((path) => path.replaceAll("\\", "/"));
  const files: PackFile[] = [];
  for (const path of paths.toSorted()) {
    const found = await stat(join(out, path));
    if (!found.isFile()) continue;
    files.push({ path, bytes: found.size, sha256: await digestOf(join(out, path)) });
  }
  return files;
}
