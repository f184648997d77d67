/**
 * @module Record bench: process CPU of one evidence span from `startSpan` until it left by
 * OTLP/protobuf, ours against the plain SDK's batch processor and exporter, with and without
 * content on the span, and the time that the caller's loop of `startSpan` and `end` takes. Ours is
 * measured as `register` sets it up (the SDK's transport, requests written by the gate) and around
 * the very exporter that the plain side has. The spans end at once, so no start marker is due;
 * watching for them is counted. Where
 * `test/dialects` is installed, the same for `@langfuse/otel` against the plain processor of its
 * SDK line, in a process of its own.
 *
 *   node -C @turnproof/source test/bench/record/run.ts
 *
 * The wire is a server in another process, so that its work is not counted. Rounds alternate which
 * side goes first; given are minima, and the median of the ratios of the rounds.
 */
import { fork } from "node:child_process";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";

import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import type { SpanProcessor } from "@opentelemetry/sdk-trace";
import { turnproofProcessor } from "@turnproof/exporter";
import { otlpExporter } from "@turnproof/exporter/register";

import { playSpans } from "./spans.ts";
import type { Played, ProviderLike } from "./spans.ts";

const rounds = Number(process.env["BENCH_ROUNDS"] ?? 9);
type Make = new (...options: readonly unknown[]) => unknown;
interface OlderSdk {
  readonly BatchSpanProcessor: Make;
  readonly BasicTracerProvider: new (options: object) => ProviderLike;
}
type Play = (content: boolean) => Promise<Played>;

if (process.argv[2] === "--sink") {
  const server = createServer((request, response) => {
    request.resume().on("end", () => response.writeHead(200).end());
  });
  server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
} else {
  const sink = fork(new URL(import.meta.url), ["--sink"]);
  const port = await new Promise<number>((resolve) =>
    sink.once("message", (message) => resolve(Number(message))),
  );
  const url = `http://127.0.0.1:${port}/v1/traces`;
  if (process.argv[2] === "--langfuse") await compareLangfuse(url);
  else {
    await compareOurs(url);
    const apart = fork(new URL(import.meta.url), ["--langfuse"]);
    await new Promise((resolve) => apart.once("exit", resolve));
  }
  sink.kill();
}

async function compareOurs(url: string): Promise<void> {
  const play = (make: () => SpanProcessor): Play => {
    const resource = resourceFromAttributes({ "service.name": "bench" });
    return (content) =>
      playSpans(new TracerProvider({ resource, spanProcessors: [make()] }), content);
  };
  const exporter = (): OTLPTraceExporter => new OTLPTraceExporter({ url });
  const plain = (): SpanProcessor =>
    new BatchSpanProcessor({ exporter: exporter(), maxQueueSize: 8_192 });
  const reportEveryMs = 3_600_000;
  const ours = (): SpanProcessor =>
    turnproofProcessor({ exporter: otlpExporter({ url }), reportEveryMs }) as SpanProcessor;
  const around = (): SpanProcessor =>
    turnproofProcessor({ exporter: exporter(), reportEveryMs }) as SpanProcessor;
  await compare("ours", play(plain), play(ours));
  await compare("ours around the SDK's exporter", play(plain), play(around));
}

/** From the install of the dialects' fixtures; its packages are of the SDK's 2.x line. */
async function compareLangfuse(url: string): Promise<void> {
  const install = createRequire(new URL("../../dialects/package.json", import.meta.url));
  let sdk: OlderSdk;
  let otlp: { readonly OTLPTraceExporter: Make };
  let own: { readonly LangfuseSpanProcessor: Make };
  try {
    sdk = install("@opentelemetry/sdk-trace-base");
    otlp = install("@opentelemetry/exporter-trace-otlp-proto");
    own = install("@langfuse/otel");
  } catch {
    console.log("langfuse: test/dialects is not installed");
    return;
  }
  const play = (make: () => unknown): Play => {
    return (content) =>
      playSpans(new sdk.BasicTracerProvider({ spanProcessors: [make()] }), content);
  };
  const exporter = (): unknown => new otlp.OTLPTraceExporter({ url });
  const plain = (): unknown => new sdk.BatchSpanProcessor(exporter(), { maxQueueSize: 8_192 });
  const langfuse = (): unknown =>
    new own.LangfuseSpanProcessor({
      exporter: exporter(),
      publicKey: "bench",
      secretKey: "bench",
      shouldExportSpan: () => true,
    });
  await compare("langfuse (SDK 2.x)", play(plain), play(langfuse));
}

async function compare(name: string, plain: Play, other: Play): Promise<void> {
  for (const content of [false, true]) {
    const pairs: (readonly [Played, Played])[] = [];
    for (let round = 0; round <= rounds; round++) {
      const first = await (round % 2 === 0 ? plain : other)(content);
      const second = await (round % 2 === 0 ? other : plain)(content);
      if (round > 0) pairs.push(round % 2 === 0 ? [first, second] : [second, first]);
    }
    const least = (side: 0 | 1, of: keyof Played): number =>
      Math.min(...pairs.map((pair) => pair[side][of]));
    const ratios = pairs.map(([base, own]) => own.cpuUs / base.cpuUs).toSorted((a, b) => a - b);
    const [base, own] = [least(0, "cpuUs"), least(1, "cpuUs")];
    console.log(
      `${content ? "11 kB of content" : "no content"}: plain ${base.toFixed(1)} µs, ${name} ` +
        `${own.toFixed(1)} µs, ratio of minima ${(own / base).toFixed(2)}, median ratio ` +
        `${(ratios[Math.floor(ratios.length / 2)] as number).toFixed(2)}; loop ` +
        `${least(0, "loopUs").toFixed(1)} and ${least(1, "loopUs").toFixed(1)} µs`,
    );
  }
}
