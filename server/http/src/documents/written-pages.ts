import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Pages of docs/reference that the server serves. The bundle has a copy. */
const WRITTEN = ['signing', 'transactions']
const FOLDER = join(
  import.meta.dirname,
  import.meta.filename.endsWith('.ts') ? '../../../../docs/reference' : 'reference',
)

export const isWritten = (page: string): boolean => WRITTEN.includes(page)

/** Returns a page as Markdown, without comments, and without the links to documents that are not served. */
export function readWritten(page: string, served: readonly string[]): string {
  const text = readFileSync(join(FOLDER, `${page}.md`), 'utf8').replace(/<!--[^>]*-->\n+/g, '')
  return text.replace(/\[([^\]]+)\]\(([^()\s]+)\)/g, (link: string, label: string, target: string) => {
    const [, name] = /^([\w-]+)\.md(?:#|$)/.exec(target) ?? []
    const isServed = name === undefined ? /^(#|https?:|[\w-]+\.json$)/.test(target) : served.includes(name)
    return isServed ? link : label
  })
}

export const readSigningVectors = (): string => readFileSync(join(FOLDER, 'signing-vectors.json'), 'utf8')
