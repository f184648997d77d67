/**
 * @module OTLP names that are neither registry rows nor a dialect's: names that the receiver reads
 * in events and log records.
 */
export const otlpNames = {
  /** Attribute of an exception event that holds its type; the message beside it is content. */
  exceptionType: "exception.type",
  /** Name of the event that reports an exception. */
  exceptionEvent: "exception",
  /**
   * Event name of a log record that holds a GenAI evaluation of feedback (vocabulary: Event kinds).
   */
  evaluationEvent: "gen_ai.evaluation.result",
  /** Event name of a log record that holds the details of a model call. */
  inferenceEvent: "gen_ai.client.inference.operation.details",
  /** Attribute with a log record's event name in conventions before the field existed. */
  eventName: "event.name",
  /** Agent by the conventions, which gives way to the agent of the turn around it. */
  agentId: "gen_ai.agent.id",
} as const;
