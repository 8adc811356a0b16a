import { store, storedJson } from '@ordbook/web-ui/state/stored.ts'
import { useState } from 'react'

/** Costs that the owner entered, in sats, by inscription id. */
export type TypedCosts = Readonly<Record<string, number>>

const KEY = 'costs'
const MAX_COSTS = 5000
const MAX_SATS = 2_100_000_000_000_000

const isCost = (sats: unknown): sats is number =>
  typeof sats === 'number' && Number.isSafeInteger(sats) && sats >= 0 && sats <= MAX_SATS

export function costsIn(value: unknown): TypedCosts {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {}
  const costs = Object.entries(value).filter(
    (entry): entry is [string, number] => /^[0-9a-f]{64}i\d{1,10}$/.test(entry[0]) && isCost(entry[1]),
  )
  return Object.fromEntries(costs.slice(-MAX_COSTS))
}

/** Returns the entered costs and a setter. Null removes a cost. */
export function useTypedCosts(): [TypedCosts, (inscriptionId: string, sats: number | null) => void] {
  const [costs, setCosts] = useState<TypedCosts>(() => storedJson(KEY, costsIn) ?? {})
  const type = (inscriptionId: string, sats: number | null) => {
    const { [inscriptionId]: _, ...others } = costs
    const next = sats === null ? others : { ...others, [inscriptionId]: sats }
    store(KEY, JSON.stringify(next))
    setCosts(next)
  }
  return [costs, type]
}
