import { join } from 'node:path'
import type { Tuning } from '@ordbook/db/settings/config.ts'
import type { RendererConfig } from '@ordbook/previews/config.ts'

interface Tunings {
  '@ordbook/db/settings/config.ts': Tuning
  '@ordbook/previews/config.ts': Partial<RendererConfig>
}

/** Returns Node flags and environment for a process with overridden constants (tuned.ts). */
export const tune = <Module extends keyof Tunings>(
  module: Module,
  values: Tunings[Module],
  folder = import.meta.dirname,
) =>
  Object.keys(values).length === 0
    ? { flags: [], environment: {} }
    : {
        flags: ['--import', join(folder, 'tuned.ts')],
        environment: { TUNED: JSON.stringify({ module, values }) },
      }
