/**
 * @module StoreReason: why a store cannot be used, in our own words: from the engine's number or
 * the operating system's name, never from a message, which may quote values.
 */
import { codes } from "@turnproof/semconv";
import type { Code, CodeRow } from "@turnproof/semconv";

import { damageOf, damageTexts } from "./store-damage.ts";

/** By the field of a store's error. */
const words: readonly (readonly [pattern: RegExp, words: string])[] = [
  [/ ECONNREFUSED$/, "nothing listens there"],
  [/ (?:ENOTFOUND|EAI_AGAIN|EAI_FAIL)$/, "its name cannot be resolved"],
  [/ (?:EHOSTUNREACH|ENETUNREACH|EHOSTDOWN)$/, "no way leads there"],
  [/ (?:ETIMEDOUT|ESOCKETTIMEDOUT)$/, "it does not answer"],
  [/ ECONNRESET$/, "it ended the connection"],
  [/ EPIPE$/, "it answers before it takes a request: it, or a proxy before it, refuses them"],
  [/^clickhouse http$/, "it, or a proxy before it, answers with an error that is not ClickHouse's"],
  [/^postgres 28|^clickhouse (?:516|193|194)$|^mongodb (?:18|8000)$/, "it refuses the sign-in"],
  [/^postgres 42501$|^clickhouse 497$|^mongodb 13$/, "the sign-in has too few rights"],
  [/^postgres 3D|^clickhouse 81$/, "the database is not there"],
  [/^postgres 57P/, "it starts, stops or recovers"],
  [/^postgres 53300$/, "it has no connection left"],
  [/^mongodb (?:189|11600|11602|13435|13436|10107|91)$/, "it starts, stops or has no primary"],
  [/^clickhouse 242$/, "its tables are read-only"],
];

/** Words for a failure of a store. */
export function reasonWords(of: {
  readonly code: string;
  readonly field?: string | undefined;
  /** True where the store is a server's. */
  readonly isServer: boolean;
}): string {
  const { code, field = "" } = of;
  const damage = damageOf(of);
  if (damage !== undefined) return damageTexts(damage);
  const known = words.find(([pattern]) => pattern.test(field));
  if (known !== undefined) return known[1];
  const row: CodeRow | undefined = Object.hasOwn(codes, code) ? codes[code as Code] : undefined;
  return (row?.sentence ?? "it fails").replace(/\.$/, "");
}
