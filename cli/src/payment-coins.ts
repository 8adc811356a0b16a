import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { type CoinProof, type ProvenCoins, proveByOrd, proveCoins } from '@ordbook/sdk'
import type { OwnCoin } from '@ordbook/sdk/verify'
import { EXIT, Failure } from './failure.ts'
import type { TradeSession } from './trade-session.ts'

const MAX_KNOWN = 10_000

/**
 * Returns the coins that may be spent: those that the user's node or `ord` proves to hold no inscription, and those in `named`. Throws
 * Failure if there are none.
 */
export async function spendableCoins(
  desk: TradeSession,
  walletBindingId: string,
  named: readonly string[],
): Promise<OwnCoin[]> {
  const { coins } = await desk.client.call('listCoins', { query: { walletBindingId } })
  for (const name of named)
    if (!coins.some((coin) => formatOutpoint(coin) === name))
      throw new Failure('no-such-coin', `${name} is not a spendable coin of the payment address`)
  const isNamed = (coin: OwnCoin) => named.includes(formatOutpoint(coin))
  const others = coins.filter((coin) => !isNamed(coin))
  const spendable = [...coins.filter(isNamed), ...(await provenPlain(desk, others))]
  if (spendable.length === 0 && others.length > 0)
    throw new Failure(
      'coins-unproven',
      `${others.map(formatOutpoint).join(', ')} may hold inscriptions: pass a node (--node URL), your own ord server (--ord URL), or the coins to spend (--spend TXID:N)`,
      EXIT.unconfirmed,
    )
  return spendable
}

/** Returns the coins proven to hold no inscription. Prints why others are not spent. */
async function provenPlain(desk: TradeSession, coins: readonly OwnCoin[]): Promise<OwnCoin[]> {
  const proofs = [proofByNode(desk), proofByOrd(desk)].filter((proof) => proof !== null)
  const plain: OwnCoin[] = []
  let unproven: ProvenCoins['unproven'] = coins.map((coin) => ({ coin, reason: '' }))
  for (const prove of proofs) {
    if (unproven.length === 0) break
    const found = await prove(unproven.map(({ coin }) => coin))
    for (const coin of found.plain) plain.push(coin)
    unproven = found.unproven
    for (const { coin, inscriptionId } of found.inscribed)
      desk.out.note(`${formatOutpoint(coin)} is not spent: it holds ${inscriptionId}`)
  }
  if (proofs.length > 0)
    for (const { coin, reason } of unproven)
      desk.out.note(
        `${formatOutpoint(coin)} is not spent: ${reason} (prove it with --ord, or spend it without proof with --spend)`,
      )
  return plain
}

/** Returns a proof by the user's node that caches proven coins, or null without a node. */
function proofByNode(desk: TradeSession): CoinProof | null {
  const { node } = desk
  return (
    node &&
    (async (coins) => {
      const { addressNetwork: network, plainCoins } = await desk.state()
      const known = new Set(plainCoins)
      const found = await proveCoins(node, coins, {
        network,
        known,
        onCoin: (n) => desk.out.progress(`checking coin ${n + 1} of ${coins.length}`),
      })
      if (known.size > plainCoins.length)
        await desk.keep((state) => ({
          plainCoins: [...new Set([...state.plainCoins, ...known])].slice(-MAX_KNOWN),
        }))
      return found
    })
  )
}

/** Returns a proof by the user's `ord` server, or null without one. While the server is down, all coins are unproven. */
function proofByOrd({ config: { ord } }: TradeSession): CoinProof | null {
  if (ord === null) return null
  return (coins) =>
    proveByOrd(ord)(coins).catch((error: Error) => ({
      plain: [],
      inscribed: [],
      unproven: coins.map((coin) => ({ coin, reason: `request to ${ord} failed: ${error.message}` })),
    }))
}
