/**
 * @module Producer: one process of the week, as its telemetry sees it: a tracer provider of the SDK
 * behind our processor, our gate and the OTLP exporter, all as `register` sets them up. Only the
 * clock is a story's: every span is begun and ended at a time that the story sets.
 */
import { SpanStatusCode, trace } from "@opentelemetry/api";
import type { HrTime } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { TracerProvider } from "@opentelemetry/sdk-trace";
import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace";
import { register } from "@turnproof/exporter/register";
import type { Registration } from "@turnproof/exporter/register";
import type { EvidenceSink } from "@turnproof/instrumentation";
import { attribute } from "@turnproof/semconv";

import type { StoryClock } from "../briefing/story-clock.ts";
import type { Dice } from "./dice.ts";

/** Which process it is, and where it sends. */
export interface ProducerOptions {
  readonly endpoint: string;
  readonly service: string;
  readonly version: string;
  /** Ids of its spans. */
  readonly dice: Dice;
}

const covers = attribute.loss_covers_ms.span;
/** How long a batch may be on its way before the week is given up. */
const drainMsMax = 60_000;

/** A process that sends what it saw. */
export class Producer {
  /** While true, nothing that it exports arrives, and it knows. */
  cutOff = false;
  readonly #registration: Registration;
  readonly #provider: TracerProvider;
  /** The latest time of the story that a span of this process has, epoch milliseconds. */
  #latestMs = 0;

  constructor({ endpoint, service, version, dice }: ProducerOptions) {
    const inner = new OTLPTraceExporter({ url: `${endpoint}/v1/traces` });
    const exporter: SpanExporter = {
      export: (spans: ReadableSpan[], done) => {
        if (this.cutOff) done({ code: 1 });
        else
          inner.export(
            spans.map((span) => this.#inStory(span)),
            done,
          );
      },
      forceFlush: () => inner.forceFlush(),
      shutdown: () => inner.shutdown(),
    };
    this.#registration = register({
      exporter: exporter,
      provider: false,
      flushOnExit: false,
      delayMs: 2,
      // What is open when a batch leaves stays open: turns of the story end before that.
      markerDelayMs: 0,
      reportEveryMs: 3_600_000,
      variables: {},
    });
    this.#provider = new TracerProvider({
      resource: resourceFromAttributes({ "service.name": service, "service.version": version }),
      spanProcessors: [this.#registration.processor],
      idGenerator: {
        generateTraceId: () => dice.hex(32),
        // Digits alone may be a card's number and two letters first an account's: an artifact could
        // not name its producer.
        generateSpanId: () => `${dice.between(0, 9)}${dice.hex(14)}f`,
      },
    });
  }

  /** A report of the process at the time of the story, as it covers only that time. */
  #inStory(span: ReadableSpan): ReadableSpan {
    const { [covers]: covered, ...attributes } = span.attributes;
    if (typeof covered !== "number") return span;
    const aheadMs = Date.now() - this.#latestMs;
    const at = hrTime(this.#latestMs);
    attributes[covers] = Math.max(0, Math.round(covered - aheadMs));
    return { ...span, startTime: at, endTime: at, attributes };
  }

  /** Identity under which its losses are counted. */
  get id(): string {
    return this.#registration.processor.producerId;
  }

  /** Evidence that it created, and what of it is known to be lost. */
  get counts(): { readonly created: number; readonly lost: number } {
    const { created, dropped } = this.#registration.health;
    return { created, lost: Object.values(dropped).reduce((sum, count) => sum + count, 0) };
  }

  /** A sink on the clock of a turn. */
  sinkAt(clock: StoryClock): EvidenceSink {
    const tracer = this.#provider.getTracer("@turnproof/instrumentation");
    return {
      start: ({ name, kind, attributes, parent, links }) => {
        const span = tracer.startSpan(
          name,
          {
            kind,
            attributes,
            startTime: hrTime(clock.nowMs),
            ...(links === undefined ? {} : { links: [...links] }),
          },
          parent,
        );
        return {
          spanContext: span.spanContext(),
          context: trace.setSpan(parent, span),
          end: ({ status, attributes: last, errorType }) => {
            span.setAttributes(last ?? {});
            span.setAttribute(attribute.status.span, status);
            if (errorType !== undefined) {
              span.setAttribute(attribute.error_type.span, errorType);
            }
            if (status === "error") span.setStatus({ code: SpanStatusCode.ERROR });
            span.end(hrTime(clock.nowMs));
            this.#latestMs = Math.max(this.#latestMs, clock.nowMs);
            return Promise.resolve();
          },
        };
      },
    };
  }

  /** Settles when nothing waits any more: sent, or counted as lost. */
  async drained(): Promise<void> {
    const deadline = Date.now() + drainMsMax;
    while (this.#registration.health.queued > 0) {
      if (Date.now() > deadline) throw new Error("a batch of the week does not arrive");
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }

  /** Reports what it lost so far; a lost connection is back by then. */
  async report(): Promise<void> {
    await this.#registration.flush();
  }

  /** Ends the process: what it has is sent, its counters last. */
  async close(): Promise<void> {
    await this.#registration.shutdown();
    await this.#provider.shutdown();
  }
}

/** A plain number before the start of this process would be read as a time since then. */
function hrTime(ms: number): HrTime {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.round((ms - seconds * 1_000) * 1e6)];
}
