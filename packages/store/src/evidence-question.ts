/** @module EvidenceQuestion: what a read looks for, before any database spells it. */
import type { EventQuery } from "@turnproof/evidence";

import type { EvidenceScope } from "./scope.ts";

/** What a read looks for. */
export interface Question {
  readonly scope: EvidenceScope;
  readonly query: EventQuery;
  /** An id that shown events name. */
  readonly id?: string;
  /** True where roots of plain spans are not looked for. */
  readonly evidenceOnly?: boolean;
}
