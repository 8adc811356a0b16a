import {
  type Attributes,
  type Span,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'

/**
 * OpenTelemetry spans for the work a process waits for. Without `OTEL_EXPORTER_OTLP_ENDPOINT`, nothing is recorded. Attributes follow the
 * semantic conventions, and never contain values of statements, queries or bodies.
 */
const tracer = trace.getTracer('ordbook')
let isOn = false

/** Starts recording spans. */
export function turnOn(): void {
  isOn = true
}

/** Runs a call to another process in a client span, if there is an active span. Rethrows its errors. */
export function inSpan<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T> {
  return isOn && trace.getActiveSpan() ? recorded(name, { attributes, kind: SpanKind.CLIENT }, work) : work()
}

/** Runs an iteration of a job or of the follower in a root span. Rethrows its errors. */
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

/** Fields of a log line that identify the current span. */
export function spanOfLine(): { traceId: string; spanId: string } | undefined {
  const context = isOn ? trace.getActiveSpan()?.spanContext() : undefined
  return context && { traceId: context.traceId, spanId: context.spanId }
}
