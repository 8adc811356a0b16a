import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'

/** Seeded random numbers below a limit. */
export type Random = (below: number) => number

export function randomFrom(seed: number): Random {
  let state = seed | 0 || 1
  return (below) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % below
  }
}

const NUMBERS = [-1, 0, 1, 0.5, 329, 330, 331, 1e9, 2.1e15, 2.1e15 + 1, 2 ** 31, 2 ** 32, 2 ** 53, 1e308, -0]
const TEXTS = [
  '',
  '0',
  '330',
  '999',
  '1e9',
  '0x14a',
  'NaN',
  'tail',
  'p2wpkh',
  'wallet',
  '__proto__',
  '00'.repeat(32),
]
const NAMES = ['__proto__', 'constructor', 'toString', 'hex', 'length', 'valueSats', 'signer', 'feeSats']

/** Defines a property with any name, including `__proto__`, like JSON.parse. */
const defineOwn = (holder: object, name: string, value: unknown) =>
  Object.defineProperty(holder, name, { value, enumerable: true, configurable: true, writable: true })

/** Returns every nested property as its holder and key. */
function placesOf(value: unknown, places: [holder: any, key: string | number][] = []) {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return places
  for (const key of Object.keys(value)) {
    places.push([value, Array.isArray(value) ? Number(key) : key])
    placesOf((value as Record<string, unknown>)[key], places)
  }
  return places
}

/**
 * Returns a copy of a request with one to three errors: wrong types, numbers out of bounds, missing, duplicate or unknown fields, wrong
 * lengths, and plausible values from the request or from `others`.
 */
export function mutated(request: unknown, random: Random, others: readonly unknown[]): unknown {
  const root = { request: structuredClone(request) }
  for (let n = 1 + random(3); n > 0; n--) {
    const places = placesOf(root)
    if (places.length === 0) break
    const [holder, key] = places[random(places.length)]!
    const before = holder[key]
    const pick = <T>(all: readonly T[]): T => all[random(all.length)]!
    const otherValue = () => {
      const all = placesOf({ root, other: pick(others) }).map(([from, at]) => from[at])
      const alike = all.filter(
        (each) => typeof each === typeof before && Array.isArray(each) === Array.isArray(before),
      )
      return structuredClone(pick(alike.length > 0 ? alike : all))
    }
    const kinds: (() => void)[] = [
      () => (holder[key] = typeof before === 'number' ? before + random(3) - 1 : pick(NUMBERS)),
      () => (holder[key] = typeof before === 'number' ? String(before) : pick(TEXTS)),
      () => (holder[key] = typeof before === 'number' ? before * pick([2, 10, 1000]) : otherValue()),
      () => (holder[key] = pick(NUMBERS)),
      () => (holder[key] = otherValue()),
      () => (holder[key] = otherValue()),
      () => (holder[key] = pick([null, true, [], {}, [before], { hex: '00' }, { length: 1, 0: before }])),
      () => (Array.isArray(holder) ? holder.splice(Number(key), 1) : delete holder[key]),
      () =>
        Array.isArray(holder) ? holder.push(structuredClone(before)) : defineOwn(holder, pick(NAMES), before),
      () => {
        if (!(before instanceof Uint8Array)) return
        if (random(2) === 0) before[random(before.length || 1)]! ^= 1 << random(8)
        else holder[key] = before.slice(0, random(before.length + 1))
      },
      () => {
        if (before instanceof Uint8Array) holder[key] = bytesToHex(before)
        else if (Array.isArray(before)) before.reverse()
      },
    ]
    pick(kinds)()
  }
  return root.request
}

/** Returns a truncated, duplicated or reordered message. */
export function garbled(text: string, random: Random): string {
  const at = random(text.length)
  const to = at + random(Math.min(40, text.length - at) + 1)
  return [
    text.slice(0, at),
    text.slice(0, at) + text.slice(to),
    text.slice(0, to) + text.slice(at),
    `${text}${text}`,
    `${'['.repeat(1 + random(20_000))}${text}`,
    text.replace(/"/g, (quote) => (random(50) === 0 ? '' : quote)),
    text.replace(/\d+/g, (digits) => (random(10) === 0 ? `${digits}${'0'.repeat(random(20))}` : digits)),
  ][random(7)]!
}
