import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { proveCoins } from '@ordbook/sdk'
import type { OwnCoin } from '@ordbook/sdk/verify'
import type { Desk } from './desk.ts'
import { EXIT, Failure } from './failure.ts'

/** The most names of proven coins that are kept. */
const MOST_KNOWN = 10_000

/**
 * The coins of the payment address that may be spent: those that the user's node proves to hold no inscription, and those that the user
 * names. The market's word is not enough. Throws Failure if no coin is left.
 */
export async function spendableCoins(
  desk: Desk,
  walletBindingId: string,
  named: readonly string[],
): Promise<OwnCoin[]> {
  const { coins } = await desk.client.call('listCoins', { query: { walletBindingId } })
  for (const name of named)
    if (!coins.some((coin) => formatOutpoint(coin) === name))
      throw new Failure('no-such-coin', `${name} is not among the coins that can pay now`)
  const isNamed = (coin: OwnCoin) => named.includes(formatOutpoint(coin))
  const open = coins.filter((coin) => !isNamed(coin))
  const spendable = [...coins.filter(isNamed), ...(await provenPlain(desk, open))]
  if (spendable.length === 0 && open.length > 0)
    throw new Failure(
      'coins-unproven',
      `only the market says that ${open.map(formatOutpoint).join(', ')} hold no inscription: let a node prove it (--node URL), or name what you want to spend (--spend TXID:N)`,
      EXIT.unconfirmed,
    )
  return spendable
}

/** The coins that the node proves to hold no inscription; none without a node. Prints why the others are not spent. */
async function provenPlain(desk: Desk, coins: readonly OwnCoin[]): Promise<OwnCoin[]> {
  const { node } = desk
  if (node === null) return []
  const { addressNetwork: network, plainCoins } = await desk.state()
  const known = new Set(plainCoins)
  const { plain, inscribed, unproven } = await proveCoins(node, coins, {
    network,
    known,
    onCoin: (n) => desk.out.progress(`looking into coin ${n + 1} of ${coins.length}`),
  })
  if (known.size > plainCoins.length) await desk.keep(() => ({ plainCoins: [...known].slice(-MOST_KNOWN) }))
  for (const { coin, inscriptionId } of inscribed)
    desk.out.note(`${formatOutpoint(coin)} is not spent: it holds ${inscriptionId}`)
  for (const { coin, reason } of unproven)
    desk.out.note(`${formatOutpoint(coin)} is not spent: ${reason} (--spend names it)`)
  return plain
}
