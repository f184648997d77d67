/** @module Session of a sign-in: opened, recorded, and where its browser goes. */
import type { Opener } from "../../access/sessions.ts";
import { clientAddress } from "../../http/environment.ts";
import type { AppContext } from "../../http/environment.ts";
import { sessionCookie, setSessionCookie } from "../../http/session-cookie.ts";
import type { Parts } from "../../parts.ts";

/** Opens a session and sets its cookie; the record comes first. */
export async function openSession(c: AppContext, parts: Parts, opener: Opener): Promise<void> {
  const { config, credentials, sessions, audit } = parts;
  const { principal, credential, issued } = opener;
  await audit?.append({
    route: c.get("route"),
    client: clientAddress(c),
    requestId: c.get("requestId"),
    event: "session.opened",
    role: credentials.byName(principal, credential, issued)?.role ?? "",
    operator: principal,
    result: "ok",
  });
  await endPresented(c, parts);
  setSessionCookie(c, (await sessions.open(opener)).cookie, {
    name: parts.cookieName,
    secure: config.cookieSecure,
    basePath: config.basePath,
  });
}

/** Ends the session whose cookie is sent with a sign-in; it is never adopted. */
export async function endPresented(c: AppContext, parts: Parts): Promise<void> {
  const value = sessionCookie(c, parts.cookieName);
  const session = value === undefined ? undefined : await parts.sessions.find(value);
  // One that cannot be looked up is only replaced.
  if (typeof session === "object") await parts.sessions.end(session.id);
}

/** A path of ours, with the query of a filtered list. */
const local = /^\/[A-Za-z0-9_.~%/-]*(?:\?[A-Za-z0-9_.~%:@!$'()*+,;=&/?-]*)?$/;

/** A path below our base, or our home: a redirect never leaves the origin. */
export function localPath(next: string | undefined, base: string): string {
  const home = `${base}/traces`;
  if (next === undefined || !local.test(next) || next.startsWith("//")) return home;
  return base === "" || next.startsWith(`${base}/`) ? next : home;
}
