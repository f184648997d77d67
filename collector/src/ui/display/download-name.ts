/**
 * @module DownloadName: the file name of a download about one root. A root's id is chosen by its
 * producer, so only letters, digits and hyphens of it are used.
 */

const idCharsMax = 16;

/** `turn-4bf92f3577b34da6.jws` */
export function downloadName(root: string, extension: string): string {
  const id = root.replace(/[^A-Za-z0-9-]/g, "").slice(0, idCharsMax);
  return `turn${id === "" ? "" : `-${id}`}.${extension}`;
}
