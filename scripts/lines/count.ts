import { parseSync } from 'oxc-parser'

export const KINDS = ['TypeScript', 'SQL', 'shell', 'tests'] as const
export type Kind = (typeof KINDS)[number]

/** The kind of code in a file, by its path in the repository; null for everything else. Code that only tests use is of `tests`. */
export function kindOf(file: string): Kind | null {
  if (!/\.(tsx?|sql)$/.test(file) && !/^(\.ci|scripts|deploy)\/(.*\/)?[\w-]+$/.test(file)) return null
  if (/\.test\.tsx?$|^e2e\/|\/test\//.test(file)) return 'tests'
  return file.endsWith('.sql') ? 'SQL' : /\.tsx?$/.test(file) ? 'TypeScript' : 'shell'
}

/** The folder of a file's package; for a file of no package, the folder at the root. */
export const packageOf = (file: string, packages: readonly string[]): string =>
  packages.filter((folder) => file.startsWith(`${folder}/`)).sort((a, b) => b.length - a.length)[0] ??
  (file.includes('/') ? file.split('/')[0]! : '.')

/** The lines of a source that hold more than blanks and comments. */
export function codeLines(file: string, text: string): number {
  return withoutComments(file, text)
    .split('\n')
    .filter((line) => line.trim() !== '').length
}

function withoutComments(file: string, text: string): string {
  if (/\.tsx?$/.test(file)) {
    let kept = ''
    let at = 0
    for (const { start, end } of parseSync(file, text).comments) {
      kept += text.slice(at, start)
      at = end
    }
    return kept + text.slice(at)
  }
  if (file.endsWith('.sql'))
    return text.replace(/('(?:[^']|'')*')|--[^\n]*|\/\*[\s\S]*?\*\//g, (_, string = '') => string)
  return text.replace(/^\s*#.*$/gm, '')
}
