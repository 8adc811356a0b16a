import { mirrorRegistry } from '@ordbook/operations/mirror/mirror.ts'
import { definitionsOf, type MetricDefinition } from '@ordbook/operations/status/definitions.ts'
import { Metrics } from '@ordbook/operations/status/metrics.ts'
import { rendererHealth } from '@ordbook/previews/health.ts'
import { type Health, metricsOf } from '@ordbook/process/health.ts'
import { keyHealth } from '@ordbook/signer-host/key-health.ts'

/** Prints docs/reference/metrics.md from the definitions of the metrics. */
export function printMetricsPage(): string {
  const server = marketMetrics().definitions()
  const mirror = definitionsOf(mirrorRegistry(placeholder(), placeholder()))
  return `# Metrics

Each process serves these metrics to Prometheus at \`/metrics\`. [Monitor a market](../how-to/monitor.md) explains the setup, the alerts and
the dashboard.

All processes also report memory, processor time and start time; servers and mirrors report Node's default metrics. A gauge is absent if
its value is unknown. This page is generated from the code: \`npm run generate -- metrics\`.

## Server

${printTable(server)}

## Signer and guardian

${printTable(definitionsOfHealth(keysHealth()))}

## Preview renderer

${printTable(definitionsOfHealth(previewsHealth()))}

## Mirror

${printTable(mirror)}
`
}

const placeholder = <T>(): T => ({}) as T

const marketMetrics = (): Metrics =>
  new Metrics({ replica: { state: {} } } as ConstructorParameters<typeof Metrics>[0], placeholder(), () => [])

function keysHealth(): Health {
  const journal = { mark: () => ({ lines: 0 }), log: { standing: () => ({ term: 0 }) } }
  const health = keyHealth('signer', {
    journal,
    pair: null,
    certificates: () => [{ of: 'signer', endsAt: new Date(0) }],
  } as unknown as Parameters<typeof keyHealth>[1])
  health.count('call', 200)
  return health
}

function previewsHealth(): Health {
  const health = rendererHealth({ count: 0, reason: null } as Parameters<typeof rendererHealth>[0], {
    lanes: 1,
    hasBrowser: true,
  })
  health.count('image', 'rendered')
  return health
}

const definitionsOfHealth = (health: Health): MetricDefinition[] =>
  metricsOf(health, { state: 'active', reason: null })
    .filter(({ name }) => name.startsWith('ordbook_'))
    .map(({ name, help, values }) => ({
      name,
      type: name.endsWith('_total') ? 'counter' : 'gauge',
      labels: Object.keys(values[0]?.[0] ?? {}),
      help,
    }))

const printTable = (definitions: readonly MetricDefinition[]): string =>
  [
    '| Metric | Type | Labels | Description |',
    '| --- | --- | --- | --- |',
    ...definitions.map(
      ({ name, type, labels, help }) =>
        `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help} |`,
    ),
  ].join('\n')
