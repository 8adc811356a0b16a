import { healthSocket } from '@ordbook/process/health.ts'
import { type Environment, mergeSettings } from '@ordbook/process/settings-file.ts'
import {
  ConfigError,
  type ConfigOf,
  choice,
  integer,
  optional,
  readVariables,
} from '@ordbook/process/variables.ts'

export const variables = {
  PREVIEW_SOCKET: optional("Path of the market's socket for renderers. Required."),
  CHROMIUM: optional(
    'Path of Chromium. Default: searched in the usual places; without it, only images and text are rendered.',
  ),
  PREVIEW_CONCURRENCY: integer(
    0,
    0,
    16,
    'Browsers, and as many image decoders; 0: one per processor, up to 4, as memory allows.',
  ),
  HEALTH_SOCKET: healthSocket,
  LOG_LEVEL: choice(
    ['debug', 'info', 'warn', 'error', 'silent'],
    'info',
    'Minimum log level. The log has JSON lines.',
  ),
}

/** Not configurable. */
export const constants = {
  /** Processor time per item. */
  previewSeconds: 20,
  /** Memory of all processes of a browser. Above it, the browser is killed. */
  previewBrowserMegabytes: 1500,
  /** Memory of an image decoder. Above it, the decoder is killed. */
  previewPictureMegabytes: 900,
  /** Processor time and memory per card. */
  previewCardSeconds: 5,
  previewCardMegabytes: 450,
  /** Time without work after which decoders and browsers end. The next item starts them again. */
  previewIdleMilliseconds: 60_000,
}

export type RendererConfig = ConfigOf<typeof variables> & typeof constants

export function readRendererConfig(environment: Environment): RendererConfig & { previewSocket: string } {
  const problems: string[] = []
  const merged = mergeSettings(Object.keys(variables), environment, problems)
  const read = readVariables(variables, merged, problems)
  if (read.previewSocket === null)
    problems.push("PREVIEW_SOCKET is not set. Set it to the path of the market's socket for renderers.")
  if (problems.length > 0) throw new ConfigError(problems.join('\n'))
  return { ...read, ...constants, previewSocket: read.previewSocket! }
}
