/**
 * @module Hook routes: answered by the host's hooks. Each has its own permission, is audited like
 * every protected route, and answers 501 without its hook (collector: Answer).
 */
import { Hono } from "hono";
import { z } from "zod";
import { CodedError } from "@turnproof/semconv";
import type { UserId } from "@turnproof/semconv";

import { readBody } from "../../http/body.ts";
import { principalOf } from "../../http/environment.ts";
import type { AppEnv } from "../../http/environment.ts";
import { id, readParameters } from "../../http/parameters.ts";
import { respondJson } from "../../http/respond.tsx";
import { callHook } from "../../hooks/hooks.ts";
import { contextOf } from "../../hooks/hook-context.ts";
import { json } from "../../http/endpoint.ts";
import type { RouteGroup } from "../../http/endpoint.ts";
import type { Parts } from "../../parts.ts";

/** Parameters of the artifact lookup. */
const artifactParameters = z.strictObject({
  resource_ref: id.describe("The resource, by its opaque id."),
  resource_type: id.optional(),
  version: id.optional(),
});

/** Body of the account resolution. */
const accountBody = z.strictObject({ email: z.email().max(320) });

/** Body of `/traces/artifact.json`. */
export interface ArtifactModel {
  readonly resource_ref: string;
  readonly exists: boolean;
  readonly state: string | null;
  readonly version: string | null;
}

/** Its JSON, by route. */
export interface AccountsAnswers {
  readonly "GET /traces/artifact.json": ArtifactModel;
  readonly "POST /traces/account/resolve": { readonly user_id: UserId };
}

/** Accounts: what each route needs, records and answers. */
export const accountsGroup: RouteGroup<AccountsAnswers> = {
  tag: "Traces",
  endpoints: {
    "GET /traces/artifact.json": {
      needs: "artifact.lookup",
      audit: "artifact.read",
      id: "getArtifact",
      summary: "State of a resource, from the host",
      query: artifactParameters,
      returns: "Whether it exists, its version and state.",
      failures: ["not_configured", "not_found", "scope_forbidden"],
    },
    "POST /traces/account/resolve": {
      needs: "account.resolve",
      audit: "account.resolved",
      id: "resolveAccount",
      summary: "Resolve an e-mail address to an opaque user id",
      text: "Audited; the e-mail is neither kept nor logged.",
      body: json(accountBody),
      returns: "The user id.",
      failures: ["not_configured", "not_found", "body_invalid"],
    },
  },
  routes: hookRoutes,
};

/** The routes that hooks answer. */
function hookRoutes(parts: Parts): Hono<AppEnv> {
  const { hooks } = parts;
  const app = new Hono<AppEnv>();

  app.get("/traces/artifact.json", async (c) => {
    const { resource_ref: ref, resource_type, version } = readParameters(c, artifactParameters);
    const { resolveArtifact, authorizeResource } = hooks;
    const principal = principalOf(c);
    if (resolveArtifact !== undefined && authorizeResource !== undefined) {
      const may = await callHook((signal) => authorizeResource(ref, contextOf(principal, signal)));
      if (!may) throw new CodedError("scope_forbidden");
    }
    const resource = {
      ref,
      ...(resource_type === undefined ? {} : { type: resource_type }),
      ...(version === undefined ? {} : { version }),
    };
    const found = await callHook(
      resolveArtifact && ((signal) => resolveArtifact(resource, contextOf(principal, signal))),
    );
    const foreign = principal.userId !== undefined && found?.user_id !== principal.userId;
    if (found === null || foreign) throw new CodedError("not_found");
    const { exists, state } = found;
    const model: ArtifactModel = {
      resource_ref: ref,
      exists,
      state: state ?? null,
      version: found.version ?? null,
    };
    return respondJson(c, model);
  });

  app.post("/traces/account/resolve", async (c) => {
    const { data } = await readBody(c, accountBody);
    const { resolveAccount } = hooks;
    const principal = principalOf(c);
    const user = await callHook(
      resolveAccount && ((signal) => resolveAccount(data.email, contextOf(principal, signal))),
    );
    if (user === null || (principal.userId !== undefined && user !== principal.userId)) {
      throw new CodedError("not_found");
    }
    return respondJson(c, { user_id: user });
  });

  return app;
}
