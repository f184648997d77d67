/**
 * @module Record bench: process CPU of one evidence span from `startSpan` until it left through an
 * OTLP/protobuf exporter, ours against the plain SDK's batch processor, with and without content on
 * the span. Run: `node -C @turnproof/source test/bench/export/record.ts`. The wire is a server in a
 * process of its own, so that its work is not counted.
 */
import { fork } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import type { SpanProcessor } from "@opentelemetry/sdk-trace";
import { turnproofProcessor } from "@turnproof/exporter";
import { attribute } from "@turnproof/semconv";

const spans = Number(process.env["BENCH_SPANS"] ?? 20_000);
const rounds = Number(process.env["BENCH_ROUNDS"] ?? 7);

if (process.argv[2] === "--sink") {
  const server = createServer((request, response) => {
    request.resume().on("end", () => response.writeHead(200).end());
  });
  server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
} else {
  const sink = fork(new URL(import.meta.url), ["--sink"]);
  const port = await new Promise<number>((resolve) =>
    sink.once("message", (m) => resolve(Number(m))),
  );
  await compare(`http://127.0.0.1:${port}/v1/traces`);
  sink.kill();
}

/** Attributes of an ordinary model call, and the same with 11 kB of content beside them. */
function attributesOf(at: number, content: boolean): Record<string, string | number | string[]> {
  return {
    [attribute.event_kind.span]: "model_call",
    [attribute.phase.span]: "result",
    [attribute.agent_id.span]: "support-desk",
    [attribute.user_id.span]: `user-${at % 500}`,
    [attribute.thread_id.span]: `thread-${at % 2_000}`,
    [attribute.turn_id.span]: `turn-${at}`,
    [attribute.genai_operation.span]: "chat",
    [attribute.model.span]: "scripted-model",
    [attribute.provider.span]: "openai",
    [attribute.input_tokens.span]: 21,
    [attribute.output_tokens.span]: 7,
    [attribute.finish_reason.span]: ["stop"],
    [attribute.status.span]: "success",
    ...(content ? { "gen_ai.input.messages": "words ".repeat(1_900) } : {}),
  };
}

async function play(processor: SpanProcessor, content: boolean): Promise<number> {
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ "service.name": "bench" }),
    spanProcessors: [processor],
  });
  const tracer = provider.getTracer("@turnproof/instrumentation");
  const before = process.cpuUsage();
  for (let at = 0; at < spans; at++) {
    tracer.startSpan("chat scripted-model", { attributes: attributesOf(at, content) }).end();
    // Gives the batch time to leave, so that neither queue fills and drops.
    if (at % 512 === 511) await new Promise((resolve) => setTimeout(resolve, 12));
  }
  await provider.forceFlush();
  const { user, system } = process.cpuUsage(before);
  await provider.shutdown();
  return (user + system) / spans;
}

async function compare(url: string): Promise<void> {
  const exporter = (): OTLPTraceExporter => new OTLPTraceExporter({ url });
  const plain = (): SpanProcessor =>
    new BatchSpanProcessor({ exporter: exporter(), maxQueueSize: 8_192 });
  const ours = (): SpanProcessor =>
    turnproofProcessor({ exporter: exporter(), reportEveryMs: 3_600_000 }) as SpanProcessor;
  for (const content of [false, true]) {
    const ratios: number[] = [];
    const figures: [number, number][] = [];
    for (let round = 0; round <= rounds; round++) {
      const pair: [number, number] = [await play(plain(), content), await play(ours(), content)];
      if (round === 0) continue;
      figures.push(pair);
      ratios.push(pair[1] / pair[0]);
    }
    const median = (list: number[]): number =>
      list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] as number;
    const [base, own] = [
      median(figures.map((pair) => pair[0])),
      median(figures.map((pair) => pair[1])),
    ];
    const what = content ? "with 11 kB of content" : "without content";
    console.log(
      `${what}: plain ${base.toFixed(1)} µs, ours ${own.toFixed(1)} µs, ratio ${median(ratios).toFixed(2)}`,
    );
  }
}
