import type { OperationId } from '@ordbook/sdk/operations.ts'
import { useEffect, useSyncExternalStore } from 'react'
import { queries } from './client.ts'

/** The reads that each kind of event makes stale. */
const TOUCHES: Record<string, OperationId[]> = {
  listing: [
    'listMyEscrows',
    'browseItems',
    'getInscription',
    'listActivity',
    'listHoldings',
    'listListings',
    'getCollection',
  ],
  sale: [
    'listMyEscrows',
    'browseItems',
    'getInscription',
    'listActivity',
    'listHoldings',
    'listSales',
    'getCollectionHistory',
    'listCoins',
  ],
  offer: ['listInscriptionOffers', 'listMyOffers', 'listHoldings', 'getBestBid'],
  collection_offer: [
    'listCollectionOfferBook',
    'listMySentCollectionOffers',
    'getCollection',
    'listMyOffers',
    'getBestBid',
  ],
  proposal: [
    'listTradeProposals',
    'getProposal',
    'listOwnProposals',
    'listMatchingProposals',
    'listAcceptances',
    'listHoldings',
  ],
  floor: ['browseCollections', 'getCollection', 'getCollectionHistory'],
  // Settlements, coins and locations change with a block.
  block: [
    'listAcceptances',
    'listCoins',
    'listHoldings',
    'listMyEscrows',
    'listCarries',
    'getInscription',
    'getStatus',
  ],
}
/** Events within this time cause one round of reads. */
const GATHER_MILLISECONDS = 300

let connected = false
const watchers = new Set<() => void>()
const say = (now: boolean) => {
  if (connected === now) return
  connected = now
  for (const watcher of watchers) watcher()
}

/** Whether the event stream is connected. */
export const useLive = () =>
  useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    () => connected,
  )

/** Subscribes to the market's events and reads again whatever they touch; the browser resumes a broken stream by itself. */
export function useLiveEvents(): void {
  useEffect(() => {
    const stale = new Set<string>()
    let timer: ReturnType<typeof setTimeout> | undefined
    const flush = () => {
      timer = undefined
      const touched = new Set(stale)
      stale.clear()
      void queries.invalidateQueries({ predicate: ({ queryKey }) => touched.has(String(queryKey[0])) })
    }
    const source = new EventSource('/events')
    source.onopen = () => say(true)
    source.onerror = () => say(false)
    source.addEventListener('reset', () => void queries.invalidateQueries())
    for (const [kind, ids] of Object.entries(TOUCHES))
      source.addEventListener(kind, () => {
        for (const id of ids) stale.add(id)
        timer ??= setTimeout(flush, GATHER_MILLISECONDS)
      })
    return () => {
      source.close()
      clearTimeout(timer)
      say(false)
    }
  }, [])
}
