/**
 * @module Carrier: the W3C text map that passes a turn to a job (vocabulary: Carrier). Reading is
 * strict: a carrier that is incomplete or not ours is refused by a code without a value. It is not
 * a credential, and it has no signature that could be mistaken for one.
 */
import {
  attribute,
  carrierMembers,
  CodedError,
  limits,
  screenValue,
  utf8Bytes,
} from "@turnproof/semconv";
import type { AttributeRow, Code } from "@turnproof/semconv";

import type { TurnIdentity } from "./turn-identity.ts";

/** The fields of a carrier: a turn, the parent span, and the event that caused it. */
export interface CarrierContent extends TurnIdentity {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
  readonly traceState?: string;
  readonly causedBy?: string;
}

/** A carrier: texts by name. */
export type Carrier = Readonly<Record<string, string>>;

type CarrierText = Exclude<
  keyof CarrierContent,
  "traceId" | "spanId" | "traceFlags" | "traceState"
>;

/** Baggage members by name: the field, whether it is required, and the row that validates it. */
const members: ReadonlyMap<
  string,
  readonly [field: CarrierText, required: boolean, row: AttributeRow]
> = new Map([
  [carrierMembers.agent_id, ["agentId", true, attribute.agent_id]],
  [carrierMembers.thread_id, ["threadId", true, attribute.thread_id]],
  [carrierMembers.run_id, ["runId", true, attribute.run_id]],
  [carrierMembers.turn_id, ["turnId", true, attribute.turn_id]],
  [carrierMembers.application_id, ["applicationId", false, attribute.application_id]],
  [carrierMembers.user_id, ["userId", false, attribute.user_id]],
  [carrierMembers.memory_id, ["memoryId", false, attribute.memory_id]],
  [carrierMembers.caused_by, ["causedBy", false, attribute.caused_by_event_id]],
]);

const scopeMember = carrierMembers.scope;
const carrierKeys = ["traceparent", "tracestate", "baggage"];
const traceparentPattern = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
/** W3C Trace Context 3.3.1: members of ours only, separated by commas. */
const ownTracestate = /^turnproof(@[a-z0-9_\-*/]{0,13})?=[\x21-\x2b\x2d-\x3c\x3e-\x7e]{1,256}$/;

function refuse(code: Code, field?: string): never {
  throw new CodedError(code, field === undefined ? {} : { field });
}

/** True for a baggage member with our prefix, valid or not. */
export function isOwnMember(name: string): boolean {
  return name === scopeMember || members.has(name);
}

/**
 * Reads a carrier strictly.
 * @throws CodedError `carrier_…` (requirements: Errors, incomplete or unknown fields)
 */
export function readCarrier(carrier: unknown): CarrierContent {
  const fields = textFields(carrier);
  const parent = traceparentPattern.exec(fields["traceparent"] ?? refuse("carrier_incomplete"));
  if (parent === null || /^0+$/.test(parent[1]!) || /^0+$/.test(parent[2]!)) {
    refuse("carrier_invalid_traceparent");
  }
  const traceState = fields["tracestate"];
  if (
    traceState !== undefined &&
    !traceState.split(",").every((m) => ownTracestate.test(m.trim()))
  ) {
    refuse("carrier_unknown_field", "tracestate");
  }
  const baggage = readMembers(splitBaggage(fields["baggage"] ?? refuse("carrier_incomplete")));
  return {
    traceId: parent[1]!,
    spanId: parent[2]!,
    traceFlags: Number.parseInt(parent[3]!, 16),
    ...(traceState === undefined ? {} : { traceState }),
    ...baggage,
  };
}

function textFields(carrier: unknown): Carrier {
  if (typeof carrier !== "object" || carrier === null || Array.isArray(carrier)) {
    refuse("carrier_not_a_map");
  }
  let bytes = 0;
  const fields: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const key of Reflect.ownKeys(carrier)) {
    if (typeof key !== "string" || !carrierKeys.includes(key)) refuse("carrier_unknown_field");
    const value: unknown = (carrier as Record<string, unknown>)[key];
    if (typeof value !== "string") refuse("carrier_invalid_value", key);
    bytes += key.length + utf8Bytes(value);
    if (bytes > limits.carrierBytesMax) refuse("carrier_too_large");
    fields[key] = value;
  }
  return fields;
}

function splitBaggage(text: string): readonly (readonly [name: string, value: string])[] {
  return text.split(",").map((member) => {
    const at = member.indexOf("=");
    if (at < 0) refuse("carrier_invalid_value", "baggage");
    // Our members have no properties (`;…`), so these are unknown fields.
    if (member.includes(";")) refuse("carrier_unknown_field", "baggage");
    return [member.slice(0, at).trim(), decodeValue(member.slice(at + 1).trim())] as const;
  });
}

function decodeValue(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return refuse("carrier_invalid_value", "baggage");
  }
}

type Members = Omit<CarrierContent, "traceId" | "spanId" | "traceFlags" | "traceState">;

/**
 * The identity in a list of baggage members.
 * @throws CodedError when a member is foreign, repeated, missing or not an opaque id
 */
export function readMembers(list: readonly (readonly [name: string, value: string])[]): Members {
  const found: Partial<Record<CarrierText, string | null>> = {};
  let scope: string | undefined;
  for (const [name, value] of list) {
    const member = members.get(name);
    if (name === scopeMember) {
      if (scope !== undefined) refuse("carrier_duplicate_member", name);
      if (screenValue(attribute.scope, value) !== undefined) refuse("carrier_invalid_value", name);
      scope = value;
      continue;
    }
    if (member === undefined) refuse("carrier_unknown_field", "baggage");
    const [field, , row] = member;
    if (found[field] !== undefined) refuse("carrier_duplicate_member", name);
    if (value === "" || screenValue(row, value) !== undefined)
      refuse("carrier_invalid_value", name);
    found[field] = value;
  }
  for (const [name, [field, required]] of members) {
    if (required && found[field] === undefined) refuse("carrier_incomplete", name);
  }
  if (scope === "user" && found.userId === undefined)
    refuse("carrier_incomplete", carrierMembers.user_id);
  if (scope === "anonymous") {
    if (found.userId !== undefined) refuse("carrier_invalid_value", scopeMember);
    found.userId = null;
  }
  return found as Members;
}

/** The members for this identity, in a fixed order, percent-encoded. */
export function writeMembers(content: Members): string {
  const written: string[] = [];
  for (const [name, [field]] of members) {
    const value = content[field];
    if (typeof value === "string") written.push(`${name}=${encodeURIComponent(value)}`);
  }
  if (content.userId === null) written.push(`${scopeMember}=anonymous`);
  return written.join(",");
}

/** Writes a carrier; {@link readCarrier} reads it back as the same content. */
export function writeCarrier(content: CarrierContent): Carrier {
  const flags = content.traceFlags.toString(16).padStart(2, "0");
  return {
    traceparent: `00-${content.traceId}-${content.spanId}-${flags}`,
    ...(content.traceState === undefined ? {} : { tracestate: content.traceState }),
    baggage: writeMembers(content),
  };
}
