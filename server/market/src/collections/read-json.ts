import { readFileSync } from 'node:fs'

/** A parsed file. `converted` describes how its bytes differ from plain UTF-8, or is null. */
export type ReadJson = { value: unknown; converted: string | null } | { missing: true } | { invalid: string }

/** Reads a JSON file. Accepts a byte order mark, UTF-16 with a byte order mark, and invalid UTF-8. */
export function readJson(path: string): ReadJson {
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT' ? { missing: true } : { invalid: `cannot be read (${code})` }
  }
  return parseJson(bytes)
}

/** Parses the bytes of a JSON file. */
export function parseJson(bytes: Buffer): Exclude<ReadJson, { missing: true }> {
  const { text, converted } = decode(bytes)
  if (text.trim() === '') return { invalid: 'is empty' }
  try {
    return { value: JSON.parse(text), converted }
  } catch (error) {
    return { invalid: `is not JSON: ${error instanceof Error ? error.message : 'unknown'}` }
  }
}

function decode(bytes: Buffer): { text: string; converted: string | null } {
  const [first, second, third] = bytes
  const as = (encoding: string) => new TextDecoder(encoding).decode(bytes)
  if (first === 0xff && second === 0xfe) return { text: as('utf-16le'), converted: 'is UTF-16' }
  if (first === 0xfe && second === 0xff) return { text: as('utf-16be'), converted: 'is UTF-16' }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    const hasMark = first === 0xef && second === 0xbb && third === 0xbf
    return { text, converted: hasMark ? 'begins with a byte order mark' : null }
  } catch {
    return { text: as('utf-8'), converted: 'contains bytes that are not UTF-8' }
  }
}
