/** A start without an audit log leaves a record in the one that exists, and a pack its times. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { isoNow } from "@turnproof/semconv";
import { afterAll, expect, test } from "vitest";

import { recordAuditOff } from "../../access/audit/audit-off.ts";
import { shipperOf } from "../../access/audit/ship.ts";
import { createSigner } from "../../access/audit/checkpoint.ts";
import { openAudit } from "../../access/audit/log.ts";
import { createPseudonyms } from "../../access/pseudonyms.ts";
import { openKeyring } from "../../access/stable-secret.ts";
import { readConfig } from "../../config/read-config.ts";
import { createLog } from "../../log.ts";
import { auditFacts } from "./audit-facts.ts";

const dataDir = mkdtempSync(join(tmpdir(), "turnproof-audit-off-"));
const config = readConfig({ dataDir });
const quiet = createLog("json", () => {});
afterAll(() => rmSync(dataDir, { recursive: true }));

/** A collector with accounts, while one request is answered. */
const access = (): Promise<void> => record({ event: "turns.read", route: "/traces" });

async function record(entry: { readonly event: string; readonly route?: string }): Promise<void> {
  const audit = await openAudit({
    file: join(dataDir, "audit.jsonl"),
    keyring: openKeyring(undefined, dataDir),
    pseudonyms: createPseudonyms({ auditScope: config.auditScope }),
    signer: createSigner(dataDir, config.auditScope),
    shipper: shipperOf(config, quiet),
  });
  await audit.append({ ...entry, result: "ok" });
  await audit.close();
}

async function windowOf(from: string, to: string) {
  const { log } = await auditFacts(config, { from, to });
  return log?.window;
}

test("the times without the log are those from such a start to the next access", async () => {
  // Without a log, nothing shows that one was ever on.
  await recordAuditOff(config, quiet);
  expect((await auditFacts(config, { from: "2020-01-01", to: "2100-01-01" })).log).toBeNull();
  await access();
  const before = isoNow();
  await recordAuditOff(config, quiet);
  await recordAuditOff(config, quiet);
  // A command's record shows no access, so the time goes on.
  await record({ event: "user.deleted" });
  const open = await windowOf("2020-01-01T00:00:00Z", "2100-01-01T00:00:00Z");
  expect(open).toMatchObject({ accesses: 1, off: [{ to: "2100-01-01T00:00:00Z" }] });
  await access();
  const closed = await windowOf("2020-01-01T00:00:00Z", "2100-01-01T00:00:00Z");
  expect(closed).toMatchObject({ accesses: 2, covered: true });
  expect(closed?.off).toEqual([{ from: open?.off?.[0]?.from, to: expect.any(String) }]);
  expect(closed?.off?.[0]?.to).not.toBe("2100-01-01T00:00:00Z");
  expect(await windowOf("2020-01-01T00:00:00Z", before)).toMatchObject({ off: [] });
});
