import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { printErrorsPage } from '@ordbook/http/documents/errors-page.ts'

/** `npm run errors`: writes docs/reference/errors.md from the table of errors (contract/src/errors.ts). */
writeFileSync(join(import.meta.dirname, '../docs/reference/errors.md'), printErrorsPage())
