const MAX_CHARACTERS = 300
const MAX_DEPTH = 4

/**
 * Returns the message of a value that a wallet threw or returned: a string, its `message`, `error`, `reason`, `data` or `issues`, or the
 * messages of a list; otherwise an empty string.
 */
export function messageOf(error: unknown): string {
  return textIn(error, 0).slice(0, MAX_CHARACTERS)
}

function textIn(value: unknown, depth: number): string {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return ''
  if (Array.isArray(value))
    return [...new Set(value.slice(0, 10).map((each) => textIn(each, depth + 1)))].filter(Boolean).join('; ')
  for (const name of ['message', 'error', 'reason', 'data', 'issues']) {
    const text = textIn(Reflect.get(value, name), depth + 1)
    if (text) return text
  }
  return ''
}
