/** @module What Next.js calls once when a server starts, in each of its runtimes. */
//#region telemetry
export async function register() {
  if (process.env.NEXT_RUNTIME === "nodejs") {
    const { start } = await import("./telemetry");
    start();
  }
}
//#endregion
