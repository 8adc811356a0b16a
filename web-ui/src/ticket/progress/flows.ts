import type { Answer } from '@ordbook/sdk/operations.ts'
import { useQueries } from '@tanstack/react-query'
import { client } from '../../api/client.ts'
import { createStore } from '../../state/create-store.ts'
import { type Flow, flowOfSent, flowOfTicket } from './flow.ts'
import { sentActions, useSent } from './sent.ts'
import { isDecided } from './steps.ts'
import { ticketActions, useProgress } from './tickets.ts'

type Settlement = Answer<'getSettlement'>

/** Keys of failed or cancelled actions whose message the page shows. */
export const shownHere = createStore<ReadonlySet<string>>(new Set())

const POLL_MILLISECONDS = 20_000

/** All actions of this tab that have not left the list, oldest first. Polls sent trades until their state is final. */
export function useFlows(): readonly Flow[] {
  const sent = useSent()
  const settlements = useQueries({
    queries: sent.map(({ txid }) => ({
      queryKey: ['getSettlement', { params: { txid } }],
      queryFn: () => client.call('getSettlement', { params: { txid } }),
      refetchInterval: POLL_MILLISECONDS,
      enabled: ({ state: { data } }: { state: { data: Settlement | undefined } }) =>
        !data || !isDecided(data),
    })),
  })
  const tickets = useProgress()
  return [...sent.map((each, n) => flowOfSent(each, settlements[n]?.data)), ...tickets.map(flowOfTicket)]
}

/** Removes an action that ended from the list. The message of a cancelled one stays in its ticket. */
export function leave({ key, txid, state }: Flow): void {
  if (txid !== null) sentActions.dismiss(txid)
  else if (state === 'cancelled') ticketActions.hide(key)
  else ticketActions.close(key)
}
