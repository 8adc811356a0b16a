import type { Config } from '../settings/config.ts'
import { inTime } from './in-time.ts'
import { turnOn } from './span.ts'

const END_MILLISECONDS = 2000
const EXPORT_MILLISECONDS = 5000

type TraceOptions = Pick<Config, 'otelExporterOtlpEndpoint' | 'roles'>

/**
 * Starts exporting the spans of this thread to a collector. The queue holds 2,048 spans and drops the
 * excess, so that a hanging collector does not slow requests. Supports OTEL_TRACES_SAMPLER,
 * OTEL_SERVICE_NAME and other OTEL_ variables. Returns a function that flushes and shuts down.
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
