/**
 * @module ClickhouseHttp: a ClickHouse server for tests: the real engine (chDB) in a process of its
 * own behind enough of the HTTP protocol for `@clickhouse/client` over a real socket, with faults
 * on request. It can be killed like a server, and started again over the same data.
 */
import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What goes wrong; unset members are in order. Every member holds until `inject` replaces it. */
export interface ClickhouseFaults {
  /** Connections are torn down without an answer. */
  readonly down?: boolean;
  /** Milliseconds before each answer. */
  readonly slowMs?: number;
  /** Inserts whose statement contains this text are answered with success and not done. */
  readonly lie?: string;
  /** An insert whose body contains this text fails with VIOLATED_CONSTRAINT. */
  readonly refuseRow?: string;
  /** Statements that contain `statement` are refused with this engine code and name. */
  readonly refuse?: { readonly statement: string; readonly code: number; readonly name: string };
  /** Replaced parts stay, however short they are to be kept. */
  readonly keepParts?: boolean;
  /** How many inserts are done and then cut off before their answer. */
  readonly cutAfterCommit?: number;
}

/** Options of the server. */
export interface ClickhouseServerOptions {
  /** Data to start over; a new temporary directory otherwise. */
  readonly dataDir?: string;
  readonly faults?: ClickhouseFaults;
  /** The only user, when set; requests of others are refused with code 516. */
  readonly user?: string;
  readonly password?: string;
  /** Where it listens; default 127.0.0.1 and a free port. */
  readonly host?: string;
  readonly port?: number;
  /** Configuration of the engine in XML, and of its users; then statements may name a cluster. */
  readonly config?: string;
  readonly users?: string;
}

/** A running server. */
export interface ClickhouseServer extends AsyncDisposable {
  readonly url: string;
  readonly dataDir: string;
  /** Replaces the faults. */
  inject(faults: ClickhouseFaults): Promise<void>;
  /** Statements since the last call, without bodies and values. */
  statements(): Promise<readonly string[]>;
  /** Ends the process as a crash would; the data stays. */
  kill(): Promise<void>;
  /** Ends the server and removes a temporary data directory. */
  close(): Promise<void>;
}

/** Starts a server on 127.0.0.1 and a free port. */
export async function startClickhouseServer(
  options: ClickhouseServerOptions = {},
): Promise<ClickhouseServer> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), "clickhouse-http-")));
  const { host = "127.0.0.1", port: wanted = 0 } = options;
  const args = [dataDir, host, String(wanted), ...(await configFiles(dataDir, options))];
  const child = fork(new URL("clickhouse-engine.ts", import.meta.url), args, {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    execArgv: [],
  });
  const { user, password } = options;
  const { port } = (await request(child, { request: "start", user, password })) as { port: number };
  const inject = async (faults: ClickhouseFaults): Promise<void> => {
    await request(child, { request: "inject", faults });
  };
  if (options.faults !== undefined) await inject(options.faults);
  const server: ClickhouseServer = {
    url: `http://${host}:${port}`,
    dataDir,
    inject,
    statements: async () => (await request(child, { request: "statements" })) as string[],
    kill: () => ended(child, "SIGKILL"),
    async close() {
      await ended(child, "SIGTERM");
      if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
    },
    [Symbol.asyncDispose]: () => server.close(),
  };
  return server;
}

/**
 * The configuration as a file, where there is one; `{users}` in it is the path of the users' file.
 */
async function configFiles(dataDir: string, { config, users = "" }: ClickhouseServerOptions) {
  if (config === undefined) return [];
  const [main, other] = [join(dataDir, "config.xml"), join(dataDir, "users.xml")];
  await mkdir(dataDir, { recursive: true });
  await writeFile(other, users);
  await writeFile(main, config.replace("{users}", other));
  return [main];
}

let serial = 0;

/** One question to the process and its answer. */
function request(child: ChildProcess, question: object): Promise<unknown> {
  serial += 1;
  const id = serial;
  return new Promise((resolve, reject) => {
    const done = (): void => {
      child.off("message", onMessage);
      child.off("exit", onExit);
    };
    const onMessage = (message: unknown): void => {
      const reply = message as { readonly id: number; readonly value: unknown };
      if (reply.id !== id) return;
      done();
      resolve(reply.value);
    };
    const onExit = (code: number | null): void => {
      done();
      reject(new Error(`the ClickHouse process ended with ${code}`));
    };
    child.on("message", onMessage);
    child.on("exit", onExit);
    child.send({ id, ...question });
  });
}

function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once("exit", () => resolve());
    child.kill(signal);
  });
}
