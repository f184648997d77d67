/**
 * @module OTLP requests for tests and the demo, as any SDK would send them: JSON by the protocol's
 * JSON mapping, protobuf by protobufjs over a description of the messages. The collector's own
 * decoder shares no line with it.
 */
import protobuf from "protobufjs";

/** Any OTLP value as plain data. */
export type PlainValue =
  | string
  | number
  | boolean
  | Uint8Array
  | null
  | readonly PlainValue[]
  | { readonly [key: string]: PlainValue };

export type PlainAttributes = Readonly<Record<string, PlainValue>>;

/** A span as recorded fixtures hold it. */
export interface PlainSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceState?: string;
  readonly flags?: number;
  readonly name: string;
  readonly kind?: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status?: { readonly code?: number; readonly message?: string };
  readonly attributes?: PlainAttributes;
  readonly events?: readonly {
    readonly name: string;
    readonly timeUnixNano?: string;
    readonly attributes?: PlainAttributes;
  }[];
  readonly links?: readonly {
    readonly traceId: string;
    readonly spanId: string;
    readonly traceState?: string;
    readonly attributes?: PlainAttributes;
  }[];
  readonly scope?: {
    readonly name: string;
    readonly version?: string;
    readonly attributes?: PlainAttributes;
  };
}

type Message = Record<string, unknown>;

function anyValue(value: PlainValue): Message {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number") {
    return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  }
  if (value instanceof Uint8Array) return { bytesValue: Buffer.from(value).toString("base64") };
  if (value === null) return {};
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } };
  return { kvlistValue: { values: keyValues(value as PlainAttributes) } };
}

function keyValues(attributes: PlainAttributes = {}): Message[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));
}

function spanMessage(given: PlainSpan): Message {
  const { status, attributes, events = [], links = [], ...rest } = given;
  const { scope, ...span } = rest;
  // The scope is the parent message's, where `traceRequest` puts it.
  void scope;
  return {
    ...span,
    kind: span.kind ?? 1,
    ...(status === undefined ? {} : { status }),
    attributes: keyValues(attributes),
    events: events.map((event) => ({ ...event, attributes: keyValues(event.attributes) })),
    links: links.map((link) => ({ ...link, attributes: keyValues(link.attributes) })),
  };
}

/** An ExportTraceServiceRequest by the JSON mapping, grouped by scope in the order given. */
export function traceRequest(spans: readonly PlainSpan[], resource: PlainAttributes = {}): Message {
  const byScope = Map.groupBy(spans, ({ scope }) => JSON.stringify(scope ?? { name: "" }));
  return {
    resourceSpans: [
      {
        resource: { attributes: keyValues(resource) },
        scopeSpans: [...byScope.values()].map((group) => {
          const { attributes, ...scope } = group[0]?.scope ?? { name: "" };
          return {
            scope: { ...scope, attributes: keyValues(attributes) },
            spans: group.map(spanMessage),
          };
        }),
      },
    ],
  };
}

const field = (type: string, id: number, rule?: "repeated"): protobuf.IField =>
  rule === undefined ? { type, id } : { rule, type, id };

const value = { key: field("string", 1), value: field("AnyValue", 2) };
const attributes = (id: number): protobuf.IField => field("KeyValue", id, "repeated");

/** The messages of opentelemetry-proto that a trace request is made of. */
const root = protobuf.Root.fromJSON({
  nested: {
    AnyValue: {
      oneofs: {
        value: {
          oneof: [
            "stringValue",
            "boolValue",
            "intValue",
            "doubleValue",
            "arrayValue",
            "kvlistValue",
            "bytesValue",
          ],
        },
      },
      fields: {
        stringValue: field("string", 1),
        boolValue: field("bool", 2),
        intValue: field("int64", 3),
        doubleValue: field("double", 4),
        arrayValue: field("ArrayValue", 5),
        kvlistValue: field("KeyValueList", 6),
        bytesValue: field("bytes", 7),
      },
    },
    ArrayValue: { fields: { values: field("AnyValue", 1, "repeated") } },
    KeyValueList: { fields: { values: field("KeyValue", 1, "repeated") } },
    KeyValue: { fields: value },
    Scope: {
      fields: { name: field("string", 1), version: field("string", 2), attributes: attributes(3) },
    },
    Resource: { fields: { attributes: attributes(1) } },
    Status: { fields: { message: field("string", 2), code: field("int32", 3) } },
    Event: {
      fields: {
        timeUnixNano: field("fixed64", 1),
        name: field("string", 2),
        attributes: attributes(3),
        droppedAttributesCount: field("uint32", 4),
      },
    },
    Link: {
      fields: {
        traceId: field("bytes", 1),
        spanId: field("bytes", 2),
        traceState: field("string", 3),
        attributes: attributes(4),
        flags: field("fixed32", 6),
      },
    },
    Span: {
      fields: {
        traceId: field("bytes", 1),
        spanId: field("bytes", 2),
        traceState: field("string", 3),
        parentSpanId: field("bytes", 4),
        name: field("string", 5),
        kind: field("int32", 6),
        startTimeUnixNano: field("fixed64", 7),
        endTimeUnixNano: field("fixed64", 8),
        attributes: attributes(9),
        droppedAttributesCount: field("uint32", 10),
        droppedEventsCount: field("uint32", 12),
        droppedLinksCount: field("uint32", 14),
        events: field("Event", 11, "repeated"),
        links: field("Link", 13, "repeated"),
        status: field("Status", 15),
        flags: field("fixed32", 16),
      },
    },
    ScopeSpans: { fields: { scope: field("Scope", 1), spans: field("Span", 2, "repeated") } },
    ResourceSpans: {
      fields: { resource: field("Resource", 1), scopeSpans: field("ScopeSpans", 2, "repeated") },
    },
    TraceRequest: { fields: { resourceSpans: field("ResourceSpans", 1, "repeated") } },
  },
});

const idFields = new Set(["traceId", "spanId", "parentSpanId"]);

/** Ids are hex in the JSON mapping and bytes on the wire; protobufjs reads bytes from base64. */
function idsToBase64(message: unknown): unknown {
  if (Array.isArray(message)) return message.map(idsToBase64);
  if (typeof message !== "object" || message === null) return message;
  return Object.fromEntries(
    Object.entries(message).map(([key, child]) => [
      key,
      idFields.has(key) ? Buffer.from(String(child), "hex").toString("base64") : idsToBase64(child),
    ]),
  );
}

/** The same request as protobuf. */
export function encodeProtobuf(request: Message): Uint8Array {
  const type = root.lookupType("TraceRequest");
  return type.encode(type.fromObject(idsToBase64(request) as Message)).finish();
}

/**
 * Reads a protobuf request back into plain objects: the reference that decoders are compared with.
 */
export function decodeProtobuf(bytes: Uint8Array): Message {
  const type = root.lookupType("TraceRequest");
  return type.toObject(type.decode(bytes), { longs: String, bytes: Buffer });
}
