/** @module PermissionRows: what each permission allows, and the roles that hold it. */
import { rolePermissions, roles } from "../../access/principal.ts";
import type { Permission, Role } from "../../access/principal.ts";

/** A permission with the roles that hold it. */
export interface PermissionRow {
  readonly permission: Permission;
  readonly meaning: string;
  readonly roles: readonly Role[];
}

const permissionTexts: { readonly [P in Permission]: string } = {
  "trace.read": "read turns, health, comparisons and verdicts",
  "artifact.lookup": "look an artifact up at the host",
  "replay.create": "export a plan of a replay",
  "view.share": "share views of the turns, rename and delete shared ones",
  "account.resolve": "look a user id up in the host's directory",
  "recommendation.review": "accept, defer or reject recommendations",
  "outcome.write": "record feedback and outcomes",
  "note.write": "note on turns, change and delete own notes",
  "alert.manage": "silence and resolve alerts",
  "agent.run": "run mounted agents",
  "trace.reveal": "reveal content that a host keeps",
  "trace.write": "change what is stored",
};

/** Every permission. */
export const permissionRows: readonly PermissionRow[] = (
  Object.keys(permissionTexts) as Permission[]
).map((permission) => ({
  permission,
  meaning: permissionTexts[permission],
  roles: roles.filter((role) => rolePermissions[role].includes(permission)),
}));
