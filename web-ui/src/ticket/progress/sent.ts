import { createStore } from '../../state/create-store.ts'
import type { SubjectItem } from './machine.ts'

/** A trade sent from this tab. */
export interface Sent {
  txid: string
  title: string
  items: readonly SubjectItem[]
}

const NAME = 'sent-trades'
const MAX_TRADES = 20
const TXID = /^[0-9a-f]{64}$/
const GOES = new Set(['leaves', 'arrives', 'stays'])

/** Parses stored trades; drops invalid ones. */
export function sentIn(value: unknown): Sent[] {
  return Array.isArray(value) ? value.filter(isSent).slice(-MAX_TRADES) : []
}

function isSent(value: unknown): value is Sent {
  if (typeof value !== 'object' || value === null) return false
  const { txid, title, items }: Partial<Record<keyof Sent, unknown>> = value
  return (
    typeof txid === 'string' &&
    TXID.test(txid) &&
    typeof title === 'string' &&
    Array.isArray(items) &&
    items.every(isItem)
  )
}

function isItem(value: unknown): value is SubjectItem {
  if (typeof value !== 'object' || value === null) return false
  const { inscriptionId, name, goes }: Partial<Record<keyof SubjectItem, unknown>> = value
  return typeof inscriptionId === 'string' && typeof name === 'string' && GOES.has(String(goes))
}

function read(): Sent[] {
  try {
    return sentIn(JSON.parse(sessionStorage.getItem(NAME) ?? 'null'))
  } catch {
    return []
  }
}

const trades = createStore<readonly Sent[]>(read())

function keep(next: readonly Sent[]): void {
  try {
    sessionStorage.setItem(NAME, JSON.stringify(next))
  } catch {
    // Without storage, trades last until the page is unloaded.
  }
  trades.set(next)
}

export const sentActions = {
  add: (sent: Sent) =>
    keep([...trades.get().filter(({ txid }) => txid !== sent.txid), sent].slice(-MAX_TRADES)),
  dismiss: (txid: string) => keep(trades.get().filter((each) => each.txid !== txid)),
}

/** Trades sent from this tab, oldest first. */
export const useSent = (): readonly Sent[] => trades.use()
