import type { Environment } from '@ordbook/process/settings-file.ts'
import { readVariables, url } from '@ordbook/process/variables.ts'
import { list } from './variables.ts'

const ROLES = ['api', 'follower', 'jobs'] as const

export const operationsVariables = {
  ROLES: list('Tasks of this process.', ROLES, ROLES),
  OTEL_EXPORTER_OTLP_ENDPOINT: url(
    null,
    ['http:', 'https:'],
    'Base URL of a trace collector (OTLP over HTTP); other OTEL_ variables also apply. Default: no traces.',
  ),
}

export const readOperationsConfig = (environment: Environment, problems: string[]) =>
  readVariables(operationsVariables, environment, problems)
