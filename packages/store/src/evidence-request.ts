/** @module EvidenceRequest: the parameters of a read, independent of the database. */
import type { EventQuery } from "@turnproof/evidence";

import type { EvidenceScope } from "./scope.ts";

/** Parameters of a read. */
export interface EvidenceRequest {
  readonly scope: EvidenceScope;
  readonly query: EventQuery;
  /** An id that the returned events contain. */
  readonly id?: string;
}
