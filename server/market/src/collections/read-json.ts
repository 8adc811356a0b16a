import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'

/** A parsed file. `converted` describes how its bytes differ from plain UTF-8, or is null. */
export type ReadJson = { value: unknown; converted: string | null } | { missing: true } | { invalid: string }

/** Longer texts do not fit into a string of V8. */
const MAX_BYTES = 500_000_000

/** Reads a JSON file of at most 500 MB. Accepts a byte order mark, UTF-16 with a byte order mark, and invalid UTF-8. */
export function readJson(path: string): ReadJson {
  try {
    const bytes = readFile(path)
    return typeof bytes === 'string' ? { invalid: bytes } : parseJson(bytes)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT' ? { missing: true } : { invalid: `cannot be read (${code})` }
  }
}

/** Returns the bytes of a regular file, or why they are not read. Reading a pipe or device might never end. */
function readFile(path: string): Buffer | string {
  const handle = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const file = fstatSync(handle)
    if (!file.isFile()) return 'is not a file'
    if (file.size > MAX_BYTES) return `is larger than ${MAX_BYTES / 1_000_000} MB`
    const bytes = Buffer.alloc(file.size)
    let length = 0
    for (let read = -1; length < bytes.length && read !== 0; length += read)
      read = readSync(handle, bytes, length, bytes.length - length, null)
    return bytes.subarray(0, length)
  } finally {
    closeSync(handle)
  }
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
