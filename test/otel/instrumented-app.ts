/**
 * @module Instrumented app: an application with OpenTelemetry's own HTTP instrumentation, as its
 * README sets it up, that makes a turn with two requests and then idles. It prints the kinds of its
 * spans after half a second and `idle` after the idle time; the suite kills it.
 */
import type http from "node:http";
import { createRequire } from "node:module";

import { context, trace } from "@opentelemetry/api";
import { HttpInstrumentation } from "@opentelemetry/instrumentation-http";
import { UndiciInstrumentation } from "@opentelemetry/instrumentation-undici";
import { openJournal } from "@turnproof/journal";
import { register } from "@turnproof/exporter/register";

const [mode = "", url = "", installFolder = "", spool = "", idleMs = ""] = process.argv.slice(2);
for (const instrumentation of [new HttpInstrumentation(), new UndiciInstrumentation()]) {
  instrumentation.setTracerProvider(trace.getTracerProvider());
}
const { get } = createRequire(import.meta.url)("http") as typeof http;

const kinds: number[] = [];
const watch = {
  onStart(): void {},
  onEnd: ({ kind }: { readonly kind: number }) => void kinds.push(kind),
  forceFlush: async (): Promise<void> => {},
  shutdown: async (): Promise<void> => {},
};

/** The line's own batch processor and exporter. */
function setUpPlain(): void {
  type Made = new (...options: readonly unknown[]) => never;
  const sdk = createRequire(`${installFolder}/`);
  const load = (name: string): Readonly<Record<string, Made>> =>
    sdk(`@opentelemetry/${name}`) as Readonly<Record<string, Made>>;
  const third = mode === "plain-3";
  const { TracerProvider, BasicTracerProvider, BatchSpanProcessor } = load(
    third ? "sdk-trace" : "sdk-trace-base",
  );
  const { OTLPTraceExporter } = load("exporter-trace-otlp-http");
  const { AsyncLocalStorageContextManager } = load("context-async-hooks");
  const exporter = new OTLPTraceExporter!({ url: `${url}/v1/traces` });
  const delay = { scheduledDelayMillis: 50 };
  const batch = third
    ? new BatchSpanProcessor!({ exporter, ...delay })
    : new BatchSpanProcessor!(exporter, delay);
  const provider = new (TracerProvider ?? BasicTracerProvider)!({ spanProcessors: [batch, watch] });
  trace.setGlobalTracerProvider(provider);
  const manager = new AsyncLocalStorageContextManager!() as { enable(): never };
  context.setGlobalContextManager(manager.enable());
}

async function setUpOurs(): Promise<void> {
  const fetching = {
    async export(_: unknown, done: (answer: { code: number }) => void): Promise<void> {
      await fetch(`${url}/v1/traces`, { method: "POST" });
      done({ code: 0 });
    },
    shutdown: async (): Promise<void> => {},
  };
  register({
    endpoint: url,
    delayMs: 50,
    reportEveryMs: 100,
    variables: {},
    spanProcessors: [watch],
    resolveFrom: installFolder,
    ...(mode === "fetch" ? { exporter: fetching } : {}),
    ...(mode === "spool"
      ? { spool: await openJournal({ directory: spool }), writeThrough: true }
      : {}),
  });
}

if (mode.startsWith("plain")) setUpPlain();
else await setUpOurs();
const attributes = { "gen_ai.operation.name": "invoke_agent" };
await trace.getTracer("app").startActiveSpan("turn", { attributes }, async (span) => {
  await new Promise((done) => get(url, (answer) => answer.resume().on("end", done)));
  await (await fetch(url)).text();
  span.end();
});
setTimeout(() => {
  console.log(JSON.stringify(kinds));
  setTimeout(() => console.log("idle"), Number(idleMs));
}, 500);
setInterval(() => {}, 1_000);
