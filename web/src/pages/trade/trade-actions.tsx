import { client, queries } from '@ordbook/web-ui/api/client.ts'
import { signedPercent } from '@ordbook/web-ui/money/difference.ts'
import type { Guard } from '@ordbook/web-ui/rules/guards.ts'
import { useSession } from '@ordbook/web-ui/session/session.tsx'
import { useAct } from '@ordbook/web-ui/signing/act.tsx'
import { swap as words } from '@ordbook/web-ui/strings/swap.ts'
import { useGuarded } from '@ordbook/web-ui/ticket/guarded.ts'
import { shownOf } from '@ordbook/web-ui/ticket/quotes/purchase-quote.ts'
import { Button } from '@ordbook/web-ui/ui/basics.tsx'
import type { Accepting } from './trade-accept.tsx'
import type { Acceptance, Stage, Trade } from './trade-turn.ts'

/**
 * Label of a button and its press, for a trade with these guards. An uneven trade is named by the label itself; other risks need a second
 * press.
 */
export function useTradeButton(
  label: string,
  labelAt: (percent: string) => string,
  guards: readonly Guard[],
  subject: string,
) {
  const uneven = guards.find(({ id }) => id === 'uneven')
  const text = uneven ? labelAt(signedPercent(uneven.percent!)) : label
  return useGuarded(
    text,
    guards.filter((guard) => guard !== uneven),
    subject,
  )
}

interface Props {
  trade: Trade
  stage: Stage
  /** Null until all prices are loaded. */
  guards: readonly Guard[] | null
  accepting: Accepting
}

/** What the viewer can do now. At most one button is primary. */
export function TradeActions({ trade, stage, guards, accepting }: Props) {
  const { account } = useSession()
  const { viewer, acceptance, proposal } = trade
  if (viewer === 'proposer' && stage === 'open') return <WithdrawProposal id={proposal.id} />
  if (viewer === 'proposer' && stage === 'accepted')
    return <Complete key={acceptance!.acceptanceId} acceptance={acceptance!} guards={guards} />
  if (viewer === 'acceptor' && stage === 'accepted')
    return <EndAcceptance acceptanceId={acceptance!.acceptanceId} by="acceptor" />
  if (viewer !== 'visitor' || stage !== 'open' || !proposal.available) return null
  return account ? <Accept {...{ trade, guards, accepting }} /> : <Connect />
}

function Connect() {
  const { choose } = useSession()
  return (
    <Button kind="main" className="max-sm:w-full" onClick={() => choose(true)}>
      {words.acceptConnect}
    </Button>
  )
}

function WithdrawProposal({ id }: { id: string }) {
  const { run, busy } = useAct(id)
  return (
    <Button
      disabled={busy !== null}
      onClick={() =>
        void run(words.withdrawing, async () => {
          await client.call('cancelProposal', { params: { proposalId: id } })
          await queries.invalidateQueries()
          return words.withdrawn
        })
      }
    >
      {words.withdrawProposal}
    </Button>
  )
}

/** Withdraws an acceptance, or declines it as the proposer. */
function EndAcceptance({ acceptanceId, by }: { acceptanceId: string; by: 'proposer' | 'acceptor' }) {
  const { run, busy } = useAct(acceptanceId)
  const isOwn = by === 'acceptor'
  const end = () =>
    run(isOwn ? words.withdrawing : words.declining, async () => {
      await client.call(isOwn ? 'cancelAcceptance' : 'rejectAcceptance', { params: { acceptanceId } })
      await queries.invalidateQueries()
      return isOwn ? words.acceptanceWithdrawn : words.declined
    })
  return (
    <Button kind={isOwn ? 'plain' : 'ghost'} disabled={busy !== null} onClick={() => void end()}>
      {isOwn ? words.withdraw : words.decline}
    </Button>
  )
}

function Complete({ acceptance, guards }: { acceptance: Acceptance; guards: readonly Guard[] | null }) {
  const { acceptanceId } = acceptance
  const { run, busy } = useAct(acceptanceId)
  const button = useTradeButton(words.review, words.completeAt, guards ?? [], acceptanceId)
  const complete = () =>
    run(words.completing, async (trades, trading) =>
      words.complete(await trades.settleTrade(trading, acceptance)),
    )
  return (
    <>
      <EndAcceptance acceptanceId={acceptanceId} by="proposer" />
      <Button
        kind="main"
        disabled={busy !== null || guards === null}
        onClick={() => button.press(() => void complete())}
      >
        {button.label}
      </Button>
    </>
  )
}

function Accept({ trade: { proposal }, guards, accepting }: Pick<Props, 'trade' | 'guards' | 'accepting'>) {
  const { run, busy } = useAct(proposal.id)
  const { chosen, isFull, quote, moved } = accepting
  const all = [...moved.guards, ...(isFull ? (guards ?? []) : [])]
  const button = useTradeButton(words.accept, words.acceptAt, all, proposal.id)
  const accept = () =>
    run(words.accepting, async (trades, trading) => {
      await trades.acceptTrade(trading, proposal, [...chosen], shownOf(quote.data))
      return words.accepted
    })
  return (
    <Button
      kind="main"
      className="max-sm:w-full"
      disabled={!isFull || !quote.data || guards === null || busy !== null || button.isStopped}
      onClick={() => button.press(() => void accept())}
    >
      {button.label}
    </Button>
  )
}
