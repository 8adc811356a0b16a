import type { Registry } from 'prom-client'

export interface MetricDefinition {
  name: string
  type: string
  labels: readonly string[]
  help: string
}

export const definitionsOf = (registry: Registry): MetricDefinition[] =>
  registry.getMetricsAsArray().map((metric) => {
    // The types of prom-client omit the labels.
    const { name, help, type, labelNames } = metric as typeof metric & { labelNames: readonly string[] }
    return { name, type: String(type), labels: labelNames, help }
  })
