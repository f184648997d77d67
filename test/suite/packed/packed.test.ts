/** @module Packed: our files as published, with API 1.9 and SDK 2, in apps of four kinds. */
import { execFile } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { decodeProtobuf } from "../../otlp/encode.ts";
import { installClient, root } from "./packed-files.ts";

const run = promisify(execFile);

const body = `
const tracer = trace.getTracer("app");
const turn = { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "Desk" };
const chat = {
  "gen_ai.operation.name": "chat",
  "gen_ai.request.model": "m",
  "gen_ai.input.messages": "CANARY",
};
tracer.startActiveSpan("CANARY turn", { attributes: turn }, (span) => {
  tracer.startSpan("CANARY chat", { attributes: chat }).end();
  span.end();
});
`;

/** The examples of a README, as they stand there. */
const examples = async (name: string): Promise<string[]> => {
  const text = await readFile(join(root, "packages", name, "README.md"), "utf8");
  return [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code ?? "");
};
const recording = (await examples("instrumentation")).join("\n");
const gate = (await examples("exporter")).find((code) => code.includes("contentFree(")) ?? "";

const print =
  "console.log(JSON.stringify([turnproof.installed, turnproof.problem ?? null, turnproof.health]));";

const apps = {
  "module.mjs": `
import { trace } from "@opentelemetry/api";
import { register } from "@turnproof/exporter/register";
const turnproof = register({ endpoint: process.env.COLLECTOR, serviceName: "module" });
${body}
await turnproof.shutdown();
${print}
`,
  "common.cjs": `
const { trace } = require("@opentelemetry/api");
const { register } = require("@turnproof/exporter/register");
const turnproof = register({ endpoint: process.env.COLLECTOR, serviceName: "common" });
${body}
turnproof.shutdown().then(() => {
  ${print}
});
`,
  "own-provider.cjs": `
const { trace } = require("@opentelemetry/api");
const { BasicTracerProvider } = require("@opentelemetry/sdk-trace-base");
const { AsyncLocalStorageContextManager } = require("@opentelemetry/context-async-hooks");
const { resourceFromAttributes } = require("@opentelemetry/resources");
const { context } = require("@opentelemetry/api");
const { register } = require("@turnproof/exporter/register");
const turnproof = register({ endpoint: process.env.COLLECTOR, provider: false });
context.setGlobalContextManager(new AsyncLocalStorageContextManager());
trace.setGlobalTracerProvider(new BasicTracerProvider({
  resource: resourceFromAttributes({ "service.name": "own-provider" }),
  spanProcessors: [turnproof.processor],
}));
${body}
turnproof.shutdown().then(() => {
  ${print}
});
`,
  "gated.mjs": `
import { trace } from "@opentelemetry/api";
${gate.replace("new OTLPTraceExporter()", "new OTLPTraceExporter({ url: process.env.COLLECTOR + '/v1/traces' })")}
trace.setGlobalTracerProvider(provider);
${body}
await provider.shutdown();
console.log(JSON.stringify(gated.dropped));
`,
  "recording.mts": `
${recording.replace('"http://127.0.0.1:4318"', 'process.env.COLLECTOR ?? ""')}
console.log(JSON.stringify([turnproof.installed, turnproof.problem ?? null, turnproof.health]));
await turnproof.shutdown();
`,
  "common-recording.cjs": `
const { register } = require("@turnproof/exporter/register");
const { withTurn, forWorker, ObservabilityRecorder, otelSink } = require("@turnproof/instrumentation");
const turnproof = register({ endpoint: process.env.COLLECTOR, serviceName: "common-recording" });
(async () => {
  const identity = { agentId: "desk", userId: "user_1", threadId: "t1" };
  const carrier = await withTurn(identity, (turn) => {
    const span = turn.recorder().startSpan("notes.enqueue", { kind: "queue" });
    return span.succeed().then(() => span.toCarrier());
  });
  const sink = otelSink();
  const job = await forWorker(carrier, { sink, expected: { userId: "user_1" } });
  await new ObservabilityRecorder(sink, job).startSpan("notes.write").succeed();
  await turnproof.shutdown();
  console.log(JSON.stringify(turnproof.health));
})();
`,
  "knows-nothing.mjs": `
import { trace } from "@opentelemetry/api";
${body}
`,
};

const typed = `
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { contentFree, turnproofProcessor } from "@turnproof/exporter";
const processor = turnproofProcessor({ exporter: new OTLPTraceExporter() });
export const provider = new BasicTracerProvider({
  spanProcessors: [processor, new SimpleSpanProcessor(contentFree(new InMemorySpanExporter()))],
});
`;

/** The parts of an OTLP request that are looked at. */
interface TraceRequest {
  readonly resourceSpans: readonly {
    readonly resource: {
      readonly attributes: readonly { key: string; value: { stringValue: string } }[];
    };
    readonly scopeSpans: readonly { readonly spans: readonly { readonly name: string }[] }[];
  }[];
}

interface Received {
  readonly names: readonly string[];
  readonly services: readonly string[];
}

let folder = "";
let server: Server;
let url = "";
let bodies: Buffer[] = [];

beforeAll(async () => {
  folder = await installClient();
  for (const [name, text] of Object.entries(apps)) await writeFile(join(folder, name), text);
  server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      bodies.push(Buffer.concat(parts));
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  server?.closeAllConnections();
  server?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Starts an app in the folder and answers with its last line and with what was sent. */
async function play(flags: readonly string[], env: Record<string, string>): Promise<string> {
  bodies = [];
  const { NODE_OPTIONS: _, ...inherited } = process.env;
  const options = { cwd: folder, env: { ...inherited, COLLECTOR: url, ...env } };
  const { stdout } = await run(process.execPath, [...flags], options);
  return stdout.trim();
}

function received(): Received {
  const names: string[] = [];
  const services: string[] = [];
  for (const body of bodies) {
    // The gate writes protobuf; an exporter of the application's own may write JSON.
    const json = body[0] === 0x7b;
    const request = (json ? JSON.parse(body.toString()) : decodeProtobuf(body)) as TraceRequest;
    for (const group of request.resourceSpans) {
      for (const { key, value } of group.resource.attributes) {
        if (key === "service.name") services.push(value.stringValue);
      }
      for (const scope of group.scopeSpans) {
        for (const span of scope.spans) names.push(span.name);
      }
    }
  }
  return { names: names.toSorted(), services: [...new Set(services)] };
}

const evidence = ["chat m", "invoke_agent Desk", "turnproof.data_quality"];
const counted = { created: 2, exported: 2, queued: 0, spooled: 0, dropped: {} };

describe("packed files with API 1.9 and SDK 2, outside the workspaces", () => {
  test("one copy of the API is installed, and it is the application's", async () => {
    const copies = await run("npm", ["ls", "--all", "--parseable", "@opentelemetry/api"], {
      cwd: folder,
    });
    expect(copies.stdout.trim().split("\n")).toHaveLength(1);
    const file = join(folder, "node_modules/@opentelemetry/api/package.json");
    expect(JSON.parse(await readFile(file, "utf8")).version).toMatch(/^1\.9\./);
  });

  test.each([
    ["module.mjs", "module", true],
    ["common.cjs", "common", true],
    ["own-provider.cjs", "own-provider", false],
  ])("%s sends evidence and nothing else", async (app, service, installed) => {
    const line = await play([app], {});
    const [built, problem, health] = JSON.parse(line);
    expect([built, problem]).toEqual([installed, null]);
    expect(health).toMatchObject(counted);
    expect(received()).toEqual({ names: evidence, services: [service] });
    expect(Buffer.concat(bodies).toString("latin1")).not.toContain("CANARY");
  });

  test("an exporter of the application's own is behind the gate", async () => {
    const dropped: unknown = JSON.parse(await play(["gated.mjs"], {}));
    expect(dropped).toMatchObject({ span_name_replaced: 2 });
    expect(received().names).toEqual(["chat m", "invoke_agent Desk"]);
    expect(Buffer.concat(bodies).toString("latin1")).not.toContain("CANARY");
  });

  test("the instrumentation's README, as a module with types", async () => {
    const [built, problem, health] = JSON.parse(await play(["recording.mts"], {}));
    expect([built, problem]).toEqual([true, null]);
    expect(health).toMatchObject({ created: 12, exported: 12, dropped: {} });
    expect(received().names).toEqual(
      expect.arrayContaining(["chat gpt-x", "notes.write", "turnproof.delivery.notes_page"]),
    );
  });

  test("a turn and its job in CommonJS", async () => {
    const health: unknown = JSON.parse(await play(["common-recording.cjs"], {}));
    expect(health).toMatchObject({ created: 3, exported: 3, dropped: {} });
    const jobs = ["invoke_agent desk", "notes.enqueue", "notes.write", "turnproof.data_quality"];
    expect(received()).toEqual({ names: jobs, services: ["common-recording"] });
  });

  test("an application that knows nothing of us is set up by --import", async () => {
    await play(["--import", "@turnproof/exporter/register/auto", "knows-nothing.mjs"], {
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      OTEL_SERVICE_NAME: "knows-nothing",
    });
    expect(received()).toEqual({ names: evidence, services: ["knows-nothing"] });
    expect(Buffer.concat(bodies).toString("latin1")).not.toContain("CANARY");
  });

  test("the published types fit the SDK's of the 2.x line", async () => {
    await writeFile(join(folder, "typed.mts"), typed);
    const flags = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2024"];
    const compiler = join(root, "node_modules/typescript/bin/tsc");
    await writeFile(join(folder, "recording-typed.mts"), recording);
    await writeFile(join(folder, "gated-typed.mts"), gate);
    const files = ["--skipLibCheck", "typed.mts", "recording-typed.mts", "gated-typed.mts"];
    const checked = run(process.execPath, [compiler, ...flags, ...files], { cwd: folder });
    const { stdout } = await checked.catch((error: { stdout: string }) => error);
    expect(stdout).toBe("");
  });
});
