/**
 * @module BackupManifest: what a backup holds: each file with its size and hash, and the counts
 * that a restored copy must have. It is written last, so a backup without it was not finished.
 */
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import {
  mkdir,
  open,
  readFile,
  readdir,
  readlink,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { dirname, join, normalize } from "node:path";
import { pipeline } from "node:stream/promises";

import { CodedError } from "@turnproof/semconv";
import { z } from "zod";

/** Name of the manifest's file. */
const manifestName = "manifest.json";

const path = z
  .string()
  .min(1)
  .refine((text) => normalize(text) === text && !/^(\.\.)?\//.test(text) && text !== "..");
const count = z.number().int().nonnegative();

const entry = z.discriminatedUnion("is", [
  z.strictObject({ is: z.literal("file"), path, bytes: count, sha256: z.string().length(64) }),
  z.strictObject({ is: z.literal("link"), path, target: z.string() }),
  z.strictObject({ is: z.literal("folder"), path }),
]);

const evidence = z.strictObject({
  events: count,
  turns: count,
  verdicts: z.record(z.string(), count),
});

const manifest = z.strictObject({
  format: z.literal(1),
  /** Version of the collector that made it. */
  version: z.string(),
  made_at: z.string(),
  backend: z.string(),
  memory_backend: z.string(),
  /** Null for a store that is not in the backup. */
  evidence: evidence.nullable(),
  /** Null without an audit log. */
  audit: z.strictObject({ records: count, root: z.string() }).nullable(),
  entries: z.array(entry),
});

export type Manifest = z.infer<typeof manifest>;
export type BackupEntry = z.infer<typeof entry>;
export type EvidenceCounts = z.infer<typeof evidence>;

/**
 * @throws CodedError `folder_missing`, `not_a_folder`, `manifest_missing`, `manifest_invalid`;
 *   `file_unreadable` with the system's reason
 */
export async function readManifest(folder: string): Promise<Manifest> {
  const file = join(folder, manifestName);
  const text = await readFile(file, "utf8").catch(async (error: unknown) => {
    throw await missingManifest(folder, error);
  });
  try {
    return manifest.parse(JSON.parse(text));
  } catch (cause) {
    throw new CodedError("manifest_invalid", { field: file, cause });
  }
}

/** Why a folder has no manifest that can be read. */
async function missingManifest(folder: string, error: unknown): Promise<CodedError> {
  const unreadable = (path: string, reason: string): CodedError =>
    new CodedError("file_unreadable", { field: `${path}: ${reason}`, cause: error });
  const code = reasonOf(error);
  if (code !== "ENOENT" && code !== "ENOTDIR") return unreadable(join(folder, manifestName), code);
  try {
    const found = await stat(folder);
    if (!found.isDirectory()) return new CodedError("not_a_folder", { field: folder });
    return new CodedError("manifest_missing", { field: join(folder, manifestName) });
  } catch (cause) {
    const reason = reasonOf(cause);
    if (reason === "ENOENT") return new CodedError("folder_missing", { field: folder });
    return unreadable(folder, reason);
  }
}

function reasonOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? "unknown";
}

/** Writes the manifest, durable. */
export async function writeManifest(folder: string, made: Manifest): Promise<void> {
  const text = `${JSON.stringify(made, null, 1)}\n`;
  await writeFile(join(folder, manifestName), text, { mode: 0o600, flush: true });
}

/** Copies at most `bytesMax` bytes of a file, durable; answers their number and hash. */
export async function copyHashed(
  from: string,
  to: string,
  bytesMax = Number.POSITIVE_INFINITY,
): Promise<{ readonly bytes: number; readonly sha256: string }> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  const hash = createHash("sha256");
  let bytes = 0;
  const hashed = async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      bytes += chunk.length;
      hash.update(chunk);
      yield chunk;
    }
  };
  if (bytesMax > 0) {
    const source = createReadStream(from, { end: bytesMax - 1 });
    await pipeline(source, hashed, createWriteStream(to, { mode: 0o600, flush: true }));
  } else await (await open(to, "w", 0o600)).close();
  return { bytes, sha256: hash.digest("hex") };
}

/** Files that are copied side by side: each waits for the disk, and a store has thousands. */
const abreast = 16;

/**
 * Copies a folder with its links; the paths of the entries begin with `as`.
 *
 * @param onFile called with the bytes of each file that was copied
 */
export async function copyTree(
  from: string,
  to: string,
  as: string,
  onFile: (bytes: number) => void = () => {},
): Promise<BackupEntry[]> {
  const found = await readdir(from, { withFileTypes: true });
  const entries: BackupEntry[] = found.length === 0 ? [{ is: "folder", path: as }] : [];
  await mkdir(to, { recursive: true, mode: 0o700 });
  const files: string[] = [];
  for (const each of found) {
    const { name } = each;
    const [source, target, inside] = [join(from, name), join(to, name), `${as}/${name}`];
    if (each.isDirectory()) entries.push(...(await copyTree(source, target, inside, onFile)));
    else if (each.isSymbolicLink()) {
      const leads = await readlink(source);
      await symlink(leads, target);
      entries.push({ is: "link", path: inside, target: leads });
    } else files.push(name);
  }
  for (let at = 0; at < files.length; at += abreast) {
    const copies = files.slice(at, at + abreast).map(async (name): Promise<BackupEntry> => {
      const copied = await copyHashed(join(from, name), join(to, name));
      onFile(copied.bytes);
      return { is: "file", path: `${as}/${name}`, ...copied };
    });
    entries.push(...(await Promise.all(copies)));
  }
  return entries;
}
