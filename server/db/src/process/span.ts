import {
  type Attributes,
  type Span,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'

/** OpenTelemetry tracer, off without `OTEL_EXPORTER_OTLP_ENDPOINT`. Attributes never contain values of statements, queries or bodies. */
const tracer = trace.getTracer('ordbook')
let isOn = false

export function turnOn(): void {
  isOn = true
}

/** Runs a call in a client span if a span is active. Rethrows errors. */
export function inSpan<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T> {
  return isOn && trace.getActiveSpan() ? recorded(name, { attributes, kind: SpanKind.CLIENT }, work) : work()
}

/** Runs an iteration of a job or the follower in a root span. Rethrows errors. */
export function inOwnSpan<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T> {
  return isOn ? recorded(name, { attributes, root: true }, work) : work()
}

function recorded<T>(name: string, options: SpanOptions, work: () => Promise<T>): Promise<T> {
  return tracer.startActiveSpan(name, options, async (span) => {
    try {
      return await work()
    } catch (error) {
      fail(span, error)
      throw error
    } finally {
      span.end()
    }
  })
}

function fail(span: Span, error: unknown): void {
  span.setStatus({ code: SpanStatusCode.ERROR })
  if (error instanceof Error) span.setAttribute('error.type', error.name)
}

export function spanOfLine(): { traceId: string; spanId: string } | undefined {
  const context = isOn ? trace.getActiveSpan()?.spanContext() : undefined
  return context && { traceId: context.traceId, spanId: context.spanId }
}
