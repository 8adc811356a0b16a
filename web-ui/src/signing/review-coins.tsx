import { review as words } from '../strings/trade.ts'
import { Price } from '../ui/basics.tsx'
import type { SpentCoin } from './own-coins.ts'

export function ReviewCoins({
  coins,
  isOneAddress,
  ticked,
  onTick,
  nameOf,
}: {
  coins: readonly SpentCoin[]
  isOneAddress: boolean
  ticked: ReadonlySet<string>
  onTick(outpoint: string, isTicked: boolean): void
  nameOf(id: string): string
}) {
  if (coins.length === 0) return null
  const unproven = coins.filter(({ isUnproven }) => isUnproven)
  return (
    <section
      className={`panel p-4 text-small ${unproven.length > 0 ? 'border-accent' : ''}`}
      aria-label={words.coins}
    >
      <h3 className="font-semibold">{words.coins}</h3>
      {unproven.length > 0 && <p className="mt-2">{words.unproven(unproven.length)}</p>}
      <ul className="mt-2 grid max-h-64 gap-2 overflow-y-auto">
        {coins.map((coin) => (
          <li key={coin.outpoint} className="grid gap-1 border-t border-line pt-2">
            <span className="font-mono text-caption [overflow-wrap:anywhere]">{coin.outpoint}</span>
            <span className="flex flex-wrap items-baseline gap-x-3">
              <Price sats={coin.valueSats} className="font-medium" />
              <span className="text-soft">
                {isOneAddress ? words.fromOnlyAddress : words.from[coin.address]}
              </span>
              {coin.inscriptionIds.map((id) => (
                <span key={id}>{nameOf(id)}</span>
              ))}
            </span>
            {coin.isUnproven && (
              <label className="flex min-h-6 items-center gap-2">
                <input
                  type="checkbox"
                  checked={ticked.has(coin.outpoint)}
                  onChange={(event) => onTick(coin.outpoint, event.target.checked)}
                />
                {words.spendCoin}
              </label>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
