/** @module The store: ports, scopes and providers. */
export { usageLetters, usageOf } from "./ledger/call-usage.ts";
export type { UsageField } from "./ledger/call-usage.ts";
export type {
  BatchReadback,
  EvidenceBatch,
  EvidenceWriter,
  PreparedBatch,
} from "@turnproof/evidence";
export type {
  BundleRecord,
  BundleSlice,
  CheckResult,
  EventSlice,
  EvidenceReader,
  EvidenceStore,
  Keyset,
  TablePart,
  HeldEvents,
  RootCounts,
  ShortRoots,
  SliceOptions,
} from "./evidence-store.ts";
export type { CollectorState, StateKind, StateRow, StateWrite } from "./collector-state.ts";
export { subjectOf } from "./operator-rows.ts";
export type { OperatorKind, OperatorPlace, OperatorRow, OperatorRows } from "./operator-rows.ts";
export { loadDriver } from "./driver.ts";
export { ephemeral } from "./ephemeral.ts";
export { filesystem, mongodb, postgres } from "./openers.ts";
export type { FilesystemOptions, FilesystemProvider } from "./filesystem/filesystem.ts";
export { summarizeEvidence } from "./evidence-summary.ts";
export type { EvidenceSummary } from "./evidence-summary.ts";
export type { AdministeredMemory, Provider } from "./provider.ts";
export { capabilitiesOf, providers, providersWith } from "./providers.ts";
export type { Capability, ProviderEntry, ProviderName } from "./providers.ts";
export { applicationOf, inScope, issueOperatorGrant } from "./scope.ts";
export type { EvidenceScope, OperatorGrant } from "./scope.ts";
export type {
  CallField,
  CallFigures,
  CallValues,
  CountGroup,
  CountOptions,
  FigureGroup,
  FigureOptions,
  Sign,
  TurnCondition,
  TurnFacet,
  TurnCounts,
  TurnFigures,
  TurnLedger,
  HeldTurn,
  TurnOrder,
  TurnPage,
  TurnPosition,
  TurnQuery,
  TurnReader,
  TurnWriter,
  GroupedTurns,
  GroupField,
  GroupOrder,
  GroupPosition,
  GroupsPage,
  GroupsPaging,
  PartField,
} from "./ledger/turn-query.ts";
export { countsByFigures } from "./ledger/figure-rows.ts";
export { groupOrderFields } from "./ledger/turn-query.ts";
export {
  isListField,
  microsOf,
  insightOfValue,
  insightValue,
  tenantText,
  timeFields,
  userOfTenant,
} from "./ledger/turn-fields.ts";
export type {
  ListField,
  NumberField,
  StoredTime,
  TextField,
  TimeField,
} from "./ledger/turn-fields.ts";
export { turnOrderFields } from "./ledger/turn-orders.ts";
export { lateLedger } from "./ledger/late-ledger.ts";
export { judgeSoFar, readRoots, recordRoots, recordStored } from "./ledger/record-roots.ts";
export { paced } from "./paced.ts";
export type { JudgeRoot, WholeRoot } from "./ledger/record-roots.ts";
export { settleDrafts } from "./ledger/root-draft.ts";
export type { DraftedRoot, RootDraft, Voice } from "./ledger/root-draft.ts";
export { turnRecordKey } from "./ledger/turn-records.ts";
export type { Judgement, JudgeTurn } from "./ledger/turn-records.ts";
export type { DueRoot } from "./ledger/held-roots.ts";
export { turnRecorder } from "./ledger/turn-recorder.ts";
export type { HeldSlice, TurnRecorder, TurnRecorderOptions } from "./ledger/turn-recorder.ts";
export { turnName } from "./ledger/turn-record.ts";
export type { TurnRecord, TurnVersion } from "./ledger/turn-record.ts";
export { clickhouse, clickhouseOver, lentEngineOf } from "./clickhouse/clickhouse.ts";
export type { ClickhouseOptions, LentEngine } from "./clickhouse/clickhouse.ts";
export type {
  ClickhouseConnection,
  EmbeddedConnection,
  ServerConnection,
} from "./clickhouse/clickhouse-options.ts";
export type { PostgresProvider } from "./postgres/postgres.ts";
export type {
  EmbeddedPostgres,
  PostgresOptions,
  PostgresPlace,
  PostgresPool,
  PostgresPoolClient,
  PostgresSession,
} from "./postgres/postgres-options.ts";
export { ephemeralMemory } from "./memory/ephemeral-memory.ts";
export type { EphemeralMemory } from "./memory/ephemeral-memory.ts";
export type {
  Json,
  ListOptions,
  MemoryDraft,
  MemoryFilter,
  MemoryPage,
  MemoryRecord,
  MemoryStore,
  ScoredRecord,
  SearchResult,
  SharedRecord,
  SharedStore,
} from "./memory-store.ts";
export type { MongodbProvider } from "./mongodb/mongodb.ts";
export type { MongodbOptions } from "./mongodb/mongodb-options.ts";
export type { SearchMigrationOptions, SearchMigrationRow } from "./mongodb/vector-migration.ts";
export { eventColumns } from "./tables/event-columns.ts";
export { eventValues } from "./tables/event-values.ts";
export type { ColumnType, ColumnValue, TableColumn } from "./tables/table-column.ts";
export { callRowsOf, callTable, turnTable } from "./tables/turn-table.ts";
export type { PlacedCall } from "./tables/turn-table.ts";
