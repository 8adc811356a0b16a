import type { Config } from '../settings/config.ts'
import { inTime } from './in-time.ts'
import { turnOn } from './span.ts'

const END_MILLISECONDS = 2000
const EXPORT_MILLISECONDS = 5000

type TraceOptions = Pick<Config, 'otelExporterOtlpEndpoint' | 'roles'>

/**
 * Exports this thread's spans to a collector. Drops spans above 2,048, so that a slow collector does not delay requests. Supports the
 * standard OTEL_ variables. Returns a function that flushes and stops.
 */
export async function startTraces({
  otelExporterOtlpEndpoint: endpoint,
  roles,
}: TraceOptions): Promise<() => Promise<unknown>> {
  if (endpoint === null) return async () => {}
  const [{ BatchSpanProcessor, NodeTracerProvider }, { OTLPTraceExporter }, resources] = await Promise.all([
    import('@opentelemetry/sdk-trace-node'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ])
  const defaults = resources.resourceFromAttributes({
    'service.name': 'ordbook',
    'service.instance.id': String(process.pid),
    'ordbook.roles': roles.join(),
  })
  const fromEnvironment = resources.detectResources({ detectors: [resources.envDetector] })
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/$/, '')}/v1/traces`,
    timeoutMillis: EXPORT_MILLISECONDS,
  })
  const provider = new NodeTracerProvider({
    resource: resources.defaultResource().merge(defaults).merge(fromEnvironment),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  })
  provider.register()
  turnOn()
  return () => inTime(provider.shutdown(), END_MILLISECONDS).catch(() => {})
}
