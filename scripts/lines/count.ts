import { parseSync } from 'oxc-parser'

export const KINDS = ['TypeScript', 'SQL', 'shell', 'tests'] as const
export type Kind = (typeof KINDS)[number]

/** Returns the kind of code in a file by its path, or null. Code used only by tests counts as `tests`. */
export function kindOf(file: string): Kind | null {
  if (!/\.(tsx?|sql)$/.test(file) && !/^(\.ci|scripts|deploy)\/(.*\/)?[\w-]+$/.test(file)) return null
  if (/\.test\.tsx?$|^e2e\/|\/test\//.test(file)) return 'tests'
  return file.endsWith('.sql') ? 'SQL' : /\.tsx?$/.test(file) ? 'TypeScript' : 'shell'
}

/** Returns the folder of a file's package, or its top-level folder. */
export const packageOf = (file: string, packages: readonly string[]): string =>
  packages.filter((folder) => file.startsWith(`${folder}/`)).sort((a, b) => b.length - a.length)[0] ??
  (file.includes('/') ? file.split('/')[0]! : '.')

/** Counts lines that are neither blank nor comments. */
export function codeLines(file: string, text: string): number {
  return withoutComments(file, text)
    .split('\n')
    .filter((line) => line.trim() !== '').length
}

function withoutComments(file: string, text: string): string {
  if (/\.tsx?$/.test(file)) {
    let code = ''
    let at = 0
    for (const { start, end } of parseSync(file, text).comments) {
      code += text.slice(at, start)
      at = end
    }
    return code + text.slice(at)
  }
  if (file.endsWith('.sql'))
    return text.replace(/('(?:[^']|'')*')|--[^\n]*|\/\*[\s\S]*?\*\//g, (_, string = '') => string)
  return text.replace(/^\s*#.*$/gm, '')
}
