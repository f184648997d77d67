/**
 * @module ClickhouseEngine: the process behind clickhouse-http: one chDB session, an HTTP server
 * before it, and the faults. Run by fork only.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { gunzipSync, gzipSync } from "node:zlib";

import { Session } from "chdb";

import { alone, clusterSettings } from "./clickhouse-alone.ts";
import type { ClickhouseFaults } from "./clickhouse-http.ts";

const [, , dataDir = "", host = "127.0.0.1", port = "0", config] = process.argv;
const bodies = join(dataDir, "bodies");
mkdirSync(bodies, { recursive: true });
/**
 * A server that holds many databases for few rows: no expression is run often enough to earn its
 * compilation, and its memory is read once a second.
 */
const settings = [
  "compile_expressions=0",
  "compile_aggregate_expressions=0",
  "compile_sort_description=0",
  "memory_worker_period_ms=1000",
];
const session = new Session(join(dataDir, "engine"), {
  connectionArgs: [
    ...(config === undefined ? [] : [`--config-file=${config}`]),
    ...settings.map((setting) => `--${setting}`),
  ],
});
/** The session's database and settings: a statement that changes nothing is not run. */
const current = new Map<string, string>([["database", "default"]]);

/** Runs a statement that sets something, unless it is set so already. */
async function setTo(name: string, value: string, statement: string): Promise<void> {
  if (current.get(name) === value) return;
  current.delete(name);
  await session.queryAsync(statement);
  current.set(name, value);
}

let faults: ClickhouseFaults = {};
let account: { readonly user?: string; readonly password?: string } = {};
let statements: string[] = [];
let cuts = 0;
let serial = 0;
let last: Promise<unknown> = Promise.resolve();

/** An answer of the engine, or its refusal. */
interface Outcome {
  readonly status: number;
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  readonly cut?: boolean;
}

/** `http_max_field_value_size` and `max_query_size` of a server as it is delivered. */
const fieldCharsMax = 131_072;
const queryCharsMax = 262_144;

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? "/", "http://localhost");
  if (faults.down === true) return void request.socket.destroy();
  if (faults.slowMs !== undefined) await wait(faults.slowMs);
  if (url.pathname === "/ping") return void response.end("Ok.\n");
  if (!isKnown(request)) return send(request, url, response, refusal(516, "AUTHENTICATION_FAILED"));
  const raw = await buffer(request);
  const body = request.headers["content-encoding"] === "gzip" ? gunzipSync(raw) : raw;
  const stated = url.searchParams.get("query");
  const query = stated ?? body.toString("utf8");
  statements.push(query);
  const tooLong = [...url.searchParams.values()].some((value) => value.length > fieldCharsMax);
  if (tooLong || (stated === null && query.length > queryCharsMax)) {
    return send(request, url, response, refusal(1000, "POCO_EXCEPTION"));
  }
  const work = last.then(() => run(query, stated === null ? Buffer.alloc(0) : body, url));
  last = work.catch(() => {});
  const outcome = await work;
  if (outcome.cut === true) return void request.socket.destroy();
  send(request, url, response, outcome);
}

function isKnown(request: IncomingMessage): boolean {
  if (account.user === undefined) return true;
  const basic = Buffer.from(request.headers.authorization?.slice(6) ?? "", "base64").toString();
  const user = request.headers["x-clickhouse-user"] ?? basic.split(":")[0];
  const key = request.headers["x-clickhouse-key"] ?? basic.slice(basic.indexOf(":") + 1);
  return user === account.user && key === (account.password ?? "");
}

function send(
  request: IncomingMessage,
  url: URL,
  response: ServerResponse,
  outcome: Outcome,
): void {
  const zipped =
    url.searchParams.get("enable_http_compression") === "1" &&
    (request.headers["accept-encoding"] ?? "").includes("gzip");
  response.writeHead(outcome.status, {
    "X-ClickHouse-Query-Id": url.searchParams.get("query_id") ?? "",
    ...outcome.headers,
    ...(zipped ? { "Content-Encoding": "gzip" } : {}),
  });
  response.end(zipped ? gzipSync(outcome.body) : outcome.body);
}

async function run(query: string, body: Buffer, url: URL): Promise<Outcome> {
  const isInsert = /^\s*INSERT/i.test(query);
  const { refuse } = faults;
  if (refuse !== undefined && query.includes(refuse.statement)) {
    return refusal(refuse.code, refuse.name);
  }
  if (isInsert && faults.refuseRow !== undefined && body.includes(faults.refuseRow)) {
    return refusal(469, "VIOLATED_CONSTRAINT");
  }
  if (isInsert && faults.lie !== undefined && query.includes(faults.lie)) return success({});
  try {
    const database = url.searchParams.get("database") ?? "default";
    await setTo("database", database, `USE \`${database}\``);
    if (config !== undefined) {
      for (const [name, value] of clusterSettings(url.searchParams)) {
        await setTo(name, value, `SET ${name} = '${value}'`);
      }
    }
    const stated = config === undefined ? query : alone(query);
    if (stated === undefined) return success({});
    const outcome =
      isInsert && body.length > 0 ? await insert(stated, body) : await plain(stated, url);
    await dropReplacedParts(stated);
    if (isInsert && cuts > 0) {
      cuts -= 1;
      return { ...outcome, cut: true };
    }
    return outcome;
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    const code = /Code: (\d+)/.exec(text)?.[1] ?? "1002";
    return failure(code, text);
  }
}

/**
 * Takes the replaced parts of a table away once they are kept for a second only. A server has
 * a thread for that; here the table changes places with one of its active parts alone.
 */
async function dropReplacedParts(statement: string): Promise<void> {
  const [, table] =
    /^ALTER TABLE (\w+) MODIFY SETTING old_parts_lifetime = 1$/.exec(statement) ?? [];
  if (table === undefined || faults.keepParts === true) return;
  await session.queryAsync(`CREATE TABLE ${table}_active AS ${table}`);
  await session.queryAsync(`ALTER TABLE ${table}_active ATTACH PARTITION ALL FROM ${table}`);
  await session.queryAsync(`EXCHANGE TABLES ${table} AND ${table}_active`);
  await session.queryAsync(`DROP TABLE ${table}_active SYNC`);
}

async function plain(query: string, url: URL): Promise<Outcome> {
  const values = [...url.searchParams].filter(([name]) => name.startsWith("param_"));
  const format = url.searchParams.get("default_format") ?? "TabSeparated";
  const result =
    values.length === 0
      ? await session.queryAsync(query, { format })
      : await session.queryBindAsync(
          query,
          Object.fromEntries(values.map(([name, value]) => [name.slice(6), unescaped(value)])),
          { format },
        );
  return success(
    { "X-ClickHouse-Format": /FORMAT (\w+)\s*$/.exec(query)?.[1] ?? format },
    Buffer.from(result.bytes()),
    result.rowsRead,
  );
}

/** Parameters arrive in the escaped form of TabSeparated. */
function unescaped(value: string): string {
  const marks: Readonly<Record<string, string>> = {
    t: "\t",
    n: "\n",
    r: "\r",
    b: "\b",
    f: "\f",
    "0": "\0",
  };
  return value.replace(/\\(.)/g, (_all, mark: string) => marks[mark] ?? mark);
}

/** Native bodies go through a file, as text cannot carry them; text formats stay inline. */
async function insert(query: string, body: Buffer): Promise<Outcome> {
  const native = /^\s*INSERT INTO (\S+ \(([^)]*)\))\s*(SETTINGS .*)?\s+FORMAT Native\s*$/is.exec(
    query,
  );
  if (native === null) {
    const result = await session.queryAsync(`${query}\n${body.toString("utf8")}`);
    return success({}, Buffer.alloc(0), result.rowsRead);
  }
  serial += 1;
  const file = join(bodies, `${serial}.native`);
  writeFileSync(file, body);
  try {
    const [, target, names, settings] = native;
    await session.queryAsync(
      `INSERT INTO ${target} SELECT ${names} FROM file('${file}', 'Native') ${settings ?? ""}`,
    );
  } finally {
    rmSync(file, { force: true });
  }
  return success({});
}

function success(
  headers: Readonly<Record<string, string>>,
  body: Buffer = Buffer.alloc(0),
  readRows = 0,
): Outcome {
  const summary = { read_rows: String(readRows), read_bytes: "0", written_rows: "0" };
  return {
    status: 200,
    body,
    headers: { "X-ClickHouse-Summary": JSON.stringify(summary), ...headers },
  };
}

function refusal(code: number, name: string): Outcome {
  return failure(String(code), `Code: ${code}. DB::Exception: refused for a test. (${name})`);
}

function failure(code: string, text: string): Outcome {
  return {
    status: code === "516" ? 403 : code === "60" || code === "81" ? 404 : 500,
    body: Buffer.from(`${text}\n`),
    headers: { "X-ClickHouse-Exception-Code": code },
  };
}

/** What the parent may request. */
interface Question {
  readonly id: number;
  readonly request: "start" | "inject" | "statements";
  readonly faults?: ClickhouseFaults;
  readonly user?: string;
  readonly password?: string;
}

const server = createServer({ maxHeaderSize: 2 ** 22 }, (request, response) => {
  answer(request, response).catch(() => request.socket.destroy());
});

function reply(question: Question): unknown {
  switch (question.request) {
    case "start":
      account = question;
      return { port: (server.address() as AddressInfo).port };
    case "inject":
      faults = question.faults ?? {};
      cuts = faults.cutAfterCommit ?? 0;
      return null;
    case "statements": {
      const stated = statements;
      statements = [];
      return stated;
    }
  }
}

server.listen(Number(port), host, () => {
  process.on("message", (message) => {
    const question = message as Question;
    process.send?.({ id: question.id, value: reply(question) });
  });
});

/** An orphan must not outlive its test, nor keep the engine's lock. */
function end(): void {
  server.closeAllConnections();
  session.close();
  process.exit(0);
}
process.on("SIGTERM", end);
process.on("disconnect", end);
