import type { Config } from '../settings/config.ts'
import { inTime } from './in-time.ts'
import { turnOn } from './span.ts'

const END_MILLISECONDS = 2000
const EXPORT_MILLISECONDS = 5000

type TraceOptions = Pick<Config, 'otelExporterOtlpEndpoint' | 'roles'>

/**
 * Exports the spans of this thread to a collector in batches, from a queue of 2,048 that drops the excess, so that a hanging collector does
 * not slow requests. Supports `OTEL_TRACES_SAMPLER`, `OTEL_SERVICE_NAME` and so on. Returns a function that flushes and shuts down.
 */
export async function startTraces({
  otelExporterOtlpEndpoint: endpoint,
  roles,
}: TraceOptions): Promise<() => Promise<unknown>> {
  if (endpoint === null) return async () => {}
  // Loaded lazily, only if tracing is on.
  const [{ BatchSpanProcessor, NodeTracerProvider }, { OTLPTraceExporter }, resources] = await Promise.all([
    import('@opentelemetry/sdk-trace-node'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ])
  const own = resources.resourceFromAttributes({
    'service.name': 'ordbook',
    'service.instance.id': String(process.pid),
    'ordbook.roles': roles.join(),
  })
  const named = resources.detectResources({ detectors: [resources.envDetector] })
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/$/, '')}/v1/traces`,
    timeoutMillis: EXPORT_MILLISECONDS,
  })
  const provider = new NodeTracerProvider({
    resource: resources.defaultResource().merge(own).merge(named),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  })
  provider.register()
  turnOn()
  return () => inTime(provider.shutdown(), END_MILLISECONDS).catch(() => {})
}
