/**
 * @module Ship targets: where checkpoints of the audit log are sent (`TURNPROOF_AUDIT_SHIP`). An
 * address holds no credentials; they have variables of their own.
 */
import { resolve } from "node:path";

import { list } from "./config-values.ts";

/** One place for checkpoints. */
export type ShipTarget =
  | { readonly kind: "file"; readonly path: string }
  | {
      readonly kind: "syslog";
      readonly protocol: "udp" | "tcp";
      readonly host: string;
      readonly port: number;
    }
  | { readonly kind: "webhook" | "s3"; readonly url: string };

/** Targets between commas. */
export const shipTargets = list.transform((parts, context): readonly ShipTarget[] =>
  parts.flatMap((part, index) => {
    const target = targetOf(part);
    if (target !== undefined) return [target];
    context.addIssue({
      code: "custom",
      message:
        `entry ${index + 1}: file:/path, syslog://host:port, syslog+tcp://host:port, https://…, ` +
        "or s3+https://host/bucket/prefix, without credentials",
    });
    return [];
  }),
);

function targetOf(text: string): ShipTarget | undefined {
  const path = /^file:(?:\/\/(?=\/))?(.+)$/.exec(text)?.[1];
  if (path !== undefined) return { kind: "file", path: resolve(path) };
  const isS3 = text.startsWith("s3+");
  const address = isS3 ? text.slice(3) : text;
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  const { protocol, hostname, port, username, password, search, hash } = url;
  if (username !== "" || password !== "" || hash !== "" || hostname === "") return undefined;
  if (protocol === "syslog:" || protocol === "syslog+tcp:") {
    if (isS3) return undefined;
    const host = hostname.replace(/^\[|\]$/g, "");
    const over = protocol === "syslog:" ? "udp" : "tcp";
    return {
      kind: "syslog",
      protocol: over,
      host,
      port: Number(port || (over === "udp" ? 514 : 601)),
    };
  }
  if (protocol !== "https:" && protocol !== "http:") return undefined;
  if (isS3 && (search !== "" || url.pathname === "/")) return undefined;
  return isS3
    ? { kind: "s3", url: url.href.replace(/\/+$/, "") }
    : { kind: "webhook", url: url.href };
}
