/**
 * @module SimulatedProcess: a process with a real tracer provider and the real processor. Its clock
 * is the simulation's plus a skew; what it exports arrives after a delay, now and then twice.
 */
import { SpanStatusCode, trace } from "@opentelemetry/api";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { TracerProvider } from "@opentelemetry/sdk-trace";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import { spanRecordOf, spanToEvent, turnproofProcessor } from "@turnproof/exporter";
import type { TurnproofProcessor } from "@turnproof/exporter";
import type { EvidenceSink } from "@turnproof/instrumentation";
import { attribute } from "@turnproof/semconv";

/** Time and what arrived at the collector. */
export interface World {
  /** Milliseconds since 1970, on the collector's clock. */
  now: number;
  readonly received: unknown[];
}

/** How a service's batches travel. */
export interface Road {
  readonly latencyMs: number;
  /** The first answer was lost, so the same batch comes again. */
  readonly twice: boolean;
}

/** A process; `restart` gives it a new producer, and what it had not sent is gone. */
export class SimulatedProcess {
  readonly #world: World;
  readonly #name: string;
  readonly #skewMs: number;
  #provider: TracerProvider;
  #processor: TurnproofProcessor;
  #batch: ReadableSpan[] = [];

  constructor(world: World, name: string, skewMs: number) {
    this.#world = world;
    this.#name = name;
    this.#skewMs = skewMs;
    [this.#provider, this.#processor] = this.#start();
  }

  /** The sink of its recorders: spans of its own provider, by its own clock. */
  get sink(): EvidenceSink {
    return {
      start: ({ name, kind, attributes, parent, links }) => {
        const own = { kind, attributes, startTime: this.#time() };
        const options = links === undefined ? own : { ...own, links: [...links] };
        const span = this.#provider.getTracer("simulation").startSpan(name, options, parent);
        return {
          spanContext: span.spanContext(),
          context: trace.setSpan(parent, span),
          end: (result) => {
            span.setAttributes(result.attributes ?? {});
            span.setAttribute(attribute.status.span, result.status);
            if (result.status === "error") span.setStatus({ code: SpanStatusCode.ERROR });
            span.end(this.#time());
            return Promise.resolve();
          },
        };
      },
    };
  }

  /** Sends what ended so far, and markers of what is open. */
  async send({ latencyMs, twice }: Road): Promise<void> {
    await this.#processor.forceFlush();
    const spans = this.#batch.splice(0);
    for (const delay of twice ? [latencyMs, latencyMs + 900] : [latencyMs]) {
      const receivedAt = new Date(this.#world.now + delay).toISOString();
      for (const span of spans) {
        this.#world.received.push(spanToEvent(spanRecordOf(span), { receivedAt }));
      }
    }
  }

  /** The process dies: nothing that it had not sent arrives, and what was open never ends. */
  restart(): void {
    this.#batch = [];
    [this.#provider, this.#processor] = this.#start();
  }

  /** Ends the process in peace. */
  async stop(): Promise<void> {
    await this.#provider.shutdown();
  }

  #time(): Date {
    return new Date(this.#world.now + this.#skewMs);
  }

  #start(): [TracerProvider, TurnproofProcessor] {
    // What a dead process still hands to its exporter is lost.
    const batch: ReadableSpan[] = [];
    this.#batch = batch;
    const processor = turnproofProcessor({
      exporter: {
        export: (spans: ReadableSpan[], done: (answer: { code: number }) => void) => {
          batch.push(...spans);
          done({ code: 0 });
        },
        shutdown: () => Promise.resolve(),
      },
      delayMs: 60_000,
      markerDelayMs: 60_000,
    });
    const provider = new TracerProvider({
      spanProcessors: [processor],
      resource: resourceFromAttributes({ "service.name": this.#name }),
    });
    return [provider, processor];
  }
}
