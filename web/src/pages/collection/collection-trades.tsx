import { usePages } from '@ordbook/web-ui/api/client.ts'
import { Link } from '@ordbook/web-ui/routing/routing.tsx'
import { trades as words } from '@ordbook/web-ui/strings/collection-tabs.ts'
import { BUTTON, Empty, KINDS } from '@ordbook/web-ui/ui/basics.tsx'
import { LoadedList } from '@ordbook/web-ui/ui/loaded-list.tsx'
import { ProposalLines } from '../trade/proposal-line.tsx'

/** Open proposals that offer or request items of a collection. */
export function CollectionTrades({ slug }: { slug: string }) {
  const found = usePages('listTradeProposals', { query: { collectionSlug: slug } })
  const propose = (
    <Link to="/trades/new" search={{ with: slug }} className={`${BUTTON} ${KINDS.plain}`}>
      {words.propose}
    </Link>
  )
  return (
    <LoadedList
      of={found}
      rows={(page) => page.proposals}
      empty={<Empty title={words.none}>{propose}</Empty>}
    >
      {(proposals) => (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
          <div className="flex flex-wrap items-center justify-between gap-3">
            <p className="text-soft">{words.why}</p>
            {propose}
          </div>
          <ProposalLines proposals={proposals} />
        </div>
      )}
    </LoadedList>
  )
}
