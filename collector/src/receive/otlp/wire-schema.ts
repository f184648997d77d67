/**
 * @module Wire schema: the fields of OTLP messages that the collector reads, as flat tables for
 * the structural scan. Any other field is skipped by its wire type. Source: OTLP trace, logs and
 * metrics protocol buffers (opentelemetry-proto 1.x).
 */

/** Wire types of protocol buffers. */
export const wire = { varint: 0, fixed64: 1, bytes: 2, startGroup: 3, endGroup: 4, fixed32: 5 };

/**
 * Message types that the scan distinguishes; `leaf` is any length-delimited value that it skips.
 */
export const message = {
  leaf: 0,
  request: 1,
  resourceGroup: 2,
  resource: 3,
  scopeGroup: 4,
  scope: 5,
  span: 6,
  event: 7,
  link: 8,
  status: 9,
  keyValue: 10,
  anyValue: 11,
  arrayValue: 12,
  keyValueList: 13,
  logRecord: 14,
  metric: 15,
  points: 16,
} as const;

/** A signal of OTLP, as its path names it. */
export type Signal = "traces" | "logs" | "metrics";

/** Known field numbers are below this; a larger one is an unknown field. */
export const fieldSpan = 32;
/** Marks a field number that a message lacks. */
export const unknownField = 255;

/** Schema of a signal's messages: wire type and child message by `type * fieldSpan + field`. */
export interface WireSchema {
  readonly wires: Uint8Array;
  readonly children: Uint8Array;
}

type FieldRow = readonly [field: number, wireType: number, child?: number];

const attributes = (field: number): FieldRow => [field, wire.bytes, message.keyValue];

const sharedRows: readonly (readonly [type: number, rows: readonly FieldRow[]])[] = [
  [message.request, [[1, wire.bytes, message.resourceGroup]]],
  [
    message.resourceGroup,
    [
      [1, wire.bytes, message.resource],
      [2, wire.bytes, message.scopeGroup],
      [3, wire.bytes],
    ],
  ],
  [message.resource, [attributes(1), [2, wire.varint]]],
  [message.scope, [[1, wire.bytes], [2, wire.bytes], attributes(3), [4, wire.varint]]],
  [
    message.keyValue,
    [
      [1, wire.bytes],
      [2, wire.bytes, message.anyValue],
    ],
  ],
  [
    message.anyValue,
    [
      [1, wire.bytes],
      [2, wire.varint],
      [3, wire.varint],
      [4, wire.fixed64],
      [5, wire.bytes, message.arrayValue],
      [6, wire.bytes, message.keyValueList],
      [7, wire.bytes],
    ],
  ],
  [message.arrayValue, [[1, wire.bytes, message.anyValue]]],
  [message.keyValueList, [attributes(1)]],
];

const traceRows: typeof sharedRows = [
  [
    message.span,
    [
      [1, wire.bytes],
      [2, wire.bytes],
      [3, wire.bytes],
      [4, wire.bytes],
      [5, wire.bytes],
      [6, wire.varint],
      [7, wire.fixed64],
      [8, wire.fixed64],
      attributes(9),
      [10, wire.varint],
      [11, wire.bytes, message.event],
      [12, wire.varint],
      [13, wire.bytes, message.link],
      [14, wire.varint],
      [15, wire.bytes, message.status],
      [16, wire.fixed32],
    ],
  ],
  [message.event, [[1, wire.fixed64], [2, wire.bytes], attributes(3), [4, wire.varint]]],
  [
    message.link,
    [
      [1, wire.bytes],
      [2, wire.bytes],
      [3, wire.bytes],
      attributes(4),
      [5, wire.varint],
      [6, wire.fixed32],
    ],
  ],
  [
    message.status,
    [
      [2, wire.bytes],
      [3, wire.varint],
    ],
  ],
];

const logRows: typeof sharedRows = [
  [
    message.logRecord,
    [
      [1, wire.fixed64],
      [2, wire.varint],
      [3, wire.bytes],
      [5, wire.bytes, message.anyValue],
      attributes(6),
      [7, wire.varint],
      [8, wire.fixed32],
      [9, wire.bytes],
      [10, wire.bytes],
      [11, wire.fixed64],
      [12, wire.bytes],
    ],
  ],
];

/** Gauge, sum, histogram, exponential histogram and summary all have their points in field 1. */
const metricRows: typeof sharedRows = [
  [
    message.metric,
    [
      [1, wire.bytes],
      [2, wire.bytes],
      [3, wire.bytes],
      ...[5, 7, 9, 10, 11].map((field): FieldRow => [field, wire.bytes, message.points]),
    ],
  ],
  [message.points, [[1, wire.bytes]]],
];

function schema(item: number, rows: typeof sharedRows): WireSchema {
  const wires = new Uint8Array(fieldSpan * 17).fill(unknownField);
  const children = new Uint8Array(fieldSpan * 17);
  const group: FieldRow[] = [
    [1, wire.bytes, message.scope],
    [2, wire.bytes, item],
    [3, wire.bytes],
  ];
  for (const [type, fields] of [...sharedRows, [message.scopeGroup, group] as const, ...rows]) {
    for (const [field, wireType, child] of fields) {
      wires[type * fieldSpan + field] = wireType;
      children[type * fieldSpan + field] = child ?? message.leaf;
    }
  }
  return { wires, children };
}

/** Tables of the three signals. */
export const schemas: { readonly [S in Signal]: WireSchema } = {
  traces: schema(message.span, traceRows),
  logs: schema(message.logRecord, logRows),
  metrics: schema(message.metric, metricRows),
};
