import { scriptOfAddress } from '@ordbook/bitcoin/address.ts'
import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { Layout } from '@ordbook/bitcoin/trade/layout.ts'
import { hexOfTransaction, type Tx } from '@ordbook/bitcoin/transaction.ts'
import { type CoreNode, contentsByNode } from '@ordbook/sdk'
import { finishSplit, planSplit, type SplitAgreement } from '@ordbook/sdk/verify'
import { money } from '../amounts.ts'
import type { Desk } from '../desk.ts'
import { Failure, UsageError } from '../failure.ts'
import { spendableCoins } from '../payment-coins.ts'
import { type Arguments, isOutpoint, missing, outpointOf, SPEND, SPEND_HELP, type Verb } from '../verb.ts'

/** Fewest sats of a coin at a taproot address. */
const MIN_POSTAGE = 330

export const split: Verb = {
  usage: 'ID... | TXID:N --fee-rate N',
  summary: 'moves inscriptions on different sats of one coin to separate coins',
  details: `  ID                   an inscription to separate; the others stay together. Inscriptions on one sat cannot be separated
  TXID:N               a coin: all its inscriptions are separated
  --fee-rate N         sat/vB
  --postage AMOUNT     sats of each new coin; without it up to the next inscription
  --max-network AMOUNT most that the network may take
${SPEND_HELP}
A node (--node URL) proves what the coin holds, and sends the transaction; without one it is printed.
`,
  options: {
    'fee-rate': { type: 'string' },
    postage: { type: 'string' },
    'max-network': { type: 'string' },
    ...SPEND,
  },
  async run(desk, given) {
    const feeRateSatVb = given.feeRate()
    const postageSats = given.amount('postage')
    if (postageSats !== undefined && postageSats < MIN_POSTAGE)
      throw new UsageError(`--postage: ${postageSats} sats are below the dust limit of ${MIN_POSTAGE}`)
    const trader = await desk.trader()
    const { at, inscriptionIds } = await wished(desk, given)
    const { node } = desk
    const held = await contentsOf(desk, node, at)
    desk.locate(held.coin, held.contents)
    const agreement: SplitAgreement = {
      ...held,
      ...(inscriptionIds ? { inscriptionIds } : {}),
      ...(postageSats === undefined ? {} : { postageSats }),
      coins: await spendableCoins(desk, trader.walletBindingId, given.spend()),
      feeRateSatVb,
      maxNetworkSats: given.amount('max-network') ?? desk.config.maxNetworkSats,
    }
    const draft = planSplit(trader.wallet, agreement)
    const previous = node && (await previousOf(node, draft.layout))
    const plan = previous ? planSplit(trader.wallet, { ...agreement, previous }) : draft
    const { arrivals, feeSats, paddingSats } = plan
    const tx = finishSplit(plan, await trader.wallet.signPsbt(plan.psbtBase64, plan.inputsToSign))
    const transaction = hexOfTransaction(tx)
    const txid = node ? await node.send(tx) : null
    if (!node) desk.out.note('not sent: no node is configured. Send it by any node')
    const lines = arrivals.map(
      (each) => `${each.inscriptionId} arrives in ${formatOutpoint(each)}, ${money(each.valueSats)}`,
    )
    return {
      document: { coin: formatOutpoint(at), arrivals, feeSats, paddingSats, transaction, txid },
      text: [...lines, `network fee ${money(feeSats)}`, ...(txid ? [] : [transaction])].join('\n'),
    }
  },
}

/** The coin named by the arguments, and the inscriptions to separate; null: all. */
async function wished(
  desk: Desk,
  given: Arguments,
): Promise<{ at: Outpoint; inscriptionIds: string[] | null }> {
  const [word, ...more] = given.words
  if (word === undefined) missing('an inscription, or the coin TXID:N')
  if (isOutpoint(word)) {
    if (more.length > 0) throw new UsageError('name one coin, or inscriptions of one coin')
    return { at: outpointOf(word), inscriptionIds: null }
  }
  const items = await desk.items(given.ids())
  const names = new Set(items.map(({ coin }) => formatOutpoint(coin)))
  if (names.size > 1)
    throw new Failure(
      'several-coins',
      `these are in several coins (${[...names].join(', ')}): split one at a time`,
    )
  for (const { inscriptionId, escrowForm } of items)
    if (escrowForm)
      throw new Failure('in-escrow', `${inscriptionId} is in escrow: bring it home first with ordbook exit`)
  return { at: items[0]!.coin, inscriptionIds: items.map(({ inscriptionId }) => inscriptionId) }
}

/** The coin and its contents, as proven by the node or listed by the market. */
async function contentsOf(
  desk: Desk,
  node: CoreNode | null,
  at: Outpoint,
): Promise<Pick<SplitAgreement, 'coin' | 'contents'>> {
  const name = formatOutpoint(at)
  if (node) {
    const found = await contentsByNode(node, at, await desk.network())
    if ('inscriptions' in found) {
      if (found.inscriptions.length === 0)
        throw new Failure('nothing-to-split', `${name} holds no inscription`)
      return { coin: found.coin, contents: found.inscriptions }
    }
    desk.out.note(`the node cannot prove what ${name} holds: ${found.unproven}`)
  }
  desk.out.note(`only the market lists the contents of ${name}; all of it goes to your ordinals address`)
  const held = await desk.holdingsIn(at)
  if (!held) throw new Failure('not-held', `the market knows no inscription of yours in ${name}`)
  const items = await desk.items(held.inscriptionIds)
  const moved = items.find(({ coin }) => formatOutpoint(coin) !== name)
  if (moved) throw new Failure('moved', `${moved.inscriptionId} is in ${formatOutpoint(moved.coin)} now`)
  const script = scriptOfAddress(held.address, await desk.network())
  return {
    coin: { txid: at.txid, vout: at.vout, valueSats: items[0]!.coin.valueSats, script },
    contents: items.map(({ inscriptionId, coin }) => ({ inscriptionId, offset: coin.offset })),
  }
}

/** Transactions that created the coins of a layout, by txid: some wallets need them. */
async function previousOf(node: CoreNode, { inputs }: Layout): Promise<Map<string, Tx>> {
  const previous = new Map<string, Tx>()
  for (const { txid } of inputs.map(({ coin }) => coin))
    if (!previous.has(txid)) previous.set(txid, (await node.transaction(txid)).tx)
  return previous
}
