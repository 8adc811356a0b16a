import { PLACES } from '@ordbook/web-ui/routing/places.ts'
import { store, storedJson } from '@ordbook/web-ui/state/stored.ts'
import { MAX_ROWS, type Row } from './rows.ts'

const NAME = 'recent'

const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= 300

function rowOf(value: unknown): Row | null {
  const { key, name, to, params } = (value ?? {}) as Record<string, unknown>
  if (!isText(key) || !isText(name) || !isText(to) || !(to in PLACES)) return null
  if (typeof params !== 'object' || params === null || !Object.values(params).every(isText)) return null
  return { key, name, target: { to: to as keyof typeof PLACES, params: params as Record<string, string> } }
}

/** Pages opened from the palette, most recent first. */
export const recentRows = (): Row[] =>
  storedJson(NAME, (value) =>
    Array.isArray(value) ? value.map(rowOf).filter((row) => row !== null) : null,
  ) ?? []

export function keepRecent({ key, name, target: { to, params = {} } }: Row): void {
  const others = recentRows().filter((each) => each.key !== key)
  const kept = others.map((row) => ({ key: row.key, name: row.name, ...row.target }))
  store(NAME, JSON.stringify([{ key, name, to, params }, ...kept].slice(0, MAX_ROWS)))
}
