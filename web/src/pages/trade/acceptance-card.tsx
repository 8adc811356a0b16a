import type { Answer } from '@ordbook/sdk/operations.ts'
import { shortAddress } from '@ordbook/web-ui/format/format.ts'
import { Link } from '@ordbook/web-ui/routing/routing.tsx'
import { swap as words } from '@ordbook/web-ui/strings/swap.ts'
import { BUTTON, KINDS, Time } from '@ordbook/web-ui/ui/basics.tsx'
import { SwapIcon } from '@ordbook/web-ui/ui/icons.tsx'
import { TurnLine } from '../parts/turn-line.tsx'
import { SmallTiles } from './boards/trade-board.tsx'
import { useBoardItems } from './boards/use-board-items.ts'
import { type TradeTurn, tradeTurnOf, type Viewer } from './trade-turn.ts'

type Acceptance = Answer<'listAcceptances'>['acceptances'][number]

/** Returns the status of an acceptance, in one line. */
function lineOf(acceptance: Acceptance, viewer: Viewer): Pick<TradeTurn, 'tone' | 'title' | 'until'> {
  const { state, proposal } = acceptance
  if (state in words.acceptanceStates)
    return {
      tone: 'nothing',
      title: words.acceptanceStates[state as keyof typeof words.acceptanceStates],
      until: null,
    }
  return tradeTurnOf({ proposal, viewer, acceptance, settlement: undefined })
}

/** An acceptance in a list: both sides, its status, and the link to its page. */
export function AcceptanceCard({ acceptance, view }: { acceptance: Acceptance; view: 'received' | 'sent' }) {
  const { proposal, acceptorAddress, createdAt, items } = acceptance
  const viewer = view === 'received' ? 'proposer' : 'acceptor'
  const { tone, title, until } = lineOf(acceptance, viewer)
  const from = (side: 'proposer' | 'acceptor') => items.filter((item) => item.from === side)
  const { boards } = useBoardItems([from('proposer'), from('acceptor')])
  const offered = { items: boards[0]!, btcSats: proposal.offeredBtcSats }
  const wanted = { items: boards[1]!, btcSats: proposal.requestedBtcSats }
  const [gives, gets] = viewer === 'proposer' ? ([offered, wanted] as const) : ([wanted, offered] as const)
  const other = viewer === 'proposer' ? acceptorAddress : proposal.creatorAddress
  return (
    <article className="panel grid gap-3 p-4">
      <TurnLine tone={tone} until={until}>
        {title}
      </TurnLine>
      <div className="flex flex-wrap items-center gap-3">
        <SmallTiles board={gives} />
        <SwapIcon className="text-xl text-soft" />
        <SmallTiles board={gets} />
      </div>
      <footer className="flex flex-wrap items-center gap-x-3 gap-y-2 text-small text-soft">
        <span>
          {words.tradeWith} <span className="font-mono">{shortAddress(other)}</span>
        </span>
        <Time at={createdAt} />
        <Link
          to="/trades/$id"
          params={{ id: proposal.id }}
          className={`${BUTTON} ${KINDS[tone === 'turn' ? 'main' : 'plain']} ml-auto`}
        >
          {tone === 'turn' ? words.review : words.viewTrade}
          <span className="sr-only">
            , {words.tradeWith} {shortAddress(other)}
          </span>
        </Link>
      </footer>
    </article>
  )
}
