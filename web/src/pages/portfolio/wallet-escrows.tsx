import type { Answer } from '@ordbook/sdk/operations.ts'
import { usePages, useRead } from '@ordbook/web-ui/api/client.ts'
import { shortId } from '@ordbook/web-ui/format/format.ts'
import { Badge, Copyable, Empty, Loaded, More, Price, Time } from '@ordbook/web-ui/ui/basics.tsx'
import { CollectionName } from '@ordbook/web-ui/ui/collection-name.tsx'
import { Media } from '@ordbook/web-ui/ui/media/media.tsx'
import { InscriptionLink } from '../parts/links.tsx'
import { type Escrow, EscrowBar } from './escrow-bar.tsx'
import { useChosen } from './use-chosen.ts'

/** Page size, limited by `listItems`. */
const PAGE = 20

const keyOf = ({ txid, vout }: Escrow) => `${txid}:${vout}`

export function WalletEscrows() {
  const found = usePages('listMyEscrows', { query: { limit: PAGE } })
  const { chosen, toggle, clear } = useChosen()
  return (
    <Loaded of={found} what="Loading your escrows">
      {({ pages }) => {
        const escrows = pages.flatMap((page) => page.escrows)
        if (escrows.length === 0)
          return (
            <Empty title="No items in escrow">
              An item appears here only if it moved to escrow for a sale that did not complete.
            </Empty>
          )
        return (
          <div className="grid gap-4">
            <p className="max-w-prose text-sm text-soft">
              These items are yours. They moved to escrow for a sale that did not complete. Sell them from
              escrow, or withdraw them.
            </p>
            <EscrowBar picked={escrows.filter((escrow) => chosen.has(keyOf(escrow)))} onDone={clear} />
            <ul className="panel divide-y divide-line">
              {pages.map((page) => (
                <EscrowRows
                  key={page.escrows[0] && keyOf(page.escrows[0])}
                  {...page}
                  chosen={chosen}
                  toggle={toggle}
                />
              ))}
            </ul>
            <More of={found} />
          </div>
        )
      }}
    </Loaded>
  )
}

function EscrowRows({
  escrows,
  chosen,
  toggle,
}: {
  escrows: readonly Escrow[]
  chosen: ReadonlySet<string>
  toggle: (id: string) => void
}) {
  const inscriptionIds = escrows.map((escrow) => escrow.inscriptionIds[0]).join(',')
  const named = useRead('listItems', { query: { inscriptionIds } }, { enabled: escrows.length > 0 })
  const items = new Map(named.data?.items.map((item) => [item.inscriptionId, item]))
  return escrows.map((escrow) => (
    <EscrowRow
      key={keyOf(escrow)}
      escrow={escrow}
      item={items.get(escrow.inscriptionIds[0]!)}
      chosen={chosen.has(keyOf(escrow))}
      onChoose={() => toggle(keyOf(escrow))}
    />
  ))
}

function EscrowRow({
  escrow,
  item,
  chosen,
  onChoose,
}: {
  escrow: Escrow
  item: Answer<'listItems'>['items'][number] | undefined
  chosen: boolean
  onChoose: () => void
}) {
  const [id, ...others] = escrow.inscriptionIds as [string, ...string[]]
  const name = item?.name ?? shortId(id)
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3 text-sm">
      <label className="flex size-6 items-center justify-center">
        <input type="checkbox" checked={chosen} onChange={onChoose} className="size-4 accent-accent" />
        <span className="sr-only">Choose {name}</span>
      </label>
      <span className="w-12 overflow-hidden rounded">
        {item && <Media id={id} contentType={item.contentType} name="" hint={item.imageRenderingHint} />}
      </span>
      <span className="grid min-w-40 flex-1">
        <InscriptionLink id={id} name={name} className="font-medium hover:underline" />
        <span className="flex items-center gap-1 text-xs text-soft">
          {item && <CollectionName of={item} />}
          {others.length > 0 && `with ${others.length} more in the same coin`}
        </span>
        <span className="text-xs text-soft">
          {escrow.escrowForm === 'wallet'
            ? 'Your wallet can exit without the market.'
            : 'Withdraw with the market, or exit with your private key.'}
        </span>
      </span>
      <span className="ml-auto grid justify-items-end gap-1">
        <EscrowState escrow={escrow} />
        <span className="text-xs text-soft">
          since <Time at={escrow.since} />
        </span>
      </span>
    </li>
  )
}

const LEAVING = {
  settlement: 'Sale pending',
  reclaim: 'Withdrawing',
  recovery: 'Withdrawing',
  move: 'Moving to a new escrow',
  exit: 'Exiting',
}

/** Listing price, or the transaction that withdraws the inscription. */
function EscrowState({ escrow: { state, listing, pending } }: { escrow: Escrow }) {
  if (pending)
    return (
      <>
        <Badge tone="lamp">{LEAVING[pending.kind]}</Badge>
        <Copyable text={pending.txid} shown={shortId(pending.txid)} what="transaction id" />
      </>
    )
  if (state === 'unconfirmed') return <Badge>Waiting for a block</Badge>
  if (listing)
    return (
      <Badge tone="lamp">
        For sale at <Price sats={listing.priceSats} />
      </Badge>
    )
  return <Badge>In escrow, not for sale</Badge>
}
