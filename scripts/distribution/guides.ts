import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Pages that the bundle contains, below `docs`. */
const SHIPPED: readonly string[] = [
  'README.md',
  'how-to/*.md',
  'tutorials/*.md',
  'explanation/**/*.md',
  'reference/*.{md,json}',
]

/** Returns the shipped pages of a documentation folder, relative to it. */
export const shippedPages = (docs: string): string[] =>
  SHIPPED.flatMap((pattern) => globSync(pattern, { cwd: docs }))

/** Returns the pages of the documentation that a text names. */
export const guidesIn = (text: string): string[] =>
  [...text.matchAll(/(?<![\w./-])(?:\/[\w/-]+\/)?docs\/[\w/-]+\.md/g)].map(([name]) => name)

/** Returns the pages that files of a package name, but that the package does not contain. `files` are relative to its root. */
export const missingGuides = (root: string, files: readonly string[]): string[] =>
  files.flatMap((file) =>
    guidesIn(readFileSync(join(root, file), 'utf8'))
      .filter((name) => !name.startsWith('/') || !existsSync(join(root, name)))
      .map((name) => `${file}: ${name}`),
  )
