/**
 * @module Lineage: what a resource rests on, as far as evidence says (design 4). Tenants are never
 * mixed: the same ref under two users is two lineages. A link says what was named, not that it is
 * true, and a source that nobody recorded is a leaf, not an end.
 */
import type { ProvenanceStatus } from "@turnproof/semconv";

import { compareEvents } from "./event-order.ts";
import type { ResourceRef, TurnEvent } from "./event.ts";
import { spanKey } from "./span-key.ts";
import { readWindow } from "./window-events.ts";

/** Which resource. `userId` null is the anonymous scope; absent asks every tenant of the window. */
export interface LineageQuery {
  readonly ref: string;
  readonly resourceType?: string;
  readonly version?: string;
  readonly userId?: string | null;
}

/** One resource version of a lineage. */
export interface LineageNode {
  readonly resource_type: string;
  readonly ref: string;
  readonly version: string | null;
  /** Steps from the resource that was asked for, along the shortest way. */
  readonly depth: number;
  readonly ownership_verified: boolean | null;
  readonly provenance_status: ProvenanceStatus | null;
  /** False where no event of the window produced it. */
  readonly recorded: boolean;
}

/** `from` rests on `to`: indexes into `nodes`, and the event that says so. */
export interface LineageEdge {
  readonly from: number;
  readonly to: number;
  readonly event_id: string;
}

/** The lineage of a resource for one tenant; absent `user_id` is unattributed. */
export interface Lineage {
  readonly user_id?: string | null;
  readonly nodes: readonly LineageNode[];
  readonly edges: readonly LineageEdge[];
}

type Tenant = string | null | undefined;

/** The resources of one tenant: type, ref and version are steps of a trie. */
interface Shelf {
  readonly tenant: Tenant;
  readonly producers: Map<string, TurnEvent[]>;
  readonly spans: Map<string, TurnEvent[]>;
  readonly asked: Map<string, ResourceRef>;
}

function keyOf({ resource_type, ref, version }: ResourceRef): string {
  return JSON.stringify([resource_type, ref, version ?? null]);
}

/**
 * Walks from the resource to everything it rests on: the inputs of the events that have it as an
 * output, and of the span that produced it. Linear in events; circles are walked once.
 */
export function buildLineage(events: readonly unknown[], query: LineageQuery): Lineage[] {
  const shelves = new Map<Tenant, Shelf>();
  const ordered = readWindow(events).events.toSorted(compareEvents);
  for (const event of ordered) {
    if (query.userId !== undefined && event.user_id !== query.userId) continue;
    let shelf = shelves.get(event.user_id);
    if (shelf === undefined) {
      shelf = { tenant: event.user_id, producers: new Map(), spans: new Map(), asked: new Map() };
      shelves.set(event.user_id, shelf);
    }
    addEvent(shelf, event, query);
  }
  return [...shelves.values()].filter(({ asked }) => asked.size > 0).map(walk);
}

function addEvent(shelf: Shelf, event: TurnEvent, query: LineageQuery): void {
  const put = (map: Map<string, TurnEvent[]>, key: string): void => {
    const known = map.get(key);
    if (known === undefined) map.set(key, [event]);
    else known.push(event);
  };
  // A delivery carries what it names; it makes nothing.
  const outputs = event.event_kind === "delivery" ? [] : (event.output_refs ?? []);
  for (const output of outputs) put(shelf.producers, keyOf(output));
  const span = spanKey(event);
  if (span !== undefined && event.event_kind !== "artifact") put(shelf.spans, span);
  for (const ref of [...outputs, ...(event.input_refs ?? [])]) {
    const asked =
      ref.ref === query.ref &&
      (query.resourceType === undefined || ref.resource_type === query.resourceType) &&
      (query.version === undefined || ref.version === query.version);
    if (asked) shelf.asked.set(keyOf(ref), ref);
  }
}

function walk(shelf: Shelf): Lineage {
  const indexOf = new Map<string, number>();
  const nodes: LineageNode[] = [];
  const refs: ResourceRef[] = [];
  const edges: LineageEdge[] = [];
  const visit = (ref: ResourceRef, depth: number): number => {
    const key = keyOf(ref);
    const known = indexOf.get(key);
    if (known !== undefined) return known;
    indexOf.set(key, nodes.length);
    refs.push(ref);
    nodes.push({
      resource_type: ref.resource_type,
      ref: ref.ref,
      version: ref.version ?? null,
      depth,
      ownership_verified: ref.ownership_verified ?? null,
      provenance_status: ref.provenance_status ?? null,
      recorded: shelf.producers.has(key),
    });
    return nodes.length - 1;
  };
  for (const ref of shelf.asked.values()) visit(ref, 0);
  // The list grows while it is walked, so breadth comes before depth.
  for (let from = 0; from < nodes.length; from += 1) {
    const key = keyOf(refs[from] as ResourceRef);
    const below = (nodes[from] as LineageNode).depth + 1;
    for (const event of shelf.producers.get(key) ?? []) {
      for (const source of sourcesOf(shelf, event)) {
        const to = visit(source, below);
        if (to !== from) edges.push({ from, to, event_id: event.event_id });
      }
    }
  }
  return { ...(shelf.tenant === undefined ? {} : { user_id: shelf.tenant }), nodes, edges };
}

/** What an event rests on: its own inputs, and those of the span that produced its artifact. */
function sourcesOf(shelf: Shelf, event: TurnEvent): ResourceRef[] {
  const span = event.attributes.producing_span_id;
  const producers = (span === undefined ? [] : (shelf.spans.get(span) ?? [])).filter(
    (producer) => producer.root_trace_id === event.root_trace_id,
  );
  const sources = new Map<string, ResourceRef>();
  for (const { input_refs } of [event, ...producers]) {
    for (const ref of input_refs ?? []) if (!sources.has(keyOf(ref))) sources.set(keyOf(ref), ref);
  }
  return [...sources.values()];
}
