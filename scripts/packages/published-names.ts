import { readSource } from '../imports/read.ts'

/**
 * Replaces `.ts` in the imports of a compiled module or declaration: `./sats.ts` becomes `./sats.js`, and `@ordbook/bitcoin/sats.ts`
 * becomes `@ordbook/bitcoin/sats`, the published name. The compiler rewrites only the former, and only in modules.
 */
export function withPublishedNames(file: string, text: string): string {
  let written = ''
  let at = 0
  const spans = readSource(file, text).imports.filter(({ target }) => /^(\.|@ordbook\/).*\.ts$/.test(target))
  for (const { target, span } of spans.sort((a, b) => a.span[0] - b.span[0])) {
    const name = target.replace(/\.ts$/, target.startsWith('.') ? '.js' : '')
    written += `${text.slice(at, span[0])}'${name}'`
    at = span[1]
  }
  return written + text.slice(at)
}
