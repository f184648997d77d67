/**
 * @module Turn options: reads the options of a turn once. Options may be an object of any class,
 * with getters that throw; reading them must not stop the host.
 */
import type { EvidenceSink } from "./evidence-sink.ts";
import type { TurnIdentity } from "./turn-identity.ts";
import type { RecorderOptions } from "./guarded-recorder.ts";

/** Stands for a field that cannot be read: not a string, so the guard refuses and counts it. */
const unreadable: object = Object.freeze({});

/** Value fields, which the guard screens. */
const statedFields = [
  "applicationId",
  "agentId",
  "userId",
  "memoryId",
  "threadId",
  "runId",
  "turnId",
  "agentName",
  "coverageProfile",
] as const satisfies readonly (keyof TurnOptions)[];

/** Fields that hold an object or a function; one that cannot be read gets its default. */
const partFields = ["sink", "fingerprint", "log"] as const satisfies readonly (keyof TurnOptions)[];

/** Options as plain fields, and the names of those that could not be read. */
export interface ReadOptions {
  readonly options: TurnOptions;
  readonly unread: readonly (keyof TurnOptions)[];
}

/**
 * The options with every field read once. A field whose getter throws is refused as a value or
 * dropped as an object; with `strict` its error is thrown.
 */
export function readOptions(given: TurnOptions | null | undefined): ReadOptions {
  // JavaScript callers may pass nothing at all: the turn is then unattributed and records a
  // finding.
  const from = given ?? ({} as TurnOptions);
  const unread: (keyof TurnOptions)[] = [];
  const options: Partial<Record<keyof TurnOptions, unknown>> = {};
  const read = (field: keyof TurnOptions): void => {
    try {
      const value = from[field];
      if (value !== undefined) options[field] = value;
    } catch (error) {
      if (options.strict === true) throw error;
      unread.push(field);
    }
  };
  read("strict");
  for (const field of partFields) read(field);
  const parts = [...unread];
  for (const field of statedFields) read(field);
  for (const field of unread.slice(parts.length)) options[field] = unreadable;
  return { options: options as TurnOptions, unread: parts };
}

/** Identity of the turn; `runId` and `turnId` are generated when absent. */
export interface TurnOptions
  extends
    Omit<TurnIdentity, "runId" | "turnId">,
    Partial<Pick<TurnIdentity, "runId" | "turnId">>,
    RecorderOptions {
  /** Display name of the agent; default its id. */
  readonly agentName?: string;
  readonly coverageProfile?: string;
  /** Default: the OpenTelemetry sink. */
  readonly sink?: EvidenceSink;
  /** Keyed fingerprint for comments and refused context; default: plain SHA-256. */
  readonly fingerprint?: (text: string) => string;
}
