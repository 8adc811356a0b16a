import { healthSocket } from '@ordbook/process/health.ts'
import {
  ConfigError,
  type ConfigOf,
  choice,
  integer,
  optional,
  readVariables,
} from '@ordbook/process/variables.ts'

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
  HEALTH_SOCKET: healthSocket,
  LOG_LEVEL: choice(
    ['debug', 'info', 'warn', 'error', 'silent'],
    'info',
    'Lowest level of the log, in JSON lines.',
  ),
}

/** Values that are not settings. */
export const constants = {
  /** Processor time that one item may take. */
  previewSeconds: 20,
  /** Memory of all processes of a browser together, above which it is killed. */
  previewBrowserMegabytes: 1500,
  /** Memory of an image decoder, above which it is killed. */
  previewPictureMegabytes: 900,
  /** Processor time that a card may take, and memory of the process that draws cards. */
  previewCardSeconds: 5,
  previewCardMegabytes: 450,
}

export type RendererConfig = ConfigOf<typeof variables> & typeof constants

/** Reads the configuration of a renderer. Throws ConfigError. */
export function readRendererConfig(
  environment: Readonly<Record<string, string | undefined>>,
): RendererConfig & { previewSocket: string } {
  const problems: string[] = []
  const read = readVariables(variables, environment, problems)
  if (read.previewSocket === null)
    problems.push("PREVIEW_SOCKET: expected the path of the market's socket for renderers")
  if (problems.length > 0) throw new ConfigError(problems.join('\n'))
  return { ...read, ...constants, previewSocket: read.previewSocket! }
}
