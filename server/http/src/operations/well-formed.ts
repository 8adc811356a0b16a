/** Returns false if a string in a JSON value has an unpaired surrogate, which PostgreSQL cannot store. */
export function isWellFormed(value: unknown): boolean {
  const pending = [value]
  while (pending.length > 0) {
    const next = pending.pop()
    if (typeof next === 'string' && !next.isWellFormed()) return false
    if (typeof next === 'object' && next !== null)
      for (const member of Object.values(next)) pending.push(member)
  }
  return true
}
