/** @module The archive: ports, scopes and providers. */
export type {
  BatchReadback,
  BundleRecord,
  BundleSlice,
  CheckResult,
  EventSlice,
  EvidenceBatch,
  EvidenceReader,
  EvidenceStore,
  EvidenceWriter,
  Keyset,
  SliceOptions,
  TurnSlice,
  TurnVerdict,
} from "./evidence-store.ts";
export { ephemeral } from "./ephemeral.ts";
export { inScope, issueOperatorGrant } from "./scope.ts";
export type { EvidenceScope, OperatorGrant } from "./scope.ts";
