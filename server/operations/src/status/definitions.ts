import type { Registry } from 'prom-client'

/** A metric as it is defined, without values. */
export interface MetricDefinition {
  name: string
  type: string
  labels: readonly string[]
  help: string
}

/** The metrics of a registry, in the order of their registration. */
export const definitionsOf = (registry: Registry): MetricDefinition[] =>
  registry.getMetricsAsArray().map((metric) => {
    // prom-client's types omit the labels.
    const { name, help, type, labelNames } = metric as typeof metric & { labelNames: readonly string[] }
    return { name, type: String(type), labels: labelNames, help }
  })
