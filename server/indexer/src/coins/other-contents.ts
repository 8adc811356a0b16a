import { satRulesOf } from '@ordbook/bitcoin/chain-rules.ts'
import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { rareSatsIn } from '@ordbook/bitcoin/satributes.ts'
import type { Queryable } from '@ordbook/db/driver/connect.ts'
import { unavailable } from '@ordbook/db/process/errors.ts'
import { type Config, ConfigError } from '@ordbook/db/settings/config.ts'
import { findTip } from '../inscriptions/queries.ts'
import type { Ord } from '../ord/ord.ts'
import type { OrdOutput } from '../ord/ord-answers.ts'

/**
 * A rune, inscription or rare sat in a coin. `name` is the rune name with spacers, the inscription id or the sat number. `unproven`: the
 * coin may have runes.
 */
export type Carried =
  | { kind: 'rune'; name: string; amount: string }
  | { kind: 'inscription'; name: string }
  | { kind: 'rare-sat'; name: string }
  | { kind: 'unproven'; name: 'runes' }

/**
 * Returns the contents of coins by outpoint; null without an ord server. Omits unknown and spent coins. Throws `unavailable` if ord is behind
 * or lacks an index.
 */
export async function otherContentsOf(
  { sql, ord, config }: { sql: Queryable; ord: Ord | null; config: Config },
  coins: readonly Outpoint[],
): Promise<Map<string, Carried[]> | null> {
  if (!ord) return null
  if (coins.length === 0) return new Map()
  const tip = await findTip(sql)
  const outputs = await ord.outputs(coins)
  if (tip && (await ord.blockHash(tip.height)) !== tip.blockHash)
    throw unavailable(
      'ord-unavailable',
      `The ord server has not indexed block ${tip.height} yet. Try again shortly.`,
    )
  if (outputs.some((output) => !output.indexed && !output.spent))
    throw unavailable(
      'ord-unavailable',
      'The ord server has not indexed the coins of this trade yet. Try again shortly.',
    )
  if (outputs.some((output) => output.inscriptions === null || (output.runes === null && needsRunes(config))))
    throw unavailable(
      'ord-unfit',
      "The market's ord server has no index of inscriptions or runes. The operator must enable it.",
    )
  const { halvingInterval } = satRulesOf(config.chain)
  return new Map(
    outputs
      .filter((output) => !output.spent)
      .map((output) => [output.outpoint, carriedOf(output, halvingInterval)]),
  )
}

function carriedOf(output: OrdOutput, halvingInterval: number): Carried[] {
  const { inscriptions, runes, sat_ranges: ranges } = output
  return [
    ...(inscriptions ?? []).map((name) => ({ kind: 'inscription' as const, name })),
    ...Object.entries(runes ?? {}).map(([name, { amount, divisibility }]) => ({
      kind: 'rune' as const,
      name,
      amount: decimalOf(String(amount), divisibility),
    })),
    ...(ranges ?? [])
      .flatMap(([from, to]) => rareSatsIn(from, to, halvingInterval))
      .map((sat) => ({ kind: 'rare-sat' as const, name: String(sat) })),
  ]
}

function decimalOf(units: string, divisibility: number): string {
  if (divisibility === 0) return units
  const digits = units.padStart(divisibility + 1, '0')
  const fraction = digits.slice(-divisibility).replace(/0+$/, '')
  return `${digits.slice(0, -divisibility)}${fraction && `.${fraction}`}`
}

/** Returns whether trades must check coins for runes. */
export const needsRunes = ({ chain, allowRuneLoss }: Config) =>
  allowRuneLoss === 'auto' ? chain === 'main' : allowRuneLoss === 'no'

/**
 * Throws ConfigError if an ord server lacks the rune index that trades need (ALLOW_RUNE_LOSS). Without an ord server, the node must prove that
 * payment coins have no runes. Returns a warning to log, or null.
 */
export async function assertRunesKnown(ord: Ord | null, config: Config): Promise<string | null> {
  const status = await ord?.status().catch((error: Error) => {
    if (!needsRunes(config)) return null
    throw new ConfigError(`ORD_URL: the server did not respond (${error.message}). ${FIX}`)
  })
  if (status?.rune_index && status.inscription_index) return null
  if (!needsRunes(config)) return 'no rune index: users may lose runes on coins that trades spend'
  if (!ord) return null
  throw new ConfigError(`ORD_URL: the server has no index of inscriptions and runes. ${FIX}`)
}
const FIX =
  'On mainnet, the market must detect coins with runes. Start ord with --index-runes, remove ORD_URL, or set ALLOW_RUNE_LOSS=yes to allow the loss of runes.'
