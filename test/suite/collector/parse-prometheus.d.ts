/** @module Types of a parser that brings none. */
declare module "parse-prometheus-text-format" {
  /** Families of the text format of Prometheus. */
  export default function parsePrometheusTextFormat(text: string): readonly unknown[];
}
