/** @module HookContext: the context that every hook receives beside its own input. */
import { limits } from "@turnproof/semconv";

import type { Principal } from "../access/principal.ts";
import type { HookContext } from "./hooks.ts";

/** Facts about the principal of a request, for a hook. */
export function contextOf(principal: Principal, signal: AbortSignal): HookContext {
  const { name, role, applicationId, userId } = principal;
  return {
    principal: name.slice(0, limits.stringCharsMax),
    role,
    signal,
    ...(applicationId === undefined ? {} : { applicationId }),
    ...(userId === undefined ? {} : { userId }),
  };
}
