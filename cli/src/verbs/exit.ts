import { hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { formatOutpoint, type Outpoint, parseOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { hexOfTransaction, type Tx } from '@ordbook/bitcoin/transaction.ts'
import { coreNode, escrowsAt, exitEscrow, paymentsAt, reclaim } from '@ordbook/sdk'
import { money } from '../amounts.ts'
import type { Desk } from '../desk.ts'
import { Failure, UsageError } from '../failure.ts'
import { type Arguments, missing, type Result, type Verb } from '../verb.ts'

export const exit: Verb = {
  usage: 'TXID:VOUT... --fee-rate N | ID... --with-market',
  summary: 'brings inscriptions home from escrow: alone, by a node, or with the market',
  details: `  TXID:VOUT            the escrow coin; several bring several home
  --fee-rate N         sat/vB
  --coin TXID:VOUT     a coin of the payment address that pays the fee; may be repeated
  --offset N           without --coin: offset of the inscription's sat in its coin; the fee is taken behind it
  --market-key HEX     the market's co-sign key; by default the one that was kept at the first trade
  --send               sends the transaction by the node; without it, it is printed
  --with-market        the market signs too, and pays the fee`,
  options: {
    'fee-rate': { type: 'string' },
    coin: { type: 'string', multiple: true },
    offset: { type: 'string' },
    'market-key': { type: 'string' },
    send: { type: 'boolean' },
    'with-market': { type: 'boolean' },
  },
  run: (desk, given) => (given.has('with-market') ? withMarket(desk, given) : alone(desk, given)),
}

async function alone(desk: Desk, given: Arguments): Promise<Result> {
  const { node } = desk.config
  if (!node) throw new Failure('no-node', 'an exit reads the coins from a node: name one by --node')
  const rate = Number(given.text('fee-rate') ?? missing('--fee-rate N'))
  if (!(rate > 0 && rate <= 10_000)) throw new UsageError('--fee-rate: expected sat/vB, above 0 up to 10000')
  if (given.words.length === 0) missing('the escrow coin TXID:VOUT')
  const at = given.words.map(outpointOf)
  const paying = given.all('coin').map(outpointOf)
  const key = given.text('market-key') ?? (await desk.state()).keys?.cosignKey ?? missing('--market-key HEX')
  if (!/^[0-9a-f]{64}$/.test(key)) throw new UsageError('--market-key: expected 64 hex digits')
  const made = new Map<string, Tx>()
  const source = coreNode(node)
  for (const { txid } of [...at, ...paying]) made.set(txid, (await source.transaction(txid)).tx)

  const { wallet, ordinalsKey } = await desk.own()
  const escrows = escrowsAt(wallet, hexToBytes(key), at, made)
  const offset = given.count('offset', 0, Number.MAX_SAFE_INTEGER)
  if (paying.length === 0 && offset === undefined) missing('--coin TXID:VOUT, or --offset N')
  const { tx, feeSats, changeSats } = await exitEscrow(
    await desk.reviewing(wallet),
    {
      escrows,
      coins: paymentsAt(wallet, paying, made),
      feeRateSatVb: rate,
      ...(paying.length === 0 ? { leastSats: offset! + 1 } : {}),
      previous: made,
    },
    ordinalsKey ?? undefined,
  )
  const transaction = hexOfTransaction(tx)
  // The published form asks for no signature of a wallet, which would have ended a dry run.
  const isSent = given.has('send') && !desk.flags.isDryRun
  const txid = isSent ? await source.send(tx) : null
  const came = at.map(formatOutpoint).join(', ')
  return {
    document: { escrows: at.map(formatOutpoint), feeSats, changeSats, transaction, txid },
    text: txid
      ? `${came} comes home by ${txid}; network fee ${money(feeSats)}`
      : `${transaction}\nnot sent: add --send, or send it by any node`,
  }
}

async function withMarket(desk: Desk, given: Arguments): Promise<Result> {
  const items = await desk.items(given.ids())
  const escrows = items.map(({ inscriptionId, coin, escrowForm }) => {
    if (!escrowForm) throw new Failure('not-in-escrow', `${inscriptionId} is not in escrow`)
    return { ...coin, escrowForm }
  })
  const answer = await reclaim(await desk.trader(), escrows)
  return {
    document: answer,
    text: items.map(({ inscriptionId }) => `${inscriptionId} comes home, the market pays`).join('\n'),
  }
}

function outpointOf(text: string): Outpoint {
  if (!/^[0-9a-f]{64}:\d{1,10}$/.test(text)) throw new UsageError(`${text} is not a coin (TXID:VOUT)`)
  return parseOutpoint(text)
}
