import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { connected, jsonOf, textOf, withinDeadline } from './client.ts'
import type { ProvenCoins } from './plain-coins.ts'
import type { Trader } from './trader.ts'
import type { OwnCoin } from './verify/owner.ts'
import type { Adapter } from './wallets/adapter.ts'

/** Classifies coins by their contents, for example `proveCoins` with a node or `proveByOrd` with your own server. */
export type CoinProof = (coins: readonly OwnCoin[]) => Promise<ProvenCoins>

const noProof: CoinProof = async (coins) => ({
  plain: [],
  inscribed: [],
  unproven: coins.map((coin) => ({ coin, reason: 'only the market lists this coin' })),
})

/**
 * Lists the confirmed coins of a trader's payment address, classified by `prove` (default: all unproven). Pay only with `plain` coins,
 * because an unproven coin may hold an inscription. Throws ApiError, CheckFailed.
 */
export async function listCoins(
  { client, walletBindingId }: Pick<Trader, 'client' | 'walletBindingId'>,
  prove: CoinProof = noProof,
): Promise<ProvenCoins> {
  const { coins } = await client.call('listCoins', { query: { walletBindingId } })
  return prove(coins)
}

/**
 * Proves coins with your own `ord` or ordbook server, which lists inscriptions and runes at `/r/utxo/OUTPOINT`. Coins that are unknown or
 * have another value are unproven, as are the remaining coins after `mostMillisecondsInAll` (default 120,000).
 */
export const proveByOrd =
  (origin: string, { mostMillisecondsInAll = 120_000 } = {}): CoinProof =>
  async (coins) => {
    const proven: ProvenCoins = { plain: [], inscribed: [], unproven: [] }
    const ends = performance.now() + mostMillisecondsInAll
    for (const coin of coins) {
      const left = ends - performance.now()
      const found =
        left > 0
          ? await withinDeadline(left, null, (limit) => contentsAt(origin, coin, limit)).catch(lateOrThrow)
          : LATE
      if (typeof found === 'string') proven.unproven.push({ coin, reason: found })
      else if (found.length === 0) proven.plain.push(coin)
      else proven.inscribed.push({ coin, inscriptionId: found[0]!, offset: null })
    }
    return proven
  }

/**
 * Proves coins with the wallet's list of inscriptions at an address, which does not include runes. Without such a list, every coin is
 * unproven.
 */
export const proveByWallet =
  ({ inscriptionsAt }: Pick<Adapter, 'inscriptionsAt'>, address: string): CoinProof =>
  async (coins) => {
    const proven: ProvenCoins = { plain: [], inscribed: [], unproven: [] }
    const inscriptions = await inscriptionsAt?.(address).catch(() => null)
    for (const coin of coins) {
      const inscriptionId = inscriptions?.get(formatOutpoint(coin))
      if (!inscriptions) proven.unproven.push({ coin, reason: 'the wallet does not list its inscriptions' })
      else if (inscriptionId === undefined) proven.plain.push(coin)
      else proven.inscribed.push({ coin, inscriptionId, offset: null })
    }
    return proven
  }

const LATE = 'the server did not respond in time'
function lateOrThrow(error: unknown): string {
  if (error instanceof DOMException && error.name === 'TimeoutError') return LATE
  throw error
}

/** Returns the inscriptions in a coin, or the reason why it is unproven. */
async function contentsAt(origin: string, coin: OwnCoin, signal: AbortSignal): Promise<string[] | string> {
  const name = formatOutpoint(coin)
  const response = await connected(`${origin.replace(/\/+$/, '')}/r/utxo/${name}`, {
    headers: { accept: 'application/json' },
    signal,
  })
  if (response.status !== 200) return `the server returned ${response.status} for ${name}`
  const { inscriptions, runes, value } = (jsonOf(await textOf(response)) ?? {}) as Record<string, unknown>
  if (!Array.isArray(inscriptions) || !inscriptions.every((id) => typeof id === 'string'))
    return 'the server does not list its inscriptions'
  if (value !== coin.valueSats) return `the server reports ${value} sats, the market ${coin.valueSats}`
  if (typeof runes === 'object' && runes !== null && Object.keys(runes).length > 0) return 'it contains runes'
  return inscriptions
}
