/**
 * @module Structural names: attributes whose presence gives the family of any other span of a
 * trace (`http.client`, `db.client`, `messaging`, `rpc.client`); their values are never read.
 */

/** Attribute → family; the first that is present decides. Without one a span is `internal`. */
export const structuralFamilies: {
  readonly [source: string]: "http" | "db" | "messaging" | "rpc";
} = {
  "http.request.method": "http",
  "http.method": "http",
  "db.system.name": "db",
  "db.system": "db",
  "messaging.system": "messaging",
  "rpc.system.name": "rpc",
  "rpc.system": "rpc",
};
