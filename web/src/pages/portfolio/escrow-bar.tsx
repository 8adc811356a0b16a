import type { Answer } from '@ordbook/sdk/operations.ts'
import { useRead } from '@ordbook/web-ui/api/client.ts'
import { useAct } from '@ordbook/web-ui/signing/act.tsx'
import type * as Trades from '@ordbook/web-ui/signing/trades.ts'
import { itemsNamed } from '@ordbook/web-ui/strings/items-named.ts'
import { ticketActions } from '@ordbook/web-ui/ticket/progress/tickets.ts'
import { Button } from '@ordbook/web-ui/ui/basics.tsx'
import { Sheet } from '@ordbook/web-ui/ui/sheet.tsx'
import { useState } from 'react'
import { Batch } from '../batch/batch.tsx'
import { NO_PRICES } from '../forms/priced.ts'
import type { Known } from './listing-rows.ts'
import { useReferences } from './use-references.ts'

export type Escrow = Answer<'listMyEscrows'>['escrows'][number]
type Action = Escrow['actions'][number]

/** Escrows of the published form cannot exit with a wallet. */
const allowing = (escrows: readonly Escrow[], action: Action) =>
  escrows.filter(
    (escrow) => escrow.actions.includes(action) && (action !== 'exit' || escrow.escrowForm === 'wallet'),
  )

const MAX_AT_ONCE = 20

/** Actions on the selected escrows that allow them. */
export function EscrowBar({ picked, onDone }: { picked: readonly Escrow[]; onDone: () => void }) {
  const { run, busy } = useAct('escrows')
  const [listing, setListing] = useState<readonly Escrow[] | null>(null)
  const act = async (
    what: string,
    action: Action,
    send: (trades: typeof Trades, trading: Trades.Trading, escrows: readonly Escrow[]) => Promise<string>,
    done: string,
  ) => {
    const isDone = await run(what, async (trades, trading) => {
      return `${done} in ${await send(trades, trading, allowing(picked, action))}.`
    })
    if (isDone) onDone()
  }
  const button = (action: Action, one: string, several: (count: number) => string, onClick: () => void) => {
    const { length } = allowing(picked, action)
    if (length === 0 || length > MAX_AT_ONCE) return null
    return (
      <Button disabled={busy !== null} onClick={onClick} kind={action === 'relist' ? 'main' : 'plain'}>
        {length === 1 ? one : several(length)}
      </Button>
    )
  }
  const setPrices = () => {
    const escrows = allowing(picked, 'relist')
    choosePrices(escrows)
    setListing(escrows)
  }
  return (
    <div className="flex flex-wrap items-center gap-2" aria-live="polite">
      <span className="text-sm text-soft">
        {picked.length === 0 ? 'Choose items to set prices or withdraw.' : `${picked.length} chosen`}
        {picked.length > MAX_AT_ONCE && `, at most ${MAX_AT_ONCE} per transaction`}
      </span>
      {button('relist', 'Set the price', (count) => `Set ${count} prices`, setPrices)}
      {button(
        'reclaim',
        'Withdraw',
        (count) => `Withdraw ${count}`,
        () =>
          void act(
            'Withdrawing',
            'reclaim',
            (trades, ...rest) => trades.reclaimItems(...rest),
            'Sent to your address',
          ),
      )}
      {button(
        'move',
        'End old prices on chain',
        (count) => `End old prices of ${count} on chain`,
        () =>
          void act(
            'Moving to a new escrow',
            'move',
            (trades, ...rest) => trades.moveItems(...rest),
            'Sent to a new escrow',
          ),
      )}
      {button(
        'exit',
        'Exit without the market',
        (count) => `Exit with ${count} without the market`,
        () =>
          void act(
            'Exiting escrow',
            'exit',
            (trades, ...rest) => trades.leaveEscrow(...rest),
            'Sent to your address',
          ),
      )}
      {listing && <PriceDialog escrows={listing} onClose={() => setListing(null)} onDone={onDone} />}
    </div>
  )
}

const LISTING = 'list escrows'

/** Chooses all items in the batch that is opened next. */
const choosePrices = (escrows: readonly Escrow[]) =>
  ticketActions.edit(LISTING, {
    ...NO_PRICES,
    chosen: escrows.map(({ inscriptionIds }) => inscriptionIds[0]),
  })

function PriceDialog({
  escrows,
  onClose,
  onDone,
}: {
  escrows: readonly Escrow[]
  onClose: () => void
  onDone: () => void
}) {
  const inscriptionIds = escrows.map((escrow) => escrow.inscriptionIds[0]).join(',')
  const named = useRead('listItems', { query: { inscriptionIds } })
  const escrowOf = new Map(escrows.map((escrow) => [escrow.inscriptionIds[0]!, escrow]))
  const known = (named.data?.items ?? []).flatMap(({ collectionSlug: slug, ...item }): Known[] => {
    const listedSats = escrowOf.get(item.inscriptionId)?.listing?.priceSats ?? null
    if (slug === null) return []
    const floorSats = item.collectionFloorSats
    const state = {
      listingId: null,
      listedSats,
      listedReceiveSats: null,
      startSats: listedSats,
      status: null,
      isLocked: false,
    }
    return [{ ...item, ...state, slug, floorSats, isInEscrow: true }]
  })
  const rows = useReferences(known)
  const { busy } = useAct(LISTING)
  if (rows.length === 0 || busy !== null) return null
  return (
    <Sheet open title={`List ${itemsNamed(rows)}`} width={1200} onClose={onClose}>
      <Batch
        subject={LISTING}
        rows={rows}
        isInSheet
        list={(trades, trading, inputs, days, quotes) =>
          trades.relistItems(
            trading,
            inputs.map((input) => ({
              ...input,
              inscriptionIds: escrowOf.get(input.inscriptionId)!.inscriptionIds,
            })),
            days,
            quotes,
          )
        }
        onDone={() => {
          onClose()
          onDone()
        }}
      />
    </Sheet>
  )
}
