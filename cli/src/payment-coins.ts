import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { type CoinProof, type ProvenCoins, proveByOrd, proveCoins } from '@ordbook/sdk'
import type { OwnCoin } from '@ordbook/sdk/verify'
import type { Desk } from './desk.ts'
import { EXIT, Failure } from './failure.ts'

/** Maximum number of remembered proven coins. */
const MAX_KNOWN = 10_000

/**
 * Spendable coins of the payment address: those that the user's node or `ord` proves to hold no inscription, and those that the user names.
 * The market's list does not suffice. Throws Failure if no coin is left.
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
      `nothing proves that ${open.map(formatOutpoint).join(', ')} hold no inscription: name a node (--node URL) or an ord server of your own (--ord URL), or the coins that you want to spend (--spend TXID:N)`,
      EXIT.unconfirmed,
    )
  return spendable
}

/**
 * Filters coins to those that the node, or otherwise the `ord` server, proves to hold no inscription. Prints why the others are not spent.
 */
async function provenPlain(desk: Desk, coins: readonly OwnCoin[]): Promise<OwnCoin[]> {
  const proofs = [proofByNode(desk), proofByOrd(desk)].filter((proof) => proof !== null)
  const plain: OwnCoin[] = []
  let open: ProvenCoins['unproven'] = coins.map((coin) => ({ coin, reason: '' }))
  for (const prove of proofs) {
    if (open.length === 0) break
    const found = await prove(open.map(({ coin }) => coin))
    plain.push(...found.plain)
    open = found.unproven
    for (const { coin, inscriptionId } of found.inscribed)
      desk.out.note(`${formatOutpoint(coin)} is not spent: it holds ${inscriptionId}`)
  }
  if (proofs.length > 0)
    for (const { coin, reason } of open)
      desk.out.note(
        `${formatOutpoint(coin)} is not spent: ${reason} (--ord proves it by an index, --spend names it)`,
      )
  return plain
}

/** The proof by the user's node, which remembers what it proved; null without one. */
function proofByNode(desk: Desk): CoinProof | null {
  const { node } = desk
  return (
    node &&
    (async (coins) => {
      const { addressNetwork: network, plainCoins } = await desk.state()
      const known = new Set(plainCoins)
      const found = await proveCoins(node, coins, {
        network,
        known,
        onCoin: (n) => desk.out.progress(`looking into coin ${n + 1} of ${coins.length}`),
      })
      if (known.size > plainCoins.length)
        await desk.keep(() => ({ plainCoins: [...known].slice(-MAX_KNOWN) }))
      return found
    })
  )
}

/** Proof by the user's `ord` server, which proves nothing while it is down; null without one. */
function proofByOrd({ config: { ord } }: Desk): CoinProof | null {
  if (ord === null) return null
  return (coins) =>
    proveByOrd(ord)(coins).catch((error: Error) => ({
      plain: [],
      inscribed: [],
      unproven: coins.map((coin) => ({ coin, reason: `${ord} cannot be asked: ${error.message}` })),
    }))
}
