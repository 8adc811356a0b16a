import { healthSocket } from '@ordbook/signer/health.ts'
import {
  ConfigError,
  type ConfigOf,
  choice,
  integer,
  optional,
  readVariables,
} from '@ordbook/signer/variables.ts'

/** Configuration of the renderer. */
export const variables = {
  PREVIEW_SOCKET: optional('Socket of the market at which the renderer takes its work.'),
  CHROMIUM: optional(
    'Path of the browser for content that is no picture and no text; default: one of the usual places, else that content waits.',
  ),
  PREVIEW_CONCURRENCY: integer(
    0,
    0,
    16,
    'Browsers that paint side by side, and decoders of pictures and texts beside them; 0: one for each processor, four at most, as far as memory allows.',
  ),
  PREVIEW_SECONDS: integer(
    20,
    2,
    100,
    'Longest processor time for one piece, in seconds; by the clock it may take three times as long, 110 seconds at most.',
  ),
  PREVIEW_BROWSER_MEGABYTES: integer(
    1500,
    300,
    100_000,
    'Memory of a browser, all of its processes together, beyond which it is killed.',
  ),
  PREVIEW_PICTURE_MEGABYTES: integer(
    900,
    200,
    100_000,
    'Memory of a process that decodes pictures, beyond which it is killed.',
  ),
  HEALTH_SOCKET: healthSocket,
  LOG_LEVEL: choice(
    ['debug', 'info', 'warn', 'error', 'silent'],
    'info',
    'Lowest level of the log, in JSON lines.',
  ),
}

export type RendererConfig = ConfigOf<typeof variables>

/** Reads the configuration of a renderer. Throws ConfigError. */
export function readRendererConfig(
  environment: Readonly<Record<string, string | undefined>>,
): RendererConfig & { previewSocket: string } {
  const problems: string[] = []
  const read = readVariables(variables, environment, problems)
  if (read.previewSocket === null)
    problems.push("PREVIEW_SOCKET: expected the path of the market's socket for renderers")
  if (problems.length > 0) throw new ConfigError(problems.join('\n'))
  return { ...read, previewSocket: read.previewSocket! }
}
