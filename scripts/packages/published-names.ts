import { readSource } from '../imports/read.ts'

/**
 * A compiled module or declaration with each `.ts` in its imports replaced: `./sats.ts` becomes `./sats.js`, and
 * `@ordbook/bitcoin/sats.ts` becomes `@ordbook/bitcoin/sats`, as packages of others name it. The compiler does the first alone, and
 * leaves declarations as they are.
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
