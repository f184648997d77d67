/** @module Reaches beyond loopback in every way a library might, and swallows what it gets. */
import dns from "node:dns/promises";
import net from "node:net";

await fetch("http://192.0.2.1/").catch(() => undefined);
await dns.lookup("telemetry.example").catch(() => undefined);
try {
  net.connect(443, "192.0.2.2").on("error", () => undefined);
} catch {
  // As a library that phones home would.
}
