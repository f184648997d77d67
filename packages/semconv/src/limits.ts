/**
 * @module Limits: every bound of the system once, unit last. Source: requirements: Limits;
 * vocabulary: Attributes; evidence: Reconcile; collector: Receive.
 */
export const limits = {
  /** Attribute fields per event. */
  attributesMax: 64,
  /** Scalar entries per list attribute, and resource references per event and direction. */
  listEntriesMax: 32,
  /** Characters per attribute string. */
  stringCharsMax: 240,
  /** Child events per page: default and bounds. */
  pageEventsDefault: 250,
  pageEventsMin: 1,
  pageEventsMax: 1_000,
  /** Rows per store for the health view. */
  healthRowsMax: 1_000,
  /** Evidence ids named by one finding. */
  findingEvidenceMax: 32,
  /** Bytes of a carrier, and of a `baggage` header. */
  carrierBytesMax: 8_192,
  /** Members of a `baggage` header; readers truncate a longer one. */
  baggageMembersMax: 180,
  /** Bytes of one OTLP body after decompression. */
  otlpBodyBytesMax: 67_108_864,
  /** Nesting depth to which a value on the wire is read. */
  otlpDepthMax: 32,
  /** Largest ratio of decompressed to compressed bytes, checked after the first mebibyte. */
  inflateRatioMax: 200,
  /** Age of a cursor, and of one with which an interrupted export is resumed. */
  cursorAgeSecondsMax: 900,
  exportCursorAgeSecondsMax: 604_800,
  /** Rows of one part of an export. */
  exportRowsMax: 20_000,
  /** Rows that one page query may scan before it returns what it has found. */
  scanRowsMax: 2_000_000,
  /** Events of one root that are read for a verdict. */
  rootEventsMax: 200_000,
  /**
   * Stored events of large roots that a page reads; a verdict on a page of its own reads the root.
   */
  pageRootEventsMax: 50_000,
  /** Tool invocations that a turn may spend, and tools offered when there are many. */
  routedToolCallsDefault: 20,
  routedToolsOfferedDefault: 5,
  /** Default similarity from which a semantic cache answers. */
  cacheSimilarityDefault: 0.78,
  /** Idle time and lifetime of an operator's session. */
  sessionIdleSecondsMax: 1_800,
  sessionAgeSecondsMax: 28_800,
  /**
   * Days kept by default: verified outcomes, metadata, content previews, spans without evidence.
   */
  retentionOutcomeDays: 365,
  retentionMetadataDays: 30,
  retentionPreviewDays: 7,
  retentionStructureDays: 1,
  /** Shortest credential and secret that the collector accepts. */
  tokenCharsMin: 16,
  secretBytesMin: 32,
} as const;
