/** @module The collector's arrival suite over the filesystem: the same trace however it arrives. */
process.env["COLLECTOR_STORE"] = "filesystem";
await import("./arrival.test.ts");
