/**
 * @module Lineage: the recorded sources of a resource (evidence: Insights). Tenants are never
 * mixed: the same ref of two users gives two lineages. A link is what was recorded, not a proof,
 * and a source without a recorded producer is a leaf.
 */
import type { Identity, ProvenanceStatus } from "@turnproof/semconv";

import { compareEvents } from "../event/event-order.ts";
import type { EventResource, TurnEvent } from "../event/event.ts";
import { spanKey } from "../event/span-key.ts";
import { readWindow } from "../normalize/window-events.ts";

/** The resource. `userId` null is the anonymous scope; absent means every tenant of the window. */
export interface LineageQuery {
  readonly ref: string;
  readonly resourceType?: string;
  readonly version?: string;
  readonly userId?: Tenant;
}

/** One resource version of a lineage. */
export interface LineageNode {
  readonly resource_type: string;
  readonly ref: string;
  readonly version: string | null;
  /** Steps from the requested resource, along the shortest path. */
  readonly depth: number;
  readonly ownership_verified: boolean | null;
  readonly provenance_status: ProvenanceStatus | null;
  /** False where no event of the window produced it. */
  readonly recorded: boolean;
  /**
   * Sources of the spans that produced it without an edge of their own; they are nodes all the
   * same.
   */
  readonly edges_omitted: number;
}

/** `from` depends on `to`: indexes into `nodes`, and the event that recorded it. */
export interface LineageEdge {
  readonly from: number;
  readonly to: number;
  readonly event_id: string;
}

/** The lineage of a resource for one tenant; absent `user_id` is unattributed. */
export interface Lineage extends Partial<Pick<Identity, "user_id">> {
  readonly nodes: readonly LineageNode[];
  readonly edges: readonly LineageEdge[];
}

type Tenant = Identity["user_id"] | undefined;

/** Resources that the events of one span name as inputs: each once, in order of time. */
interface SpanSources {
  readonly refs: Map<string, EventResource>;
  /** True once an event has an edge to every one of them. */
  drawn: boolean;
}

/**
 * Edges of each further event to the sources of its span. Many events of one span with many
 * sources would otherwise need the product of both.
 */
const furtherEdgesMax = 64;

/** The resources of one tenant. */
interface Shelf {
  readonly tenant: Tenant;
  readonly producers: Map<string, TurnEvent[]>;
  /** By root and span. */
  readonly spans: Map<string, SpanSources>;
  readonly requested: Map<string, EventResource>;
}

function keyOf({ resource_type, ref, version }: EventResource): string {
  return JSON.stringify([resource_type, ref, version ?? null]);
}

/**
 * Walks from the resource to all its sources: the inputs of the events that output it, and of the
 * span that produced it. Linear in events; cycles are walked once.
 */
export function buildLineage(events: readonly unknown[], query: LineageQuery): Lineage[] {
  const shelves = new Map<Tenant, Shelf>();
  const ordered = readWindow(events).events.toSorted(compareEvents);
  for (const event of ordered) {
    if (query.userId !== undefined && event.user_id !== query.userId) continue;
    let shelf = shelves.get(event.user_id);
    if (shelf === undefined) {
      shelf = {
        tenant: event.user_id,
        producers: new Map(),
        spans: new Map(),
        requested: new Map(),
      };
      shelves.set(event.user_id, shelf);
    }
    addEvent(shelf, event, query);
  }
  return [...shelves.values()].filter(({ requested }) => requested.size > 0).map(walk);
}

function spanKeyOf(root: string | undefined, span: string): string {
  return JSON.stringify([root ?? null, span]);
}

function addEvent(shelf: Shelf, event: TurnEvent, query: LineageQuery): void {
  const inputs = event.input_refs ?? [];
  // A delivery carries its resources; it does not produce them.
  const outputs = event.event_kind === "delivery" ? [] : (event.output_refs ?? []);
  for (const output of outputs) {
    const key = keyOf(output);
    const known = shelf.producers.get(key);
    if (known === undefined) shelf.producers.set(key, [event]);
    else known.push(event);
  }
  const span = event.event_kind === "artifact" ? undefined : spanKey(event);
  if (span !== undefined && inputs.length > 0) {
    const place = spanKeyOf(event.root_trace_id, span);
    let sources = shelf.spans.get(place);
    if (sources === undefined) {
      shelf.spans.set(place, (sources = { refs: new Map(), drawn: false }));
    }
    for (const ref of inputs) addRef(sources.refs, ref);
  }
  for (const ref of [...outputs, ...inputs]) {
    const requested =
      ref.ref === query.ref &&
      (query.resourceType === undefined || ref.resource_type === query.resourceType) &&
      (query.version === undefined || ref.version === query.version);
    if (requested) shelf.requested.set(keyOf(ref), ref);
  }
}

/** The first record of a resource is kept. */
function addRef(refs: Map<string, EventResource>, ref: EventResource): void {
  const key = keyOf(ref);
  if (!refs.has(key)) refs.set(key, ref);
}

/** A node during the walk. */
type MutableLineageNode = { -readonly [K in keyof LineageNode]: LineageNode[K] };

function walk(shelf: Shelf): Lineage {
  const indexOf = new Map<string, number>();
  const nodes: MutableLineageNode[] = [];
  const edges: LineageEdge[] = [];
  const visit = (key: string, ref: EventResource, depth: number): number => {
    const known = indexOf.get(key);
    if (known !== undefined) return known;
    indexOf.set(key, nodes.length);
    nodes.push({
      resource_type: ref.resource_type,
      ref: ref.ref,
      version: ref.version ?? null,
      depth,
      ownership_verified: ref.ownership_verified ?? null,
      provenance_status: ref.provenance_status ?? null,
      recorded: shelf.producers.has(key),
      edges_omitted: 0,
    });
    return nodes.length - 1;
  };
  for (const [key, ref] of shelf.requested) visit(key, ref, 0);
  // A map is iterated in insertion order while it grows, so the walk is breadth-first.
  for (const [key, from] of indexOf) {
    const node = nodes[from] as MutableLineageNode;
    for (const event of shelf.producers.get(key) ?? []) {
      const { refs, omitted } = sourcesOf(shelf, event);
      node.edges_omitted += omitted;
      for (const [sourceKey, source] of refs) {
        const to = visit(sourceKey, source, node.depth + 1);
        if (to !== from) edges.push({ from, to, event_id: event.event_id });
      }
    }
  }
  return { ...(shelf.tenant === undefined ? {} : { user_id: shelf.tenant }), nodes, edges };
}

/** Sources of an event: its own inputs, and those of the span that produced its artifact. */
function sourcesOf(
  shelf: Shelf,
  event: TurnEvent,
): { readonly refs: Map<string, EventResource>; readonly omitted: number } {
  const refs = new Map<string, EventResource>();
  for (const ref of event.input_refs ?? []) addRef(refs, ref);
  const producer = event.attributes.producing_span_id;
  if (producer === undefined) return { refs, omitted: 0 };
  const span = shelf.spans.get(spanKeyOf(event.root_trace_id, producer));
  if (span === undefined) return { refs, omitted: 0 };
  let left = span.drawn ? furtherEdgesMax : Infinity;
  for (const [key, ref] of span.refs) {
    if (left === 0) break;
    left -= 1;
    if (!refs.has(key)) refs.set(key, ref);
  }
  const omitted = span.drawn ? Math.max(0, span.refs.size - furtherEdgesMax) : 0;
  span.drawn = true;
  return { refs, omitted };
}
