import { readConfig } from '@ordbook/db/settings/config.ts'
import { referencePage } from './reference.ts'

/** The page "Errors and rate limits" as docs/reference/errors.md has it: that of a server with default settings. */
export const printErrorsPage = (): string =>
  referencePage('errors', { publicUrl: '', config: readConfig({}) })!
