/** @module Source values: adapters that convert other libraries' values to the registry's. */
import { graphNodeKey, metadataNames } from "@turnproof/semconv";
import type { AttributeValue, RegistryName, ValueAdapter } from "@turnproof/semconv";

/** Longest JSON text that is parsed; what libraries write there is far shorter. */
const jsonCharsMax = 1_024;

/** The value in the registry's form, or undefined when it has none. */
export function adapted(
  adapter: Exclude<ValueAdapter, "usage_json" | "identity_json">,
  value: AttributeValue,
): AttributeValue | undefined {
  switch (adapter) {
    case "as_is":
      return value;
    case "ms_from_s":
      return typeof value === "number" ? value * 1_000 : value;
    case "list_of_one":
      return Array.isArray(value) ? words(value) : words([value] as unknown as AttributeValue);
    case "json_list":
      return words(typeof value === "string" && value.startsWith("[") ? jsonList(value) : value);
    case "lower":
      return typeof value === "string" ? value.toLowerCase() : value;
    case "error_status":
      return errorStatus(value);
    case "error_level":
      return value === "ERROR" ? "error" : undefined;
  }
}

/** Libraries write one finish reason as `tool-calls` and as `tool_calls`; the latter is stored. */
function words(value: AttributeValue | undefined): AttributeValue | undefined {
  if (!Array.isArray(value)) return value;
  const list = value as readonly unknown[];
  if (!list.some((entry) => typeof entry === "string" && entry.includes("-"))) return value;
  return list.map((entry) =>
    typeof entry === "string" ? entry.replaceAll("-", "_") : entry,
  ) as unknown as AttributeValue;
}

function errorStatus(value: AttributeValue): AttributeValue | undefined {
  const status = Number(value);
  return status >= 400 && status <= 599 ? String(status) : undefined;
}

function jsonList(text: string): AttributeValue | undefined {
  const parsed = parse(text);
  return Array.isArray(parsed) ? (parsed as AttributeValue) : undefined;
}

function parse(text: string): unknown {
  if (text.length > jsonCharsMax) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Counts of a JSON object under its own names; a value that is no number is left out. */
export function usageCounts(value: AttributeValue): readonly (readonly [string, number])[] {
  const parsed = typeof value === "string" ? parse(value) : undefined;
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) return [];
  return Object.entries(parsed).filter(
    (entry): entry is [string, number] => typeof entry[1] === "number",
  );
}

/**
 * Texts of free metadata under the names of their rows, and whether it belongs to a graph's node.
 */
export function metadataTexts(value: AttributeValue): {
  readonly texts: readonly (readonly [key: string, to: RegistryName, text: string])[];
  readonly ofNode: boolean;
  readonly integration: string | undefined;
} {
  const parsed = typeof value === "string" ? parse(value) : undefined;
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    return { texts: [], ofNode: false, integration: undefined };
  }
  const fields = parsed as Readonly<Record<string, unknown>>;
  const texts = Object.entries(metadataNames).flatMap(([key, to]) => {
    const text = Object.hasOwn(fields, key) ? fields[key] : undefined;
    return typeof text === "string" && text !== "" ? [[key, to, text] as const] : [];
  });
  const integration = fields["ls_integration"];
  return {
    texts,
    ofNode: Object.hasOwn(fields, graphNodeKey),
    integration: typeof integration === "string" ? integration : undefined,
  };
}
