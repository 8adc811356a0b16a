import type { Answer } from '@ordbook/sdk/operations.ts'
import { useRead } from '@ordbook/web-ui/api/client.ts'
import { useSettings } from '@ordbook/web-ui/api/settings.tsx'
import { count } from '@ordbook/web-ui/format/format.ts'
import { useFreshness } from '@ordbook/web-ui/live/live.ts'
import { status as claims } from '@ordbook/web-ui/strings/pages.ts'
import { Loaded } from '@ordbook/web-ui/ui/basics.tsx'
import { Facts } from '@ordbook/web-ui/ui/facts.tsx'
import { lateOf, stateOf } from './status-late.ts'
import { marketStatus as words } from './strings.ts'

type Status = Answer<'getStatus'>

export default function StatusPage() {
  const { market } = useSettings()
  const status = useRead('getStatus', {}, { refetchInterval: 10_000 })
  const keys = useRead('getMarketKeys')
  return (
    <div className="grid gap-6">
      <h1 className="text-h1">{words.title}</h1>
      <Loaded of={status}>
        {(now) => (
          <>
            <State now={now} />
            <Details now={now} />
          </>
        )}
      </Loaded>
      {market && (
        <section className="panel p-5">
          <h2 className="mb-3 text-h2">{words.fees}</h2>
          <StatusFacts
            rows={[
              [words.seller, `${market.fees.sellerFeeBps / 100} %`],
              [words.buyer, `${market.fees.buyerFeeBps / 100} %`],
              [words.fill, `${market.fees.fillFeeBps / 100} %`],
              [words.trade, words.sats(market.fees.proposalFeeSats)],
            ]}
          />
        </section>
      )}
      <Loaded of={keys}>
        {(found) => (
          <section className="panel p-5">
            <h2 className="mb-1 text-h2">{words.keys}</h2>
            <p className="mb-3 text-soft">{words.keysWhy}</p>
            <div data-varies>
              <StatusFacts
                rows={[
                  [words.cosign, found.cosignKey],
                  [words.guardian, found.guardianKey],
                  [words.address, found.marketAddress],
                ]}
              />
            </div>
          </section>
        )}
      </Loaded>
    </div>
  )
}

/** Trading is open only if the data is live. */
function State({ now }: { now: Status }) {
  const { claim, silence } = useFreshness()
  const late = lateOf(now)
  const isWell = claim === 'live' && now.trading === 'open' && late.length === 0
  const dot = claim !== 'live' ? 'bg-edge' : now.trading === 'paused' ? 'bg-down' : 'bg-up'
  return (
    <section className={`panel grid gap-3 p-5 ${isWell ? '' : 'border-accent'}`}>
      <p className="flex items-baseline gap-3 text-h2" role="status">
        <span aria-hidden="true" className={`size-3 shrink-0 rounded-full ${dot}`} />
        {claim === 'lost'
          ? claims.lost(silence)
          : claim === 'quiet'
            ? `${claims.updated(silence)}.`
            : stateOf(now, late.length > 0)}
      </p>
      {late.length > 0 && (
        <ul aria-label={words.late} className="grid list-disc gap-1 pl-5">
          {late.map((each) => (
            <li key={each}>{each}</li>
          ))}
        </ul>
      )}
    </section>
  )
}

function Details({ now }: { now: Status }) {
  const known = (value: number | null) => (value === null ? words.notKnown : count(value))
  const { rows } = words
  return (
    <section className="panel p-5">
      <h2 className="mb-3 text-h2">{words.details}</h2>
      <StatusFacts
        rows={[
          [rows.chain, now.chain],
          [rows.index, known(now.indexHeight)],
          [rows.node, known(now.nodeHeight)],
          [rows.lag, known(now.lagBlocks)],
          [rows.mempool, now.mempoolAgeSeconds === null ? words.notYet : words.ago(now.mempoolAgeSeconds)],
          [rows.transactions, known(now.mempoolTransactions)],
          [rows.nodeState, now.node],
          [rows.database, now.database],
          ...(now.ord === null ? [] : [[rows.ord, now.ord] as const]),
          ...(now.sync === null ? [] : [[rows.sync, words.progress(now.sync)] as const]),
          ...(now.utxos === null ? [] : [[rows.utxos, words.utxos(now.utxos)] as const]),
          ...(now.unknown.length === 0
            ? []
            : [[rows.unknown, now.unknown.map((each) => words.unknown[each]).join(', ')] as const]),
        ]}
      />
    </section>
  )
}

const StatusFacts = ({ rows }: Pick<Parameters<typeof Facts>[0], 'rows'>) => (
  <Facts
    rows={rows}
    row="grid gap-x-4 sm:grid-cols-[16rem_1fr]"
    value="tabular [overflow-wrap:anywhere]"
    className="text-sm"
  />
)
