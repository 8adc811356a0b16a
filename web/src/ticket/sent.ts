import { useSyncExternalStore } from 'react'
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

let trades: readonly Sent[] = read()
const watchers = new Set<() => void>()

function keep(next: readonly Sent[]): void {
  trades = next
  try {
    sessionStorage.setItem(NAME, JSON.stringify(next))
  } catch {
    // A browser that refuses storage keeps them until the page is left.
  }
  for (const watcher of watchers) watcher()
}

export const sentActions = {
  add: (sent: Sent) => keep([...trades.filter(({ txid }) => txid !== sent.txid), sent].slice(-MOST)),
  dismiss: (txid: string) => keep(trades.filter((each) => each.txid !== txid)),
}

const subscribe = (watcher: () => void) => {
  watchers.add(watcher)
  return () => {
    watchers.delete(watcher)
  }
}

/** The trades that this tab sent, the newest last. */
export const useSent = (): readonly Sent[] => useSyncExternalStore(subscribe, () => trades)
