/** @module ProcessLock: a directory, one process over it, and which process that is. Node only. */
export { lockDirectory, ownerOf } from "./directory-lock.ts";
export type { DirectoryLock, DirectoryLockOptions, DirectoryOwner } from "./directory-lock.ts";
export { makeDirectory } from "./make-directory.ts";
export { isRunning, ownerText, parseOwner, systemProcesses } from "./process-owner.ts";
export { systemField } from "./system-failure.ts";
export type { Liveness, Owner, Processes } from "./process-owner.ts";
