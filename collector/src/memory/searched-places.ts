/**
 * @module Searched places: which stores a query over evidence and memory's rows searched, and why
 * others were not. An answer that leaves out whole places must state so (requirements:
 * Reconciliation 8).
 */
import type { EventQuery } from "@turnproof/evidence";
import type { EventSlice, EvidenceScope, Keyset } from "@turnproof/store";

import type { FoundPlace, Reach } from "../ui/display/find-texts.ts";
import { phaseOf, tenantOf } from "./memory-events.ts";
import { rowStores } from "./memory-rows.ts";
import type { RowStore } from "./memory-rows.ts";

/** One place, and how completely it was searched for one page. */
export interface SearchedPlace {
  readonly place: FoundPlace;
  readonly reach: Reach;
}

/** The query and its result. */
export interface Requested {
  readonly scope: EvidenceScope;
  readonly query: EventQuery;
  /** False where the collector has no memory configured. */
  readonly hasMemory: boolean;
  readonly after: Keyset | undefined;
  readonly slice: EventSlice;
}

/** The places of a query over every store, in search order. */
export function searchedPlaces(requested: Requested): readonly SearchedPlace[] {
  const rows = rowStores.map((place) => ({ place, reach: rowsReach(place, requested) }));
  return [{ place: "evidence", reach: evidenceReach(requested) }, ...rows];
}

function evidenceReach({ after, slice }: Requested): Reach {
  if (phaseOf(after) !== undefined) return "earlier";
  if (phaseOf(slice.next) !== undefined) return "whole";
  if (slice.bounded) return "bounded";
  return slice.next === null ? "whole" : "goes_on";
}

function rowsReach(place: RowStore, requested: Requested): Reach {
  const { scope, query, after, slice, hasMemory } = requested;
  if (!hasMemory) return "no_memory";
  if (tenantOf(scope, query) === undefined) {
    const application = "operator" in scope ? scope.operator.applicationId : scope.applicationId;
    return application === undefined ? "tenant_not_named" : "application_bound";
  }
  const [started, ended] = [phaseOf(after), phaseOf(slice.next)];
  if (started !== undefined && orderOf(place) < orderOf(started)) return "earlier";
  const evidence = evidenceReach(requested);
  if (evidence === "bounded" || evidence === "goes_on") return "not_yet";
  if (slice.errors.some(({ code, source_store: store }) => failed(code) && store === place)) {
    return "no_answer";
  }
  if (ended === undefined || orderOf(place) < orderOf(ended)) return "whole";
  if (orderOf(place) > orderOf(ended)) return "not_yet";
  return slice.bounded ? "bounded" : "goes_on";
}

const failed = (code: string): boolean => code === "provider_query_failed";
const orderOf = (store: RowStore): number => rowStores.indexOf(store);
