import type { OperationId } from '@ordbook/sdk/operations.ts'
import { useEffect, useSyncExternalStore } from 'react'
import { queries } from './client.ts'

/** What each kind of event makes untrue. */
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
  // What waits for a block: settlements, coins, places.
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
/** Events that come together are answered together. */
const GATHER_MILLISECONDS = 300

let connected = false
const watchers = new Set<() => void>()
const say = (now: boolean) => {
  if (connected === now) return
  connected = now
  for (const watcher of watchers) watcher()
}

/** Whether events are heard now. */
export const useLive = () =>
  useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    () => connected,
  )

/** Follows the market's live events and asks anew for what they touch; the browser resumes where it was cut off. */
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
