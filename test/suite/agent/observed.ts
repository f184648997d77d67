/**
 * @module Observed: this process's OpenTelemetry, with everything that the SDK finished going
 * through the gate and the one mapping into an evidence store of the test.
 */
import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  BatchSpanProcessor,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { TurnEvent } from "@turnproof/evidence";
import { BundleExporter } from "@turnproof/exporter";
import { ephemeral } from "@turnproof/store";
import type { EvidenceStore, EvidenceWriter } from "@turnproof/store";

/** What was seen. */
export interface Observed {
  readonly store: EvidenceStore;
  /** Resolved events of one tenant, oldest first, once everything is written. */
  events(tenant: string | null, rootTraceId?: string): Promise<readonly TurnEvent[]>;
  /** Everything the SDK saw and everything the store holds of the tenants, as one text. */
  text(tenants: readonly (string | null)[]): Promise<string>;
  reset(): void;
}

/** Sets the global provider up; call it once per file. */
export function observe(): Observed {
  const store = ephemeral();
  const bundles = new BundleExporter({ store });
  const memory = new InMemorySpanExporter();
  const provider = new TracerProvider({
    spanProcessors: [
      new SimpleSpanProcessor({ exporter: memory }),
      new SimpleSpanProcessor({ exporter: bundles }),
    ],
  });
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const events = async (
    tenant: string | null,
    rootTraceId?: string,
  ): Promise<readonly TurnEvent[]> => {
    await provider.forceFlush();
    if (bundles.health.write_failures > 0) throw new Error("evidence was not written");
    if (rootTraceId !== undefined) {
      return (await store.root({ tenant }, rootTraceId, { limit: 10_000 })).events;
    }
    const slice = await store.page({ tenant }, {}, { limit: 1_000 });
    const all = [...slice.events];
    for (let next = slice.next; next !== null;) {
      const more = await store.page({ tenant }, {}, { limit: 1_000, after: next });
      all.push(...more.events);
      next = more.next;
    }
    return all.toReversed();
  };
  return {
    store,
    events,
    text: async (tenants) => {
      const spans = memory
        .getFinishedSpans()
        .map(({ name, attributes, events: points, status, links }) => [
          name,
          attributes,
          points,
          status,
          links.length,
        ]);
      const stored = await Promise.all(tenants.map((tenant) => events(tenant)));
      return JSON.stringify([spans, stored]);
    },
    reset: () => memory.reset(),
  };
}

/** Sets the global provider up to write whole bundles into one store after another. */
export function observeInto(): {
  /** From now on evidence goes there; the result waits until all of it is written. */
  readonly into: (store: EvidenceWriter) => () => Promise<void>;
} {
  let target: EvidenceWriter = ephemeral();
  const append: EvidenceWriter["append"] = (batch) => target.append(batch);
  const exporter = new BundleExporter({ store: { append } });
  const provider = new TracerProvider({
    spanProcessors: [new BatchSpanProcessor({ exporter, maxQueueSize: 100_000 })],
  });
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  return {
    into: (store) => {
      target = store;
      return async () => {
        await provider.forceFlush();
        // The batch processor does not wait for an export that has begun; the exporter does.
        await exporter.forceFlush();
        if (exporter.health.write_failures > 0) throw new Error("evidence was not written");
      };
    },
  };
}

/** The events of one kind. */
export function ofKind(events: readonly TurnEvent[], kind: string): readonly TurnEvent[] {
  return events.filter((event) => event.event_kind === kind);
}
