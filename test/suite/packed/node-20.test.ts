/**
 * @module Node 20: every package that declares it, installed from its tarball and played on a Node
 * 20: the set-up, a turn, a recorder, a job in another process, the journal and its drain, the
 * spool, the ends of a process, the stores; as a module, as CommonJS and by `--import`.
 */
import { execFile } from "node:child_process";
import { rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { decodeProtobuf } from "../../otlp/encode.ts";
import { firstNode, withoutFirstNode } from "./first-node.ts";
import { apps } from "./node-20-apps.ts";
import { installPacked, publishedPackages, secondLine } from "./packed-files.ts";

const run = promisify(execFile);
const node = await firstNode();
/** The collector has Node 26 of its own, and the example, which needs it, a test of its own. */
const apart = new Set<string>(["turnproof", "support-agent"]);
const ours = publishedPackages.filter((name) => !apart.has(name));

let folder = "";
let server: Server;
let url = "";
let refusing = false;
let bodies: Buffer[] = [];

beforeAll(async () => {
  if (node === undefined) return;
  folder = await installPacked(ours, { dependencies: secondLine.dependencies });
  for (const [name, text] of Object.entries(apps)) await writeFile(join(folder, name), text);
  server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      if (!refusing) bodies.push(Buffer.concat(parts));
      response.writeHead(refusing ? 503 : 200).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  if (folder === "") return;
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true, force: true });
});

/** Runs an app on Node 20 and gives the JSON of its last line. */
async function play(...flags: string[]): Promise<unknown> {
  bodies = [];
  const env = {
    PATH: process.env["PATH"],
    COLLECTOR: url,
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_SERVICE_NAME: "first-node",
  };
  const { stdout, stderr } = await run(node ?? "", flags, { cwd: folder, env });
  expect(stderr).toBe(refusing ? waits : "");
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
}

/** What a process prints at its end where the collector refuses. */
const waits = "turnproof: 1 evidence spans wait in the spool for the next process.\n";

/** Names of the spans that arrived. */
function arrived(): string[] {
  interface TraceRequest {
    readonly resourceSpans: readonly {
      readonly scopeSpans: readonly { readonly spans: readonly { readonly name: string }[] }[];
    }[];
  }
  const requests = bodies.map((body) => decodeProtobuf(body) as unknown as TraceRequest);
  const scopes = requests.flatMap(({ resourceSpans }) =>
    resourceSpans.flatMap(({ scopeSpans }) => scopeSpans),
  );
  return scopes.flatMap(({ spans }) => spans.map(({ name }) => name)).toSorted();
}

const reported = ["chat gpt-x", "execute_tool find_order", "invoke_agent desk", "notes.enqueue"];

describe.skipIf(node === undefined)(
  `on Node 20${node === undefined ? `: ${withoutFirstNode}` : ""}`,
  () => {
    test("it is Node 20", async () => {
      expect(await play("-p", "JSON.stringify(process.version)")).toMatch(/^v20\./);
    });

    test.each(["turn.mjs", "turn.cjs"])("%s: a turn, its recorder and its job", async (app) => {
      expect(await play(app)).toMatchObject({ installed: true, problem: null, dropped: {} });
      expect(arrived()).toEqual(expect.arrayContaining([...reported, "notes.write"]));
    });

    test("--import sets up an application that knows nothing of us", async () => {
      expect(await play("--import", "@turnproof/exporter/register/auto", "unaware.mjs")).toBe(
        "done",
      );
      expect(arrived()).toEqual(expect.arrayContaining(["chat m", "invoke_agent Desk"]));
    });

    test("a process that ends by itself sends what it has", async () => {
      expect(await play("ending.mjs")).toBe("ended");
      expect(arrived()).toContain("invoke_agent desk");
    });

    test("what a collector refuses waits in the spool for the next process", async () => {
      refusing = true;
      const first = await play("spooling.mjs");
      refusing = false;
      expect(first).toMatchObject({ spooled: 1, inherited: 0, dropped: {} });
      expect(await play("spooling.mjs")).toEqual({ spooled: 0, inherited: 0, dropped: {} });
      expect(arrived().filter((name) => name === "invoke_agent desk")).toHaveLength(2);
    });

    test("a journal drains into a store, and what is stored is read", async () => {
      expect(await play("stores.mjs")).toEqual({
        drained: 3,
        pending: 0,
        ephemeral: ["e0", "e1", "e2"],
        // Its evidence is in SQLite, which this Node does not bring; its memory is in files.
        filesystem: ["driver_missing", "Node.js 22.13 or later"],
        checked: "driver_missing",
        remembered: ["home_city"],
        verdict: "unknown",
        groups: [1, 2],
      });
    });

    test("every entry point loads", async () => {
      expect(await play("entries.mjs")).toEqual([]);
    });
  },
);
