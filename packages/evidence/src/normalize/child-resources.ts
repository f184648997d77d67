/**
 * @module ChildResources: the inputs, outputs and selections of an event (vocabulary: Event
 * fields). Older writers had a separate field for the resource of an artifact or a delivery; it is
 * converted to the current ones.
 */
import type { UntypedRecord } from "@turnproof/semconv";

import { isRecord } from "@turnproof/semconv";

import type { PartialEvent } from "./child-fields.ts";
import type { EventResource } from "../event/event.ts";
import { readLedger, readResource, readResources } from "../event/resource-reading.ts";
import type { ResourceOptions } from "../event/resource-reading.ts";

/** Adds references and ledger; false when a value could not be read. */
export function addResources(
  partial: PartialEvent,
  child: UntypedRecord,
  legacy: boolean,
): boolean {
  return legacy ? addLegacy(partial, child) : addCurrent(partial, child);
}

function addCurrent(partial: PartialEvent, child: UntypedRecord): boolean {
  let readable = true;
  for (const name of ["input_refs", "output_refs"] as const) {
    const value = child[name] ?? undefined;
    if (value === undefined) continue;
    const { items, refused } = readResources(value);
    if (refused) readable = false;
    // An empty list is explicit: an artifact without sources differs from one with unknown
    // sources.
    partial[name] = items;
  }
  return addLedger(partial, child["selection_ledger"]) && readable;
}

function addLedger(partial: PartialEvent, value: unknown): boolean {
  if (value === undefined || value === null) return true;
  const { items, refused } = readLedger(value);
  if (items.length > 0) partial.selection_ledger = items;
  return !refused;
}

const inputNames = ["input_refs", "source_refs", "inputs"] as const;
const outputNames = ["output_refs", "outputs"] as const;
const singleNames = ["resource", "resource_ref", "artifact", "artifact_ref"] as const;

function addLegacy(partial: PartialEvent, child: UntypedRecord): boolean {
  const data = [child["attributes"], child["data"], child["payload"]].filter(isRecord);
  const places = [child, ...data];
  const inputs = listOf(places, inputNames, { defaultType: "source" });
  const outputs = listOf(places, outputNames, { defaultType: "resource" });
  const single = singleOf(partial, places);
  if (inputs.items !== undefined) partial.input_refs = inputs.items;
  if (outputs.items !== undefined) partial.output_refs = outputs.items;
  if (single.item !== undefined) {
    if (partial.event_kind === "delivery") partial.input_refs ??= [single.item];
    else partial.output_refs ??= [single.item];
  }
  const ledger = places
    .map((place) => place["selection_ledger"])
    .find((value) => value !== undefined);
  const readable = addLedger(partial, ledger);
  return readable && !inputs.refused && !outputs.refused && !single.refused;
}

function listOf(
  places: readonly UntypedRecord[],
  names: readonly string[],
  options: ResourceOptions,
): { readonly items?: EventResource[]; readonly refused: boolean } {
  for (const place of places) {
    for (const name of names) {
      if (place[name] !== undefined && place[name] !== null)
        return readResources(place[name], options);
    }
  }
  return { refused: false };
}

/** The resource of an artifact event or a delivery. */
function singleOf(
  partial: PartialEvent,
  places: readonly UntypedRecord[],
): { readonly item?: EventResource; readonly refused: boolean } {
  const { artifact_type, content_version } = partial.attributes;
  if (partial.event_kind !== "artifact" && partial.event_kind !== "delivery")
    return { refused: false };
  for (const place of places) {
    for (const name of singleNames) {
      const value = place[name];
      if (value === undefined || value === null) continue;
      const item = readResource(value, {
        defaultType: artifact_type ?? "artifact",
        defaultVersion: content_version ?? place["version"],
      });
      return item === undefined ? { refused: true } : { item, refused: false };
    }
  }
  return { refused: false };
}
