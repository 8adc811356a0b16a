import {
  type Attributes,
  type Span,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'

/**
 * Spans (OpenTelemetry) of what a process waits for. Without `OTEL_EXPORTER_OTLP_ENDPOINT` nothing is recorded, and work runs as it is.
 * Attributes are named by the semantic conventions; no value of a statement, a query or a body is one.
 */
const tracer = trace.getTracer('ordbook')
let isOn = false

/** From now on spans are recorded. */
export function turnOn(): void {
  isOn = true
}

/** Runs work that another process does, in a span of the request, job or block that waits for it. Throws what the work throws. */
export function inSpan<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T> {
  return isOn && trace.getActiveSpan() ? recorded(name, { attributes, kind: SpanKind.CLIENT }, work) : work()
}

/** Runs a turn of a job or of the follower in a span that begins a trace. Throws what the work throws. */
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

/** The members of a log line that name the span in which it is written. */
export function spanOfLine(): { traceId: string; spanId: string } | undefined {
  const context = isOn ? trace.getActiveSpan()?.spanContext() : undefined
  return context && { traceId: context.traceId, spanId: context.spanId }
}
