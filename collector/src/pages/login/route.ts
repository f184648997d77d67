/**
 * @module Session routes: sign-in with a token, and sign-out (security: Sessions; faults W5, W7).
 */
import { Hono } from "hono";
import { z } from "zod";
import { CodedError } from "@turnproof/semconv";

import type { Credentials } from "../../access/credentials.ts";
import { sameSite } from "../../http/cross-site.ts";
import { clientAddress } from "../../http/environment.ts";
import type { AppEnv } from "../../http/environment.ts";
import { refuse } from "../../http/errors.ts";
import { nextCharsMax } from "../../http/authenticate.ts";
import { respond } from "../../http/respond.tsx";
import { setSessionCookie } from "../../http/session-cookie.ts";
import { html } from "../../http/endpoint.ts";
import type { RouteGroup } from "../../http/endpoint.ts";
import type { Parts } from "../../parts.ts";
import { loginPage } from "./page.tsx";
import { mountProvider, providerEndpoints } from "./provider.ts";
import { localPath, openSession } from "./session.ts";

/** What the sign-in page shows. */
export interface LoginModel {
  /** Where to go afterwards: a path of ours. */
  readonly next: string;
  /** True when the presented token is unknown. */
  readonly failed: boolean;
  /** Whether a token opens anything, and whether an identity provider does. */
  readonly tokens: boolean;
  readonly provider: boolean;
}

/** The form of the sign-in page. */
const loginForm = z.strictObject({
  token: z.string().min(1).max(512),
  /** Name of the account, where people give it; the token of another one is refused. */
  account: z.string().max(64).optional(),
  next: z.string().max(nextCharsMax).optional(),
});

/** Login: what each route needs, records and answers. */
export const loginGroup: RouteGroup = {
  tag: "Session and settings",
  endpoints: {
    "GET /login": {
      needs: "open",
      id: "getLogin",
      summary: "Sign-in page",
      returns: "The page.",
      also: { 303: "No sign-in is configured: to the page that was requested." },
      answers: html,
    },
    "POST /login": {
      needs: "open",
      id: "signIn",
      summary: "Sign in",
      body: { type: "application/x-www-form-urlencoded", schema: loginForm },
      returns: "To the requested page, with a session cookie.",
      status: 303,
      answers: html,
      failures: ["unauthenticated", "throttled", "cross_origin", "body_invalid"],
    },
    ...providerEndpoints,
    "POST /logout": {
      needs: "signed_in",
      audit: "session.ended",
      id: "signOut",
      summary: "Sign out",
      returns: "To the sign-in page; the session has ended.",
      status: 303,
      answers: html,
      failures: ["cross_origin"],
    },
  },
  routes: sessionRoutes,
};

/** GET and POST `/login`, POST `/logout`. */
function sessionRoutes(parts: Parts): Hono<AppEnv> {
  const { config, credentials, sessions, audit, throttle } = parts;
  const base = config.basePath === "/" ? "" : config.basePath;
  const cookie = { name: parts.cookieName, secure: config.cookieSecure, basePath: config.basePath };
  const ways = { tokens: credentials.tokens, provider: parts.oidc !== undefined };
  const app = new Hono<AppEnv>();
  mountProvider(app, parts);

  app.get("/login", (c) => {
    const next = localPath(c.req.query("next"), base);
    if (!credentials.configured) return c.redirect(next, 303);
    return respond<LoginModel>(c, { model: { next, failed: false, ...ways }, view: loginPage });
  });

  app.post("/login", async (c) => {
    if (!sameSite(c, config.origins)) return refuse(c, "cross_origin");
    // An unreadable form has no token and is refused by the schema.
    const parsed = loginForm.safeParse(await c.req.parseBody().catch(() => undefined));
    if (!parsed.success) throw new CodedError("body_invalid");
    const next = localPath(parsed.data.next, base);
    const account = parsed.data.account?.trim() || undefined;
    const found = foundFor(account, credentials.byToken(parsed.data.token));
    const record = {
      route: "POST /login",
      client: clientAddress(c),
      requestId: c.get("requestId"),
    };
    if (found === undefined) {
      const wait = throttle.failed(clientAddress(c) ?? "in-process", account);
      const result = wait > 0 ? "throttled" : "unauthenticated";
      await audit?.append({ ...record, event: "session.refused", result });
      await throttle.hold(wait);
      if (wait > 0) return refuse(c, "throttled", { retryAfterSeconds: wait });
      return respond<LoginModel>(c, {
        model: { next, failed: true, ...ways },
        view: loginPage,
        status: 401,
      });
    }
    const { principal, credential } = found;
    await openSession(c, parts, { principal: principal.name, credential });
    return c.redirect(next, 303);
  });

  app.post("/logout", async (c) => {
    const session = c.get("session");
    if (session !== undefined) await sessions.end(session.id);
    setSessionCookie(c, "", cookie);
    return c.redirect(`${base}/login`, 303);
  });
  return app;
}

/** What a token opens, unless the form names another account. */
function foundFor(
  account: string | undefined,
  found: ReturnType<Credentials["byToken"]>,
): ReturnType<Credentials["byToken"]> {
  const name = found?.principal.name.toLowerCase();
  return account === undefined || name === account.toLowerCase() ? found : undefined;
}
