/**
 * @module Prepare: prepares batches for a store in a worker thread (`appendPrepared`). Loads no
 * engine.
 */
export { RowPreparer } from "./bundle/prepared-rows.ts";
export { blockMemory, BlockPreparer } from "./clickhouse/prepared-batch.ts";
