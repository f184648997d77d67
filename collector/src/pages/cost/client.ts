/** @module Cost in the browser: a brush over the chart sets the range of the page. */
export { watchBrush as start } from "../../ui/client/brush.ts";
