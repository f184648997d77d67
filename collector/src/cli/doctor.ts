/**
 * @module `turnproof doctor`: explains the configuration, and checks the most common problems: the
 * data directory, the evidence file, the port, and two copies of the OpenTelemetry API in an
 * application.
 */
import { randomUUID } from "node:crypto";
import {
  accessSync,
  constants,
  existsSync,
  readFileSync,
  readdirSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";

import type { DirectoryOwner } from "@turnproof/journal/process-lock";
import { CodedError, codes } from "@turnproof/semconv";
import type { Code } from "@turnproof/semconv";
import type { Command } from "commander";
import pc from "picocolors";

import { ConfigError, describeEnvironment, readConfig } from "../config/read-config.ts";
import type { Config } from "../config/config.ts";
import { isFull } from "../access/audit/reserve.ts";
import { openMemory } from "../backend/backend.ts";
import { evidenceFolder } from "../backend/store-places.ts";
import { withJson } from "./command.ts";
import { accessChecks, closedStoreCheck, inspected } from "./doctor-access.ts";
import { accountChecks, accountSubject } from "./doctor-account.ts";
import { auditCheck } from "./doctor-audit.ts";
import {
  collectorCheck,
  collectorOn,
  heldStoreChecks,
  metDamageChecks,
  opensAlone,
} from "./doctor-collector.ts";
import { evidenceCheck } from "./doctor-evidence.ts";
import type { Check } from "./doctor-evidence.ts";
import { forwardChecks } from "./doctor-forward.ts";
import { providerCheck } from "./doctor-provider.ts";
import { journalCheck, keysCheck, serverCheck } from "./doctor-places.ts";
import { attempt } from "./failure.ts";
import { exitCodes, printJson, printTable } from "./terminal.ts";

interface DoctorFlags {
  readonly json?: boolean;
  readonly app?: string;
  readonly dataDir?: string;
}

/** Adds the command. */
export function addDoctorCommand(program: Command): void {
  withJson(program.command("doctor"))
    .description("explain the configuration and check for common problems")
    .option("--app <dir>", "folder of an instrumented app to look at (default: this one)")
    .option("--data-dir <dir>", "data directory to look at")
    .addHelpText(
      "after",
      `
Exit codes: 0 nothing has to be fixed, 1 a problem has to be fixed, 4 something could not be
inspected. Secrets are never shown.`,
    )
    .action((flags: DoctorFlags) => attempt(flags, () => doctor(flags)));
}

async function doctor(flags: DoctorFlags): Promise<void> {
  const environment = describeEnvironment();
  const checks: Check[] = [nodeCheck()];
  let config: Config | undefined;
  try {
    config = readConfig(flags.dataDir === undefined ? {} : { dataDir: flags.dataDir });
    checks.push({ check: "configuration", state: "ok", message: meaningOf(config) });
    for (const message of config.warnings)
      checks.push({ check: "configuration", state: "warn", message });
    const owner = collectorOn(config.dataDir);
    checks.push(directoryCheck(config.dataDir), await collectorCheck(config, owner));
    checks.push(...(await providerCheck(config)), ...(await placeChecks(config, owner)));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const { variable, problem } of error.problems) {
      checks.push({ check: variable, state: "fail", message: problem });
    }
  }
  checks.push(apiCheck(resolve(flags.app ?? ".")));
  if (flags.json === true) printJson({ environment, checks });
  else {
    printTable(
      ["VARIABLE", "VALUE", "MEANING"],
      environment.map((row) => [
        row.set ? row.variable : pc.dim(row.variable),
        row.set ? row.shown : pc.dim(row.shown),
        row.meaning,
      ]),
    );
    const paint = {
      ok: pc.green("ok"),
      warn: pc.yellow("warn"),
      unknown: pc.yellow("unknown"),
      fail: pc.red("fail"),
    };
    process.stdout.write("\n");
    printTable(
      ["CHECK", "", "RESULT"],
      checks.map(({ check, state, message }) => [check, paint[state], message]),
    );
  }
  const states = new Set(checks.map(({ state }) => state));
  if (states.has("fail")) process.exitCode = exitCodes.failed;
  else process.exitCode = states.has("unknown") ? exitCodes.unknown : exitCodes.ok;
}

/**
 * What is in the data directory, and the stores. A file that cannot be read ends no other check.
 */
async function placeChecks(
  config: Config,
  owner: DirectoryOwner | undefined,
): Promise<readonly Check[]> {
  const { dataDir, backend, memoryBackend } = config;
  const held = owner !== undefined && opensAlone(config) ? owner : undefined;
  const checks = [
    ...(await inspected("permissions", () => accessChecks(config))),
    ...(await inspected("keys", () => keysCheck(dataDir))),
    ...(await inspected("journal", () => journalCheck(dataDir))),
    ...(await inspected("audit log", () => auditCheck(config))),
    ...(await inspected("store", () => serverCheck(config))),
  ];
  const closed = closedStoreCheck(config, accountSubject);
  if (backend === "filesystem" && closed === undefined) {
    const folder = evidenceFolder(config);
    checks.push(...(await inspected("evidence file", async () => [await evidenceCheck(folder)])));
  }
  if (held === undefined) {
    const account = closed === undefined ? () => accountChecks(config) : () => [closed];
    checks.push(...(await inspected(accountSubject, account)));
    checks.push(...(await metDamageChecks(config, owner)));
  } else checks.push(...(await inspected("store", () => heldStoreChecks(config, held))));
  checks.push(...(await inspected("forward account", () => forwardChecks(dataDir))));
  if (memoryBackend === "mongodb") checks.push(...(await memoryChecks(config)));
  return checks;
}

function nodeCheck(): Check {
  return { check: "node", state: "ok", message: `${process.version} runs the collector.` };
}

function meaningOf(config: Config): string {
  const who =
    config.authToken === undefined && config.accounts.length === 0
      ? "no sign-in: each local user is admin"
      : `${config.accounts.length + (config.authToken === undefined ? 0 : 1)} credential(s)`;
  const ingest =
    config.ingest === "off"
      ? "ingest is off"
      : config.ingestTokens.length === 0
        ? "ingest is open on loopback only"
        : `${config.ingestTokens.length} producer(s) may send`;
  const audit = config.auditLog === undefined ? "no audit" : "audited";
  const memory = config.memoryBackend === "none" ? "no memory" : `${config.memoryBackend} memory`;
  const stores = `${config.backend} store; ${memory}`;
  const mode = config.readOnly ? "; read-only: nothing is written or judged" : "";
  return `${stores}; ${who}; ${ingest}; ${audit}; ${config.contentMode} content mode${mode}.`;
}

function directoryCheck(dataDir: string): Check {
  // The check creates nothing: for a missing directory its nearest existing parent is checked.
  let place = resolve(dataDir);
  while (!existsSync(place) && dirname(place) !== place) place = dirname(place);
  const check = "data directory";
  try {
    accessSync(place, constants.R_OK | constants.W_OK | constants.X_OK);
    if (place === resolve(dataDir)) return roomCheck(place);
    return { check, state: "ok", message: "It will be made at the start." };
  } catch (error) {
    if (isFull(error)) {
      const help = `Make room on the disk of ${place}; a running collector goes on by itself then.`;
      const message = `disk_full: ${codes.disk_full.sentence} ${help}`;
      return { check, state: "fail", message };
    }
    return {
      check,
      state: "fail",
      message: "It cannot be written by this user; choose another with --data-dir.",
    };
  }
}

const probeBytes = 1_048_576;
/** Segments of the journal and the store's own files need more than this. */
const roomBytes = 268_435_456;

/** Writes a file and removes it: a full disk, a quota and a read-only mount show only so. */
function roomCheck(folder: string): Check {
  const file = join(folder, `doctor-${randomUUID()}.tmp`);
  try {
    writeFileSync(file, Buffer.alloc(probeBytes), { mode: 0o600, flag: "wx", flush: true });
  } finally {
    rmSync(file, { force: true });
  }
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const text = `It can be written; ${Math.floor(free / 1_048_576)} MiB are free.`;
  return { check: "data directory", state: free < roomBytes ? "warn" : "ok", message: text };
}

/** Checks MongoDB's search indexes; changes nothing. */
async function memoryChecks(config: Config): Promise<readonly Check[]> {
  const check = "memory";
  let memory: Awaited<ReturnType<typeof openMemory>>;
  try {
    memory = await openMemory({ ...config, readOnly: true });
    const {
      ok,
      code = "store_unavailable",
      diagnostics = [],
    } = (await memory?.check()) ?? {
      ok: true,
    };
    if (!ok) return [{ check, state: "fail", message: sentenceOf(code) }];
    if (diagnostics.length === 0) return [{ check, state: "ok", message: "It answers." }];
    return diagnostics.map((found) => ({ check, state: "warn", message: sentenceOf(found) }));
  } catch (error) {
    if (!CodedError.is(error)) throw error;
    return [{ check, state: "fail", message: error.message }];
  } finally {
    await memory?.close();
  }
}

function sentenceOf(code: string): string {
  return `${code}: ${codes[code as Code]?.sentence ?? ""}`;
}

/** A provider registered by an older API is invisible to a newer copy: spans are silently lost. */
function apiCheck(folder: string): Check {
  const check = "OpenTelemetry API";
  const versions = new Map<string, number>();
  for (const version of apiVersions(folder))
    versions.set(version, (versions.get(version) ?? 0) + 1);
  const minors = new Set([...versions.keys()].map((version) => version.split(".", 2).join(".")));
  const list = [...versions.keys()].join(", ");
  if (minors.size === 0) return { check, state: "ok", message: "No copy of it lies here." };
  if (minors.size === 1) return { check, state: "ok", message: `One line of it: ${list}.` };
  return {
    check,
    state: "warn",
    message:
      `Copies of several lines (${list}): a provider registered by the older is invisible to the ` +
      "newer, and its spans do not record (api_version_mismatch). Let one version stand at the root.",
  };
}

const foldersMax = 20_000;

function apiVersions(folder: string): readonly string[] {
  const versions: string[] = [];
  const queue = [nearestModules(folder)].filter((path) => path !== undefined);
  for (let seen = 0; queue.length > 0 && seen < foldersMax; seen += 1) {
    const modules = queue.shift() ?? "";
    for (const name of listed(modules)) {
      const packages = name.startsWith("@")
        ? listed(join(modules, name)).map((inner) => join(modules, name, inner))
        : [join(modules, name)];
      for (const path of packages) {
        if (path.endsWith(join("@opentelemetry", "api"))) {
          versions.push(...versionOf(join(path, "package.json")));
        }
        const nested = join(path, "node_modules");
        if (existsSync(nested)) queue.push(nested);
      }
    }
  }
  return versions;
}

function nearestModules(folder: string): string | undefined {
  for (let path = folder; ; path = dirname(path)) {
    const modules = join(path, "node_modules");
    if (existsSync(modules)) return modules;
    if (dirname(path) === path) return undefined;
  }
}

function listed(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function versionOf(file: string): readonly string[] {
  try {
    return [(JSON.parse(readFileSync(file, "utf8")) as { version: string }).version];
  } catch {
    return [];
  }
}
