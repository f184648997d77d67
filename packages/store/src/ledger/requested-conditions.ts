/**
 * @module RequestedConditions: a query as plain conditions, for providers that translate it to
 * their own language: the scope becomes conditions like the others, and a condition that nothing
 * can meet becomes the empty choice, so that no provider handles these cases itself.
 */
import { checkScope, isGranted } from "../scope.ts";
import { isPrefix } from "./text-prefix.ts";
import { tenantText } from "./turn-fields.ts";
import type { TurnCondition, TurnQuery } from "./turn-query.ts";

const nothing: TurnCondition = { any: [] };

/**
 * Conditions that all hold for a matching turn. A text in them is never empty or ill-formed, a
 * number never NaN.
 * @throws CodedError identity_missing, record_invalid
 */
export function requestedConditions({ scope, where }: TurnQuery): readonly TurnCondition[] {
  checkScope(scope);
  const application = "operator" in scope ? scope.operator.applicationId : scope.applicationId;
  const own: TurnCondition[] = [];
  if (!("operator" in scope)) own.push({ text: "tenant", is: tenantText(scope.tenant) });
  // A grant that was not issued gives no access.
  else if (!isGranted(scope)) own.push(nothing);
  if (application !== undefined) own.push({ text: "application_id", is: application });
  return [...own, ...where].map(plain);
}

function plain(condition: TurnCondition): TurnCondition {
  if ("any" in condition) return { ...condition, any: condition.any.map(plain) };
  if (!isEqualToNothing(condition)) return condition;
  return condition.not === true ? { ...nothing, not: true } : nothing;
}

/** An empty text is unknown; one with a lone surrogate would become another text in transit. */
function isEqualToNothing(condition: TurnCondition): boolean {
  if ("text" in condition) return condition.is !== null && !isStated(condition.is);
  if ("part" in condition) return !isStated(condition.of);
  if ("prefix" in condition) return !isPrefix(condition.of);
  if ("list" in condition) return condition.has !== null && !isStated(condition.has);
  if ("call" in condition) {
    const { kind: _, ...values } = condition.call;
    return Object.values(values).some((value) => typeof value === "string" && !isStated(value));
  }
  return "number" in condition && Number.isNaN(condition.value);
}

function isStated(text: string): boolean {
  return text !== "" && text.isWellFormed();
}
