/**
 * @module Driver: loads an optional driver package when a provider is opened; where it is missing,
 * the error has the command that installs it.
 */
import { CodedError } from "@turnproof/semconv";

/**
 * The result of `load`. Throws `driver_missing` when a package is not installed; its field is the
 * command that installs `packages`. Any other failure to load is passed on.
 */
export async function loadDriver<T>(packages: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw new CodedError("driver_missing", { field: `npm install ${packages}`, cause: error });
  }
}

function isMissing(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown };
  return code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND";
}
