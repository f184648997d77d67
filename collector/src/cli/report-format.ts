/** @module ReportFormat: the format of a report, of `--format` and `--json` together. */
import { CodedError } from "@turnproof/semconv";

/** The flags that name a format. */
export interface FormatFlags {
  readonly json?: boolean;
  readonly format?: string;
}

/**
 * The writer of the requested format; text where none is named.
 *
 * @throws CodedError `parameter_invalid` for a format that does not exist, and for two of them
 */
export function formatOf<T>(formats: Readonly<Record<string, T>>, flags: FormatFlags): T {
  const { format, json = false } = flags;
  if (json && format !== undefined && format !== "json") throw refused("json");
  const name = format ?? (json ? "json" : "text");
  const found = Object.hasOwn(formats, name) ? formats[name] : undefined;
  if (found === undefined) throw refused("format");
  return found;
}

/**
 * A number of an option.
 *
 * @throws CodedError `parameter_invalid` with the option's name
 */
export function numberOf(option: keyof typeof numberRules, text: string): number {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (!numberRules[option].fits(value)) throw refused(option);
  return value;
}

interface NumberRule {
  readonly fits: (value: number) => boolean;
  /** What the option takes. */
  readonly words: string;
}

const isShare = (value: number): boolean => value >= 0 && value < 1;
const isCount = (value: number): boolean => Number.isInteger(value) && value >= 1;

const numberRules = {
  alpha: { fits: (value) => value > 0 && value < 0.5, words: "a number between 0 and 0.5" },
  "allowed-drop": { fits: isShare, words: "a share from 0 to below 1" },
  "allowed-growth": {
    fits: (value) => value >= 0 && Number.isFinite(value),
    words: "a share from 0, such as 0.1",
  },
  power: { fits: (value) => value > 0 && value < 1, words: "a number between 0 and 1" },
  k: { fits: isCount, words: "a whole number from 1" },
  limit: { fits: isCount, words: "a whole number from 1" },
} as const satisfies Readonly<Record<string, NumberRule>>;

/** What an option takes, by its name. */
export const optionAdvice: Readonly<Record<string, string | undefined>> = {
  ...Object.fromEntries(
    Object.entries(numberRules).map(([name, { words }]) => [name, `--${name} takes ${words}.`]),
  ),
  statement: "--statement takes the file of a signed statement, as the page of a turn gives it.",
  format: "--format takes one of the formats in --help.",
  require: "--require takes duration, tokens, cost and names of the contracts.",
  filter:
    "--filter selects turns of a collector: not with --events, and of an export only with " +
    "--as-goldens, or with --out and --table turns or calls. For events use --agent or --root; " +
    "GET /traces/spans.csv?q=TERMS has the events of the turns under terms.",
  json: "--json is --format json: name one of both.",
};

function refused(field: string): CodedError {
  return new CodedError("parameter_invalid", { field });
}
