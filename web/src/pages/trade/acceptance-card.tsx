import type { Answer } from '@ordbook/sdk/operations.ts'
import { client, queries } from '@ordbook/web-ui/api/client.ts'
import { shortAddress, shortId } from '@ordbook/web-ui/format/format.ts'
import { Link } from '@ordbook/web-ui/routing/routing.tsx'
import { useAct } from '@ordbook/web-ui/signing/act.tsx'
import { Badge, Button, Price, Time } from '@ordbook/web-ui/ui/basics.tsx'
import { ProposalSides } from './proposal-card.tsx'

type Acceptance = Answer<'submitAcceptance'>
const TONES = { active: 'lamp', accepted: 'good', settled: 'good' } as const

export function AcceptanceCard({ acceptance, view }: { acceptance: Acceptance; view: 'received' | 'sent' }) {
  const { proposal, state } = acceptance
  const given = acceptance.items.filter((item) => item.from === 'acceptor')
  return (
    <article className="panel grid gap-4 p-4">
      <ProposalSides proposal={proposal} />
      <p className="text-sm">
        {view === 'received' ? (
          <>
            <span className="font-mono text-xs">{shortAddress(acceptance.acceptorAddress)}</span> gives{' '}
          </>
        ) : (
          'You give '
        )}
        {given.length === 0
          ? 'only sats'
          : given.map((each) => (
              <Link
                key={each.inscriptionId}
                to="/inscription/$id"
                params={{ id: each.inscriptionId }}
                className="mr-2 font-mono text-xs underline"
              >
                {shortId(each.inscriptionId)}
              </Link>
            ))}
        {view === 'sent' && (
          <>
            {' '}
            and pay the network <Price sats={acceptance.networkFeeSats} />
            {acceptance.marketplaceFeeSats > 0 && (
              <>
                {' '}
                and the market <Price sats={acceptance.marketplaceFeeSats} />
              </>
            )}
            .
          </>
        )}
      </p>
      <footer className="flex flex-wrap items-center gap-3 border-t border-line pt-3 text-sm">
        <Badge tone={state in TONES ? TONES[state as keyof typeof TONES] : 'soft'}>
          {state === 'active'
            ? view === 'received'
              ? 'your turn to sign'
              : 'the proposer signs next'
            : state}
        </Badge>
        {acceptance.reason && <span className="text-soft">{acceptance.reason}</span>}
        <span className="text-soft">
          <Time at={acceptance.createdAt} />
        </span>
        {state === 'active' && <Answers acceptance={acceptance} view={view} />}
      </footer>
    </article>
  )
}

/** The proposer settles or declines; the acceptor can withdraw. */
function Answers({ acceptance, view }: { acceptance: Acceptance; view: 'received' | 'sent' }) {
  const { acceptanceId } = acceptance
  const { run, busy } = useAct(acceptanceId)
  const end = (id: 'cancelAcceptance' | 'rejectAcceptance', done: string) =>
    run(id === 'cancelAcceptance' ? 'Withdrawing' : 'Declining', async () => {
      await client.call(id, { params: { acceptanceId } })
      await queries.invalidateQueries()
      return done
    })
  return (
    <span className="ml-auto flex gap-2">
      {view === 'received' ? (
        <>
          <Button
            disabled={busy !== null}
            onClick={() => void end('rejectAcceptance', 'Declined. Your proposal stays open.')}
          >
            Decline
          </Button>
          <Button
            kind="main"
            disabled={busy !== null}
            onClick={() =>
              void run('Completing the trade', async (trades, trading) => {
                const txid = await trades.settleTrade(trading, acceptance)
                return `Completed in ${txid}.`
              })
            }
          >
            Sign and complete
          </Button>
        </>
      ) : (
        <Button
          disabled={busy !== null}
          onClick={() => void end('cancelAcceptance', 'Acceptance withdrawn.')}
        >
          Withdraw
        </Button>
      )}
    </span>
  )
}
