import { createStore } from '../../state/create-store.ts'
import type { SubjectItem } from './machine.ts'

/** A trade that this tab sent. The chain's part of its progress comes from the market, by its transaction. */
export interface Sent {
  txid: string
  title: string
  items: readonly SubjectItem[]
}

const NAME = 'sent-trades'
/** The trades that are kept, the newest last. */
const MOST = 20
const TXID = /^[0-9a-f]{64}$/
const GOES = new Set(['leaves', 'arrives', 'stays'])

/** The trades of a stored value; anything else in it is left out. */
export function sentIn(value: unknown): Sent[] {
  return Array.isArray(value) ? value.filter(isSent).slice(-MOST) : []
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
    // A browser that refuses storage keeps them until the page is left.
  }
  trades.set(next)
}

export const sentActions = {
  add: (sent: Sent) => keep([...trades.get().filter(({ txid }) => txid !== sent.txid), sent].slice(-MOST)),
  dismiss: (txid: string) => keep(trades.get().filter((each) => each.txid !== txid)),
}

/** The trades that this tab sent, the newest last. */
export const useSent = (): readonly Sent[] => trades.use()
