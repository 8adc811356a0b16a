import { readConfig } from '@ordbook/db/settings/config.ts'
import { referencePage } from './reference.ts'

/** Renders docs/reference/errors.md with default settings. */
export const printErrorsPage = (): string =>
  referencePage('errors', { publicUrl: '', config: readConfig({}) })!
