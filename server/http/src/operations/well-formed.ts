/** Whether no string in a JSON value has an unpaired surrogate, which PostgreSQL cannot store. */
export function isWellFormed(value: unknown): boolean {
  const left = [value]
  while (left.length > 0) {
    const each = left.pop()
    if (typeof each === 'string' && !each.isWellFormed()) return false
    if (typeof each === 'object' && each !== null) for (const member of Object.values(each)) left.push(member)
  }
  return true
}
