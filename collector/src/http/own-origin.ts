/** @module OwnOrigin: the origin of absolute links to the collector. */
import type { Config } from "../config/config.ts";
import type { AppContext } from "./environment.ts";

/**
 * The origin that the browser sees: a configured one, the one of this host where there are more.
 * Without any it is the request's Host, which the edge has checked.
 */
export function ownOrigin(
  c: AppContext,
  { origins, cookieSecure }: Pick<Config, "origins" | "cookieSecure">,
): string {
  const { host } = new URL(c.req.url);
  const own = origins.find((origin) => new URL(origin).host === host) ?? origins[0];
  return own ?? `${cookieSecure ? "https:" : "http:"}//${host}`;
}
