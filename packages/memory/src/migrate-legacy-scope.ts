/**
 * @module MigrateLegacyScope: moves the entity rows of one legacy memory to a user (requirements:
 * Provider scoping). For operators with an exact memory id; never with arguments from a model,
 * never while serving a request.
 */
import { attribute, CodedError, knownIdentity } from "@turnproof/semconv";
import type { MemoryStore } from "@turnproof/store";
import type { LegacyScope, MemoryAdmin } from "@turnproof/store/admin";

export type { LegacyScope };

/** A provider, with its administrative interface where the process has one. */
export type AdministeredStore = MemoryStore & { readonly admin?: MemoryAdmin };

/**
 * The administrative interface of a provider.
 * @throws CodedError capability_missing when this handle has none
 */
export function adminOf(provider: AdministeredStore | MemoryAdmin): MemoryAdmin {
  if ("migrateLegacyEntities" in provider) return provider;
  if (provider.admin === undefined) throw new CodedError("capability_missing", { field: "admin" });
  return provider.admin;
}

function exact(value: unknown, field: string): string {
  if (value === "") throw new CodedError("identity_empty", { field });
  if (typeof value !== "string") throw new CodedError("identity_missing", { field });
  return value;
}

/**
 * Moves the anonymous entity rows of the memory to the user; returns how many moved.
 * @throws CodedError identity_missing, identity_empty, capability_missing
 */
export async function migrateLegacyScope(
  provider: AdministeredStore | MemoryAdmin,
  scope: LegacyScope,
): Promise<number> {
  const memoryId = exact(scope?.memoryId, "memoryId");
  const userId = knownIdentity(attribute.user_id, exact(scope?.userId, "userId"));
  return adminOf(provider).migrateLegacyEntities({ memoryId, userId });
}
