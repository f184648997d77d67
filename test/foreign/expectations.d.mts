/** A turn of the table; `null` is unknown. */
export interface ExpectedTurn {
  readonly agent: string;
  readonly thread: string | null;
  readonly user: string | null;
  readonly status: string;
  readonly tools: number;
  readonly failed: number;
  readonly tokens: readonly (number | null)[];
}

/** A scenario: its file, what a user writes, and what the collector shows. */
export interface Expectation {
  readonly file: string;
  readonly telemetry?: readonly string[];
  readonly lines: number;
  readonly turns: readonly ExpectedTurn[];
  readonly errors: readonly string[];
}

/** Scenarios by name. */
export declare const expectations: {
  readonly "ai-sdk-5": Expectation;
  readonly "ai-sdk-6": Expectation;
  readonly [name: string]: Expectation;
};
