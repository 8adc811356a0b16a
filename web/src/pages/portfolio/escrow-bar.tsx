import type { Answer } from '@ordbook/sdk/operations.ts'
import { useRead } from '@ordbook/web-ui/api/client.ts'
import { useAct } from '@ordbook/web-ui/signing/act.tsx'
import type * as Trades from '@ordbook/web-ui/signing/trades.ts'
import { itemsNamed } from '@ordbook/web-ui/strings/items-named.ts'
import { Button } from '@ordbook/web-ui/ui/basics.tsx'
import { Sheet } from '@ordbook/web-ui/ui/sheet.tsx'
import { useState } from 'react'
import { ListForm } from '../forms/list-form.tsx'

export type Escrow = Answer<'listMyEscrows'>['escrows'][number]
type Action = Escrow['actions'][number]

/** Escrows that allow an action here. Escrows of the published form cannot exit with a wallet. */
const fit = (escrows: readonly Escrow[], action: Action) =>
  escrows.filter(
    (each) => each.actions.includes(action) && (action !== 'exit' || each.escrowForm === 'wallet'),
  )

/** Most escrows per operation. */
const MAX_AT_ONCE = 20

/** Actions on the selected escrows; each applies to those that allow it. */
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
      return `${done} in ${await send(trades, trading, fit(picked, action))}.`
    })
    if (isDone) onDone()
  }
  const button = (action: Action, one: string, several: (count: number) => string, onClick: () => void) => {
    const { length } = fit(picked, action)
    if (length === 0 || length > MAX_AT_ONCE) return null
    return (
      <Button disabled={busy !== null} onClick={onClick} kind={action === 'relist' ? 'main' : 'plain'}>
        {length === 1 ? one : several(length)}
      </Button>
    )
  }
  return (
    <div className="flex flex-wrap items-center gap-2" aria-live="polite">
      <span className="text-sm text-soft">
        {picked.length === 0 ? 'Choose one or several to act on them.' : `${picked.length} chosen`}
        {picked.length > MAX_AT_ONCE && `, at most ${MAX_AT_ONCE} go together`}
      </span>
      {button(
        'relist',
        'Set the price',
        (count) => `Set ${count} prices`,
        () => setListing(fit(picked, 'relist')),
      )}
      {button(
        'reclaim',
        'Take it back',
        (count) => `Take ${count} back`,
        () =>
          void act(
            'Taking back',
            'reclaim',
            (trades, ...rest) => trades.reclaimItems(...rest),
            'On the way to your address',
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
            'On the way to a new escrow',
          ),
      )}
      {button(
        'exit',
        'Exit without the market',
        (count) => `Exit without the market with ${count}`,
        () =>
          void act(
            'Leaving escrow',
            'exit',
            (trades, ...rest) => trades.leaveEscrow(...rest),
            'On the way to your address',
          ),
      )}
      {listing && <PriceDialog escrows={listing} onClose={() => setListing(null)} onDone={onDone} />}
    </div>
  )
}

const LISTING = 'list escrows'

/** Sheet to price and list inscriptions in escrow. */
function PriceDialog({
  escrows,
  onClose,
  onDone,
}: {
  escrows: readonly Escrow[]
  onClose: () => void
  onDone: () => void
}) {
  const inscriptionIds = escrows.map((each) => each.inscriptionIds[0]).join(',')
  const named = useRead('listItems', { query: { inscriptionIds } })
  const items = (named.data?.items ?? []).map(
    ({ inscriptionId, name, collectionSlug, collectionFloorSats: floorSats, sellerRoyaltyBps }) => ({
      inscriptionId,
      inscriptionIds: escrows.find((each) => each.inscriptionIds[0] === inscriptionId)!.inscriptionIds,
      name,
      slug: collectionSlug,
      floorSats,
      royaltyBps: sellerRoyaltyBps ?? 0,
      isInEscrow: true,
    }),
  )
  const { busy } = useAct(LISTING)
  if (items.length === 0 || busy !== null) return null
  return (
    <Sheet open title={`List ${itemsNamed(items)}`} onClose={onClose}>
      <ListForm
        subject={LISTING}
        items={items}
        list={(trades, trading, wishes, days) => trades.relistItems(trading, wishes, days)}
        onDone={() => {
          onClose()
          onDone()
        }}
      />
    </Sheet>
  )
}
