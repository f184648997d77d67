/** @module Spans: the model calls that the record bench plays, through any provider. */
import { setTimeout as wait } from "node:timers/promises";

import { attribute } from "@turnproof/semconv";

const spans = Number(process.env["BENCH_SPANS"] ?? 20_000);
/** Spans after which a batch is given time to leave, so that no queue fills and drops. */
const burst = 512;

/** Microseconds per span: CPU of the whole process, and time in the caller's loop. */
export interface Played {
  readonly cpuUs: number;
  readonly loopUs: number;
}

/** As much of a tracer provider of either SDK line as is used here. */
export interface ProviderLike {
  getTracer(name: string): {
    startSpan(
      name: string,
      options: { attributes: Record<string, string | number | string[]> },
    ): { end(): void };
  };
  forceFlush(): Promise<void>;
  shutdown(): Promise<void>;
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

/** Plays the spans through a provider with one processor, to the end of its flush. */
export async function playSpans(provider: ProviderLike, content: boolean): Promise<Played> {
  const tracer = provider.getTracer("@turnproof/instrumentation");
  let loopMs = 0;
  const before = process.cpuUsage();
  for (let at = 0; at < spans; at += burst) {
    const from = performance.now();
    for (let one = at; one < Math.min(at + burst, spans); one++) {
      tracer.startSpan("chat scripted-model", { attributes: attributesOf(one, content) }).end();
    }
    loopMs += performance.now() - from;
    await wait(12);
  }
  await provider.forceFlush();
  const { user, system } = process.cpuUsage(before);
  await provider.shutdown();
  return { cpuUs: (user + system) / spans, loopUs: (loopMs * 1_000) / spans };
}
