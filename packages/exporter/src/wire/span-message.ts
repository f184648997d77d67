/**
 * @module Span message: writes a span through the gate directly as protobuf, without an object in
 * between. The same functions as for a screened span decide what is admitted; a test compares both
 * ways.
 */
import type { HrTime, SpanContext } from "@opentelemetry/api";
import { attribute } from "@turnproof/semconv";
import type { AttributeValue } from "@turnproof/semconv";

import type { AttributeSink, CountDrop } from "../gate/screened-attributes.ts";
import type { ReadableSpanLike } from "../gate/sdk-shapes.ts";
import {
  decisionOf,
  hasIds,
  leavingEvents,
  leavingLinks,
  leavingName,
  leavingResource,
  leavingScope,
  parentIdOf,
  parentOf,
  screenAll,
} from "../gate/screened-span.ts";
import type { GateMemory } from "../gate/screened-span.ts";
import { ByteWriter } from "./byte-writer.ts";
import { writeKeyValue } from "./key-value.ts";
import type { RequestWriter } from "./trace-request.ts";

/** Producer and sequence number of a span. */
export interface Numbering {
  readonly producerId: string;
  /** From 1; 0 for a structural span or a start marker, which have no number. */
  readonly seq: number;
}

/** Tags of the messages `ScopeSpans`, `Span`, `Span.Event`, `Span.Link` and `Status`. */
const spanTag = 0x12;
const tags = {
  traceId: 0x0a,
  spanId: 0x12,
  parentSpanId: 0x22,
  name: 0x2a,
  kind: 0x30,
  start: 0x39,
  end: 0x41,
  attribute: 0x4a,
  droppedAttributes: 0x50,
  event: 0x5a,
  droppedEvents: 0x60,
  link: 0x6a,
  droppedLinks: 0x70,
  status: 0x7a,
} as const;
const eventTags = { time: 0x09, name: 0x12, attribute: 0x1a, dropped: 0x20 } as const;
const linkFlagsTag = 0x35;
const statusCodeTag = 0x18;
/** Field 16 has a tag of two bytes. */
const flagsTag = [0x85, 0x01] as const;

/**
 * Flag bits beside W3C's own: whether it is known that the parent is remote, and whether it is.
 */
const hasRemote = 0x100;
const isRemote = 0x200;

const producerId = attribute.producer_id.span;
const producerSeq = attribute.producer_seq.span;

/** Writes spans of one gate. */
export class SpanWriter implements AttributeSink {
  private readonly memory: GateMemory;
  private readonly count: CountDrop;
  private to: ByteWriter = new ByteWriter(1);

  constructor(memory: GateMemory, count: CountDrop) {
    this.memory = memory;
    this.count = count;
  }

  put(name: string, value: AttributeValue): void {
    writeKeyValue(this.to, tags.attribute, name, value);
  }

  /** Writes one complete span, or throws and leaves the request unchanged. */
  write(span: ReadableSpanLike, request: RequestWriter, numbering: Numbering | undefined): void {
    const { memory, count } = this;
    if (!hasIds(span.spanContext())) throw new TypeError("span_unmapped");
    const resource = leavingResource(span.resource, memory);
    const scope = leavingScope(span.instrumentationScope, memory, count);
    const to = request.writerFor(resource, scope);
    const from = to.at;
    this.to = to;
    try {
      to.byte(spanTag);
      const message = to.open(2);
      this.body(to, span, numbering);
      to.close(message, 2);
    } catch (error) {
      to.at = from;
      throw error;
    }
    request.wrote();
  }

  private body(to: ByteWriter, span: ReadableSpanLike, numbering: Numbering | undefined): void {
    const { screen } = this.memory;
    const context = span.spanContext();
    const decision = decisionOf(span);
    writeIds(to, context);
    const parentId = parentIdOf(span);
    if (parentId !== undefined) {
      to.byte(tags.parentSpanId);
      to.hex(parentId, 8);
    }
    writeNumber(to, tags.kind, span.kind + 1);
    writeTime(to, tags.start, span.startTime);
    writeTime(to, tags.end, span.endTime);
    screenAll(span, decision, screen, this);
    const { lost } = screen;
    if (numbering !== undefined) {
      writeKeyValue(to, tags.attribute, producerId, numbering.producerId);
      if (numbering.seq > 0) writeKeyValue(to, tags.attribute, producerSeq, numbering.seq);
    }
    to.byte(tags.name);
    to.text(leavingName(span, decision, screen, this.count));
    writeNumber(to, tags.droppedAttributes, span.droppedAttributesCount + lost);
    if (span.events.length > 0) this.events(to, span);
    writeNumber(to, tags.droppedEvents, span.droppedEventsCount);
    if (span.links.length > 0) this.links(to, span);
    writeNumber(to, tags.droppedLinks, span.droppedLinksCount);
    writeStatus(to, span.status.code);
    to.byte(flagsTag[0]);
    to.byte(flagsTag[1]);
    to.fixed32(flagsOf(context.traceFlags, parentOf(span)?.isRemote));
  }

  private events(to: ByteWriter, span: ReadableSpanLike): void {
    for (const event of leavingEvents(span, this.count)) {
      to.byte(tags.event);
      const message = to.open(1);
      writeTime(to, eventTags.time, event.time);
      to.byte(eventTags.name);
      to.text(event.name);
      for (const [name, value] of Object.entries(event.attributes ?? {})) {
        writeKeyValue(to, eventTags.attribute, name, value);
      }
      writeNumber(to, eventTags.dropped, event.droppedAttributesCount ?? 0);
      to.close(message, 1);
    }
  }

  private links(to: ByteWriter, span: ReadableSpanLike): void {
    for (const { context } of leavingLinks(span, this.count)) {
      to.byte(tags.link);
      const message = to.open(1);
      writeIds(to, context);
      to.byte(linkFlagsTag);
      to.fixed32(flagsOf(context.traceFlags, context.isRemote));
      to.close(message, 1);
    }
  }
}

/** Ids have the same tags in a span and in a link; they are valid here. */
function writeIds(to: ByteWriter, { traceId, spanId }: SpanContext): void {
  to.byte(tags.traceId);
  to.hex(traceId, 16);
  to.byte(tags.spanId);
  to.hex(spanId, 8);
}

function writeTime(to: ByteWriter, tag: number, time: HrTime): void {
  to.byte(tag);
  to.nanoseconds(time[0], time[1]);
}

/** Zero is the default of an absent field. */
function writeNumber(to: ByteWriter, tag: number, value: number): void {
  if (value === 0) return;
  to.byte(tag);
  to.varint(value);
}

function writeStatus(to: ByteWriter, code: number): void {
  if (code === 0) return;
  to.byte(tags.status);
  to.byte(2);
  to.byte(statusCodeTag);
  to.byte(code);
}

function flagsOf(traceFlags: number, remote: boolean | undefined): number {
  return (traceFlags & 0xff) | hasRemote | (remote === true ? isRemote : 0);
}
