import type { Answer } from '@ordbook/sdk/operations.ts'
import { useRead } from '@ordbook/web-ui/api/client.ts'
import { money, shortAddress } from '@ordbook/web-ui/format/format.ts'
import { useParams } from '@ordbook/web-ui/routing/routing.tsx'
import { useTitle } from '@ordbook/web-ui/routing/title.ts'
import { items, titles } from '@ordbook/web-ui/strings/pages.ts'
import { swap as words } from '@ordbook/web-ui/strings/swap.ts'
import { GuardList } from '@ordbook/web-ui/ticket/guard-list.tsx'
import { Share } from '@ordbook/web-ui/ticket/progress/progress.tsx'
import { SwapBill } from '@ordbook/web-ui/ticket/quotes/swap-bill.tsx'
import { acceptorsQuote, proposersQuote } from '@ordbook/web-ui/ticket/quotes/swap-quote.ts'
import { Badge, Loaded, Loading, Time } from '@ordbook/web-ui/ui/basics.tsx'
import { Choice } from '@ordbook/web-ui/ui/choice.tsx'
import { type Balance, balanceOf, type Sides } from './boards/board.ts'
import { guardsOf, TradeBalance, TradeGuards } from './boards/trade-balance.tsx'
import { TradeBoard, TradeSides } from './boards/trade-board.tsx'
import { type Entry, entriesOfLeg, useBoardItems } from './boards/use-board-items.ts'
import { type Accepting, entriesToGive, TradeFills, useAccepting } from './trade-accept.tsx'
import { TradeActions } from './trade-actions.tsx'
import { TradeReceipt } from './trade-receipt.tsx'
import { TradeStatus } from './trade-status.tsx'
import { type Acceptance, isSent, type Stage, stageOf, type Trade, tradeTurnOf } from './trade-turn.ts'
import { useTrade } from './use-trade.ts'

type Proposal = Answer<'getProposal'>

/** Describes one side of a trade. */
const sideOf = (count: number, name: string | undefined, sats: number) => [
  ...(count === 0 ? [] : [count === 1 && name ? name : items(count)]),
  ...(sats === 0 ? [] : [money(sats)]),
]

function titleOf({ offeredItems, offeredBtcSats, wantedLegs, requestedBtcSats }: Proposal): string {
  const wanted = wantedLegs.reduce((sum, leg) => sum + leg.quantity, 0)
  const [named, another] = wantedLegs.flatMap((leg) => leg.specificItems)
  return titles.trade(
    sideOf(offeredItems.length, offeredItems[0]?.inscriptionTitle, offeredBtcSats),
    sideOf(wanted, another ? undefined : named?.inscriptionTitle, requestedBtcSats),
  )
}

export default function TradePage() {
  const { id } = useParams({ from: '/trades/$id' })
  const found = useRead('getProposal', { params: { proposalId: id } })
  useTitle(found.data && titleOf(found.data))
  return (
    <Loaded of={found} what="Loading the trade">
      {(proposal) => <TradeOf proposal={proposal} />}
    </Loaded>
  )
}

/** From the proposal to the receipt: status, both sides, and their balance or the transaction. */
function TradeOf({ proposal }: { proposal: Proposal }) {
  const { trade, active, choose, pending } = useTrade(proposal)
  const stage = stageOf(trade)
  const accepting = useAccepting(proposal, trade.viewer === 'visitor' && stage === 'open')
  const { sides, balance } = useSides(trade, accepting)
  if (pending) return pending.error ? <Loaded of={pending}>{() => null}</Loaded> : <Loading />
  const guards = balance && guardsOf(sides, balance)
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4 max-sm:pb-20">
      <TradeHead trade={trade} stage={stage} />
      <TradeStatus turn={tradeTurnOf(trade)}>
        <TradeActions {...{ trade, stage, guards, accepting }} />
      </TradeStatus>
      {stage === 'accepted' && active.length > 1 && (
        <Chooser active={active} chosen={trade.acceptance!} onChoose={choose} />
      )}
      <Boards {...{ trade, stage, sides, balance, accepting }} />
      {isSent(stage) ? (
        <TradeReceipt
          stage={stage}
          txid={trade.acceptance!.expectedSettlementTxid}
          settlement={trade.settlement}
          sides={sides}
          netSats={
            trade.viewer === 'proposer'
              ? trade.acceptance!.proposerNetSats
              : trade.acceptance!.acceptorNetSats
          }
        />
      ) : (
        stage !== 'over' && (
          <>
            <section
              aria-label={words.balance}
              className="panel grid items-start gap-x-7 gap-y-5 p-4 sm:px-5 md:grid-cols-[minmax(0,1fr)_320px]"
            >
              <TradeBalance balance={balance} />
              <TradeBillOf trade={trade} accepting={accepting} />
            </section>
            <TradeGuards sides={sides} balance={balance} />
            <GuardList guards={accepting.moved.guards} ways={{ 'new-total': accepting.moved.accept }} />
          </>
        )
      )}
    </div>
  )
}

function TradeHead({ trade: { proposal, viewer, acceptance }, stage }: { trade: Trade; stage: Stage }) {
  const { id, creatorAddress, createdAt, visibility } = proposal
  const isMine = viewer === 'proposer'
  const other = isMine ? acceptance?.acceptorAddress : creatorAddress
  return (
    <header className="flex flex-wrap items-start justify-between gap-3">
      <div className="min-w-0">
        <h1 className="text-h1">
          {other ? (
            <>
              {words.tradeWith} <span className="font-mono text-[0.85em]">{shortAddress(other)}</span>
            </>
          ) : (
            words.yourProposal
          )}
        </h1>
        <p className="mt-1 flex flex-wrap items-center gap-x-2 gap-y-1 text-soft">
          <span>
            {isMine ? words.youProposed : words.proposed} <Time at={createdAt} />. {words.bothMove}
          </span>
          {visibility === 'private' && <Badge>{words.isPrivate}</Badge>}
        </p>
      </div>
      {stage === 'open' && (
        <div className="flex items-center gap-2">
          <Share text={words.shareText} path={`/trades/${id}`} />
        </div>
      )}
    </header>
  )
}

/** Acceptances to choose from, if several collectors have accepted. */
function Chooser({
  active,
  chosen,
  onChoose,
}: {
  active: readonly Acceptance[]
  chosen: Acceptance
  onChoose: (id: string) => void
}) {
  return (
    <section aria-label={words.acceptances} className="grid gap-2">
      <p className="text-small">{words.severalAccepted(active.length)}</p>
      <div className="flex flex-wrap gap-2">
        {active.map(({ acceptanceId, acceptorAddress }) => (
          <Choice
            key={acceptanceId}
            isOn={acceptanceId === chosen.acceptanceId}
            onClick={() => onChoose(acceptanceId)}
          >
            {words.acceptedBy(shortAddress(acceptorAddress))}
          </Choice>
        ))}
      </div>
    </section>
  )
}

/** Returns both sides from the viewer's view. `balance` is null until all prices are loaded. */
function useSides(
  { proposal, viewer, acceptance }: Trade,
  accepting: Accepting,
): { sides: Sides; balance: Balance | null } {
  const isProposer = viewer === 'proposer'
  const offered: Entry[] = proposal.offeredItems.map(({ inscriptionId }) => ({ inscriptionId }))
  const wanted: Entry[] =
    viewer === 'acceptor' || (isProposer && acceptance)
      ? acceptance!.items.filter(({ from }) => from === 'acceptor')
      : isProposer
        ? proposal.wantedLegs.flatMap(entriesOfLeg)
        : entriesToGive(proposal, accepting)
  const { boards, isPriced } = useBoardItems([offered, wanted])
  const offers = { items: boards[0]!, btcSats: proposal.offeredBtcSats }
  const wants = { items: boards[1]!, btcSats: proposal.requestedBtcSats }
  const sides = isProposer ? { gives: offers, gets: wants } : { gives: wants, gets: offers }
  return { sides, balance: isPriced ? balanceOf(sides) : null }
}

function Boards({
  trade,
  stage,
  sides,
  balance,
  accepting,
}: {
  trade: Trade
  stage: Stage
  sides: Sides
  balance: Balance | null
  accepting: Accepting
}) {
  const { viewer, proposal } = trade
  const isSigned = stage === 'accepted'
  const canAccept = viewer === 'visitor' && stage === 'open' && proposal.available
  const isOver = viewer === 'visitor' && !canAccept
  const isDone = stage === 'confirmed'
  return (
    <TradeSides>
      <TradeBoard
        title={isOver ? words.wanted : isDone ? words.youGave : words.youGive}
        board={sides.gives}
        valueSats={isDone ? null : (balance?.givesSats ?? null)}
        btcNote={words.fromYou}
        mark={isSigned && viewer === 'acceptor' && <Badge tone="good">{words.youSigned}</Badge>}
      >
        {canAccept && <TradeFills proposal={proposal} accepting={accepting} />}
      </TradeBoard>
      <TradeBoard
        title={isOver ? words.offered : isDone ? words.youGot : words.youGet}
        board={sides.gets}
        valueSats={isDone ? null : (balance?.getsSats ?? null)}
        btcNote={words.toYou}
        mark={isSigned && viewer === 'proposer' && <Badge tone="good">{words.theySigned}</Badge>}
      />
    </TradeSides>
  )
}

/** The viewer's bill: of the proposal, of the acceptance, or of the items chosen so far. */
function TradeBillOf({
  trade: { viewer, proposal, acceptance },
  accepting,
}: {
  trade: Trade
  accepting: Accepting
}) {
  if (viewer === 'proposer')
    return (
      <div className="grid content-start gap-2">
        <SwapBill
          of={{ data: proposersQuote(proposal.requestedBtcSats - proposal.offeredBtcSats), error: null }}
        />
        <p className="text-caption text-soft">{words.proposerFees(proposal.marketplaceFeeSats)}</p>
      </div>
    )
  if (viewer === 'acceptor') return <SwapBill of={{ data: acceptorsQuote(acceptance!), error: null }} />
  if (!accepting.isFull) return <p className="text-small text-soft">{words.fillFirst}</p>
  return <SwapBill of={accepting.quote} />
}
