import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Pages of docs/reference that the server serves. The bundle has a copy. */
const WRITTEN: readonly string[] = ['signing', 'transactions', 'events']
const FOLDER = join(
  import.meta.dirname,
  import.meta.filename.endsWith('.ts') ? '../../../../docs/reference' : '../docs/reference',
)

export const isWritten = (page: string): boolean => WRITTEN.includes(page)

/** Returns a page as Markdown, without comments. */
export const readWritten = (page: string): string =>
  readFileSync(join(FOLDER, `${page}.md`), 'utf8').replace(/<!--[^>]*-->\n+/g, '')

export const readSigningVectors = (): string => readFileSync(join(FOLDER, 'signing-vectors.json'), 'utf8')
