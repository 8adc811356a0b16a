import { readConfig } from '@ordbook/db/settings/config.ts'
import { referencePage } from './reference.ts'

/** Returns docs/reference/errors.md, for a server with default settings. */
export const printErrorsPage = (): string =>
  referencePage('errors', { publicUrl: '', config: readConfig({}) })!
