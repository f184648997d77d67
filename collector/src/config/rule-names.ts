/**
 * @module RuleNames: names in the rules of alerts that other variables define: targets, and the
 * folder of contracts. A rule without them would never send, or never fire.
 */
import type { z } from "zod";

/** What other variables define. */
export interface KnownNames {
  /** Undefined where the variable is invalid, which is a problem of its own. */
  readonly targets: readonly { readonly name: string }[] | undefined;
  /** Whether a folder of contracts is set; its files may come later. */
  readonly contracts: boolean;
}

/** The names of a rule. */
interface NamingRule {
  readonly to?: readonly string[] | undefined;
  readonly contract?: string | undefined;
}

/** Rules with a name that is not defined. */
export function unknownNames(
  rules: readonly NamingRule[],
  { targets, contracts }: KnownNames,
): z.core.$ZodIssue[] {
  const known = targets && new Set(targets.map(({ name }) => name));
  return rules.flatMap(({ to = [], contract }, index) => {
    const issue = (field: string, message: string): z.core.$ZodIssue => {
      return { code: "custom", path: ["rules", index, field], message, input: undefined };
    };
    return [
      ...(known === undefined || to.every((name) => known.has(name))
        ? []
        : [issue("to", "a name that TURNPROOF_ALERT_TARGETS does not have")]),
      ...(contract === undefined || contracts
        ? []
        : [issue("contract", "there are no contracts without TURNPROOF_CONTRACTS")]),
    ];
  });
}
