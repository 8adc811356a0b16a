import { Price } from '../ui/basics.tsx'
import type { SpentCoin } from './model.ts'
import { review as words } from './texts.ts'

/** Coins that only the market vouches for. Each must be confirmed. */
export function UnprovenCoins({
  coins,
  isOneAddress,
  ticked,
  onTick,
}: {
  coins: readonly SpentCoin[]
  /** True if payment and ordinals address are equal. */
  isOneAddress: boolean
  ticked: ReadonlySet<string>
  onTick(outpoint: string, isTicked: boolean): void
}) {
  const unproven = coins.filter(({ isUnproven }) => isUnproven)
  if (unproven.length === 0) return null
  return (
    <section className="panel border-accent p-4 text-small" aria-label={words.coins}>
      <h3 className="font-semibold">{words.coins}</h3>
      <p className="mt-2">{words.unproven(unproven.length)}</p>
      <ul className="mt-2 grid gap-2">
        {unproven.map((coin) => (
          <li key={coin.outpoint} className="grid gap-1 border-t border-line pt-2">
            <span className="font-mono text-caption [overflow-wrap:anywhere]">{coin.outpoint}</span>
            <span className="flex flex-wrap items-baseline gap-x-3">
              <Price sats={coin.valueSats} className="font-medium" />
              <span className="text-soft">
                {isOneAddress ? words.fromOnlyAddress : words.fromAddress[coin.address]}
              </span>
            </span>
            <Tick
              label={words.spendCoin}
              isTicked={ticked.has(coin.outpoint)}
              onTick={(isTicked) => onTick(coin.outpoint, isTicked)}
            />
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Box that must be ticked before signing. */
export const Tick = ({
  label,
  isTicked,
  onTick,
}: {
  label: string
  isTicked: boolean
  onTick(isTicked: boolean): void
}) => (
  <label className="flex min-h-6 items-center gap-2">
    <input
      type="checkbox"
      checked={isTicked}
      onChange={(event) => onTick(event.target.checked)}
      className="size-4 shrink-0 accent-amber"
    />
    <span className="[overflow-wrap:anywhere]">{label}</span>
  </label>
)
