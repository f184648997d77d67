/** @module VariableNames: looks variables up under all their names. */
import { bareNames, prefixes, variables } from "./config-variables.ts";
import type { ConfigProblem } from "./config-rules.ts";

/** Variables by their names. */
export type EnvironmentTexts = Readonly<Record<string, string | undefined>>;

/** The variable's name, with the first prefix where it has one. */
export function spelled(name: string): string {
  return bareNames.includes(name) ? name : `${prefixes[0]}${name}`;
}

/** All names that the variable is accepted by. */
export function spellings(name: string): readonly string[] {
  const prefixed = prefixes.map((prefix) => prefix + name);
  return bareNames.includes(name) ? [name, ...prefixed] : prefixed;
}

/** Names with our prefix; those of this project's own tests are not the collector's. */
const ours = /^TURNPROOF_(?!TEST_)[A-Z0-9_]+$/;

/** Looks each variable up under all its spellings; empty counts as unset. */
export function lookUp(
  env: EnvironmentTexts,
  problems: ConfigProblem[],
  warnings: string[],
): Record<string, string> {
  const raw: Record<string, string> = {};
  const known = new Set<string>();
  for (const { name } of variables) {
    const values = new Set<string>();
    for (const spelling of spellings(name)) {
      known.add(spelling);
      const value = env[spelling];
      if (value !== undefined && value !== "") values.add(value);
    }
    const [first] = values;
    if (first !== undefined) raw[name] = first;
    if (values.size > 1) {
      problems.push({ variable: spelled(name), problem: "set twice with different values" });
    }
  }
  for (const name of Object.keys(env)) {
    if (ours.test(name) && !known.has(name)) {
      warnings.push(`${name} is not a variable of this version and was ignored.`);
    }
  }
  return raw;
}
