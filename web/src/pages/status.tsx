import { useRead } from '../client.ts'
import { count } from '../format.ts'
import { useFreshness } from '../live.ts'
import { useSettings } from '../settings.tsx'
import { Badge, Loaded } from '../ui/basics.tsx'
import { Facts } from '../ui/facts.tsx'
import { status as words } from '../words/pages.ts'

/** The state of the market: its index, node, fees and keys. */
export default function StatusPage() {
  const { market } = useSettings()
  const { claim, silence } = useFreshness()
  const isLive = claim === 'live'
  const status = useRead('getStatus', {}, { refetchInterval: 10_000 })
  const keys = useRead('getMarketKeys')
  const known = (value: number | null) => (value === null ? 'not known' : count(value))
  return (
    <div className="grid gap-6">
      <h1 className="text-2xl font-semibold">Market status</h1>
      <Loaded of={status}>
        {(now) => (
          <section className="panel p-5">
            <p className="mb-4 flex flex-wrap items-center gap-3">
              {isLive && (
                <Badge tone={now.trading === 'open' ? 'good' : 'bad'}>Trading is {now.trading}</Badge>
              )}
              <Badge tone={isLive ? 'good' : 'soft'}>
                {isLive ? words.live : claim === 'quiet' ? words.updated(silence) : words.lost(silence)}
              </Badge>
              {now.reason && <span>{now.reason}</span>}
            </p>
            <StatusFacts
              rows={[
                ['Chain', now.chain],
                ['Index height', known(now.indexHeight)],
                ['Node height', known(now.nodeHeight)],
                ['Blocks behind', known(now.lagBlocks)],
                [
                  'Mempool looked at',
                  now.mempoolAgeSeconds === null ? 'not yet' : `${now.mempoolAgeSeconds.toFixed(0)} s ago`,
                ],
                ['Transactions in it', known(now.mempoolTransactions)],
                ['Node', now.node],
                ['Database', now.database],
                ...(now.ord === null ? [] : [['ord server', now.ord] as const]),
                ...now.notTraded.map(
                  ({ trade, reason }) => [`No ${trade.replace('-', ' ')}`, reason] as const,
                ),
              ]}
            />
          </section>
        )}
      </Loaded>
      {market && (
        <section className="panel p-5">
          <h2 className="mb-3 font-semibold">Fees</h2>
          <StatusFacts
            rows={[
              ['Seller fee', `${market.fees.sellerFeeBps / 100} %`],
              ['Buyer fee', `${market.fees.buyerFeeBps / 100} %`],
              ['Collection-offer fee', `${market.fees.fillFeeBps / 100} %`],
              ['Trade fee', `${count(market.fees.proposalFeeSats)} sats`],
            ]}
          />
        </section>
      )}
      <Loaded of={keys}>
        {(found) => (
          <section className="panel p-5">
            <h2 className="mb-1 font-semibold">Keys</h2>
            <p className="mb-3 text-sm text-soft">A market that shows you others is another market.</p>
            <StatusFacts
              rows={[
                ['Co-sign key', found.cosignKey],
                ['Guardian key', found.guardianKey],
                ['Market address', found.marketAddress],
              ]}
            />
          </section>
        )}
      </Loaded>
    </div>
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
