/**
 * @module Settings: the principal, and the configuration without secrets, paths or store
 * addresses.
 */
import type { Identity } from "@turnproof/semconv";
import { Hono } from "hono";

import { auditState } from "../../access/audit/audit-state.ts";
import type { AuditState } from "../../access/audit/audit-state.ts";
import { rolePermissions } from "../../access/principal.ts";
import type { Permission, Role } from "../../access/principal.ts";
import { traceLink } from "../../ui/display/trace-link.ts";
import { principalOf } from "../../http/environment.ts";
import type { AppEnv } from "../../http/environment.ts";
import { readParameters } from "../../http/parameters.ts";
import { respond } from "../../http/respond.tsx";
import { z } from "zod";
import { withTwin, none } from "../../http/endpoint.ts";
import type { RouteGroup } from "../../http/endpoint.ts";
import type { Parts } from "../../parts.ts";
import { fileEndpoints, mountFiles } from "../../tables/list-files.ts";
import { settingsPage } from "./page.tsx";
import { permissionRows } from "./permission-rows.ts";
import type { PermissionRow } from "./permission-rows.ts";

/** Body of `/settings.json`. */
export interface SettingsModel {
  readonly principal: {
    readonly name: string;
    readonly role: Role;
    readonly via: string;
    readonly permissions: readonly Permission[];
    readonly application_id?: Identity["application_id"];
    /** Present when bound: a tenant, or null for the anonymous rows. */
    readonly user_id?: Identity["user_id"];
  };
  /** Every permission, with the roles that hold it. */
  readonly permissions: readonly PermissionRow[];
  readonly auth_configured: boolean;
  readonly content_mode: string;
  readonly read_only: boolean;
  readonly audit: AuditState;
  readonly pseudonyms: { readonly stable: boolean; readonly scope: string };
  readonly store: { readonly name: string; readonly sources: readonly string[] };
  /** Host of the other trace backend that turns link to, or null. */
  readonly trace_link_host: string | null;
  readonly ingest: { readonly on: boolean; readonly tokens: number };
  readonly warnings: readonly string[];
  readonly version: string;
}

/** Its JSON, by route. */
export interface SettingsAnswers {
  readonly "GET /settings.json": SettingsModel;
}

const settingsFile = {
  evidence: false,
  path: "/settings",
  name: "permissions",
  rows: "`permissions`: one line per permission",
  query: none,
  needs: "signed_in",
} as const;

/** Settings: what each route needs, records and answers. */
export const settingsGroup: RouteGroup<SettingsAnswers> = {
  tag: "Session and settings",
  rail: { order: 12, href: "/settings", name: "Settings", icon: "settings", key: "s" },
  endpoints: {
    ...withTwin("/settings", {
      needs: "signed_in",
      audit: "settings.read",
      id: "getSettings",
      summary: "Principal and configuration",
      query: none,
      returns: "Principal, permissions of each role, modes and warnings.",
    }),
    ...fileEndpoints(settingsFile),
  },
  routes: settingsRoutes,
};

/** GET `/settings` and its twin. */
function settingsRoutes(parts: Parts): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.on("GET", ["/settings", "/settings.json"], (c) => {
    readParameters(c, z.strictObject({}));
    return respond<SettingsModel>(c, { model: modelOf(parts, principalOf(c)), view: settingsPage });
  });
  mountFiles<PermissionRow>(app, parts, {
    ...settingsFile,
    fields: { permission: "text", meaning: "text", roles: "texts" },
    async *pages(c) {
      readParameters(c, settingsFile.query);
      yield permissionRows;
    },
  });
  return app;
}

function modelOf(parts: Parts, principal: ReturnType<typeof principalOf>): SettingsModel {
  const { config, audit, store, pseudonyms } = parts;
  const { name, role, via, applicationId, userId } = principal;
  return {
    principal: {
      name,
      role,
      via,
      permissions: rolePermissions[role],
      ...(applicationId === undefined ? {} : { application_id: applicationId }),
      ...(userId === undefined ? {} : { user_id: userId }),
    },
    permissions: permissionRows,
    auth_configured: parts.credentials.configured,
    content_mode: config.contentMode,
    read_only: config.readOnly,
    audit: auditState(audit),
    pseudonyms: { stable: pseudonyms.stable, scope: config.auditScope },
    store: { name: store.name, sources: store.sources },
    trace_link_host: linkHost(config.traceLink),
    ingest: { on: config.ingest === "on", tokens: config.ingestTokens.length },
    warnings: config.warnings,
    version: parts.version,
  };
}

function linkHost(template: string | undefined): string | null {
  return template === undefined ? null : (traceLink(template, "0".repeat(32))?.host ?? null);
}
