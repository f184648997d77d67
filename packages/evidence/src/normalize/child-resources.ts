/**
 * @module ChildResources: the inputs, outputs and selections of an event (vocabulary: Event
 * fields). Older writers had a separate field for the resource of an artifact or a delivery; it is
 * converted to the current ones.
 */
import type { UntypedRecord } from "@turnproof/semconv";

import { isRecord } from "@turnproof/semconv";

import type { EventDraft } from "./child-fields.ts";
import type { EventResource } from "../event/event.ts";
import { readLedger, readResource, readResources } from "../event/resource-reading.ts";
import type { ResourceOptions } from "../event/resource-reading.ts";

/** Adds references and ledger; false when a value could not be read. */
export function addResources(draft: EventDraft, child: UntypedRecord, legacy: boolean): boolean {
  return legacy ? addLegacy(draft, child) : addCurrent(draft, child);
}

function addCurrent(draft: EventDraft, child: UntypedRecord): boolean {
  let readable = true;
  for (const name of ["input_refs", "output_refs"] as const) {
    const value = child[name] ?? undefined;
    if (value === undefined) continue;
    const { items, refused } = readResources(value);
    if (refused) readable = false;
    // An empty list is explicit: an artifact without sources differs from one with unknown
    // sources.
    draft[name] = items;
  }
  return addLedger(draft, child["selection_ledger"]) && readable;
}

function addLedger(draft: EventDraft, value: unknown): boolean {
  if (value === undefined || value === null) return true;
  const { items, refused } = readLedger(value);
  if (items.length > 0) draft.selection_ledger = items;
  return !refused;
}

const inputNames = ["input_refs", "source_refs", "inputs"] as const;
const outputNames = ["output_refs", "outputs"] as const;
const singleNames = ["resource", "resource_ref", "artifact", "artifact_ref"] as const;

function addLegacy(draft: EventDraft, child: UntypedRecord): boolean {
  const data = [child["attributes"], child["data"], child["payload"]].filter(isRecord);
  const places = [child, ...data];
  const inputs = listOf(places, inputNames, { defaultType: "source" });
  const outputs = listOf(places, outputNames, { defaultType: "resource" });
  const single = singleOf(draft, places);
  if (inputs.items !== undefined) draft.input_refs = inputs.items;
  if (outputs.items !== undefined) draft.output_refs = outputs.items;
  if (single.item !== undefined) {
    if (draft.event_kind === "delivery") draft.input_refs ??= [single.item];
    else draft.output_refs ??= [single.item];
  }
  const ledger = places
    .map((place) => place["selection_ledger"])
    .find((value) => value !== undefined);
  const readable = addLedger(draft, ledger);
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
  draft: EventDraft,
  places: readonly UntypedRecord[],
): { readonly item?: EventResource; readonly refused: boolean } {
  const { artifact_type, content_version } = draft.attributes;
  if (draft.event_kind !== "artifact" && draft.event_kind !== "delivery") return { refused: false };
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
