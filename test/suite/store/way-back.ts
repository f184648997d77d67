/**
 * @module WayBack: the statements by which docs/operate/upgrade.md goes back to an older version.
 */
import { readFileSync } from "node:fs";

const page = new URL("../../../docs/operate/upgrade.md", import.meta.url);

/** The statements for a provider, in their order. */
export function wayBack(provider: string): readonly string[] {
  const [, behind = ""] = readFileSync(page, "utf8").split(`<!-- way back: ${provider} -->`);
  const [, block = ""] = behind.split("```sql\n");
  const [sql = ""] = block.split("```");
  const statements = sql.split(";").map((one) => one.trim());
  return statements.filter((one) => one !== "" && one !== "BEGIN" && one !== "COMMIT");
}
