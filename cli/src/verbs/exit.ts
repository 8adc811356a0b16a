import { existsSync, readFileSync } from 'node:fs'
import { type AddressNetwork, addressOfScript, scriptOfPublicKey } from '@ordbook/bitcoin/address.ts'
import { bytesToHex, hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { toXOnly } from '@ordbook/bitcoin/keys.ts'
import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { decodeTransaction, hexOfTransaction, type Tx, txidOf } from '@ordbook/bitcoin/transaction.ts'
import { coreNode, escrowsAt, paymentsAt, reclaim } from '@ordbook/sdk'
import { type ExitPlan, finishExit, type Owner, planExit } from '@ordbook/sdk/verify'
import { money } from '../amounts.ts'
import { DEFAULTS, PAYMENTS } from '../config.ts'
import { escrowsOf } from '../escrows.ts'
import { Failure, UsageError } from '../failure.ts'
import { readSecret } from '../own-files.ts'
import { linesOfTerms, termsOf } from '../review.ts'
import type { TradeSession } from '../trade-session.ts'
import { type Arguments, missing, outpointOf, type Result, type Verb } from '../verb.ts'

export const exit: Verb = {
  usage: 'TXID:VOUT... --fee-rate N | ID... --with-market',
  summary: 'Withdraw inscriptions from escrow, with or without the market',
  details: `  TXID:VOUT            Escrow coin; repeatable
  --fee-rate N         Fee rate in sat/vB
  --max-network AMOUNT Maximum network fee
  --coin TXID:VOUT     Payment coin that pays the fee; repeatable
  --offset N           Without --coin: offset of the inscription's sat in its coin; later sats of the coin pay the fee
  --market-key HEX     The market's co-sign key (default: the key pinned at the first trade)
  --transaction HEX|FILE
                       Raw transaction that created a coin, instead of a node; repeatable
  --send               Broadcast the transaction instead of printing it
  --with-market        Let the market co-sign and pay the fee

Without a configuration, for a wallet that signs PSBTs elsewhere:
  --ordinals-key HEX   Untweaked public key of the ordinals address; prints the PSBT to sign
  --signed FILE        Signed PSBT in base64; prints the transaction
  --payment-key HEX    With --coin: public key of the payment address
  --payment-kind KIND  p2wpkh (default), p2sh-p2wpkh or p2tr
  --network NAME       mainnet (default), testnet or regtest
  --secret-file FILE   Untweaked private key of the ordinals address, 64 hex digits; only for the published form
`,
  options: {
    'fee-rate': { type: 'string' },
    'max-network': { type: 'string' },
    coin: { type: 'string', multiple: true },
    offset: { type: 'string' },
    'market-key': { type: 'string' },
    transaction: { type: 'string', multiple: true },
    send: { type: 'boolean' },
    'with-market': { type: 'boolean' },
    'ordinals-key': { type: 'string' },
    signed: { type: 'string' },
    'payment-key': { type: 'string' },
    'payment-kind': { type: 'string' },
    network: { type: 'string' },
    'secret-file': { type: 'string' },
  },
  run: (desk, args) => (args.has('with-market') ? withMarket(desk, args) : alone(desk, args)),
}

interface Leaver {
  owner: Owner
  network: AddressNetwork
  /** Returns null if the PSBT must first be signed elsewhere. */
  sign(plan: ExitPlan): Promise<string | null>
  ordinalsKey: Uint8Array | undefined
  node: string | null
  maxNetworkSats: number
}

async function alone(desk: TradeSession, args: Arguments): Promise<Result> {
  const rate = args.feeRate()
  if (args.words.length === 0) missing('the escrow coin TXID:VOUT')
  const escrowCoins = args.words.map(outpointOf)
  const paymentCoins = args.all('coin').map(outpointOf)
  const offset = args.count('offset', 0, Number.MAX_SAFE_INTEGER)
  if (paymentCoins.length === 0 && offset === undefined) missing('--coin TXID:VOUT, or --offset N')
  const leaver = args.has('ordinals-key') ? leaverByKeys(desk, args) : await leaverByConfig(desk)
  const { owner, network, sign, ordinalsKey, node } = leaver
  const marketKey = args.has('market-key')
    ? toXOnly(publicKeyOf(args, 'market-key'))
    : hexToBytes((await pinnedMarketKey(desk, args)) ?? missing('--market-key HEX'))
  const source = node === null ? null : coreNode(node)
  const transactions = await transactionsOf([...escrowCoins, ...paymentCoins], args, source)

  const plan = planExit(owner, {
    escrows: escrowsAt(owner, marketKey, escrowCoins, transactions),
    coins: paymentsAt(owner, paymentCoins, transactions),
    feeRateSatVb: rate,
    maxNetworkSats: args.amount('max-network') ?? leaver.maxNetworkSats,
    ...(paymentCoins.length === 0 ? { leastSats: offset! + 1 } : {}),
    previous: transactions,
  })
  const { psbtBase64, inputsToSign, feeSats, changeSats } = plan
  const escrows = escrowCoins.map(formatOutpoint)
  // A configured wallet prints its own review.
  if (args.has('ordinals-key') || inputsToSign.length === 0)
    desk.out.note(linesOfTerms(termsOf(owner, network, [{ psbtBase64, inputsToSign }], new Map())))
  const signed = inputsToSign.length === 0 ? null : await sign(plan)
  if (inputsToSign.length > 0 && signed === null)
    return { document: { escrows, feeSats, changeSats, psbtBase64, inputsToSign }, text: psbtBase64 }
  const tx = finishExit(plan, signed, ordinalsKey)
  const transaction = hexOfTransaction(tx)
  // The published form needs no wallet signature, so a dry run ends here.
  const isSent = args.has('send') && !desk.flags.isDryRun
  if (isSent && !source) throw new Failure('no-node', '--send requires a node: pass --node URL')
  const txid = isSent ? await source!.send(tx) : null
  if (!isSent) desk.out.note('not sent: add --send, or broadcast it with any node')
  return {
    document: { escrows, feeSats, changeSats, transaction, txid },
    text: txid
      ? `withdrew ${escrows.join(', ')} in transaction ${txid}; network fee ${money(feeSats)}`
      : transaction,
  }
}

async function leaverByConfig(desk: TradeSession): Promise<Leaver> {
  const { wallet, ordinalsKey } = await desk.own()
  const reviewing = await desk.reviewing(wallet)
  return {
    owner: wallet,
    network: await desk.network(),
    sign: ({ psbtBase64, inputsToSign }) => reviewing.signPsbt(psbtBase64, inputsToSign),
    ordinalsKey: ordinalsKey ?? undefined,
    node: desk.config.node,
    maxNetworkSats: desk.config.maxNetworkSats,
  }
}

/** An owner given by public keys, without a market or a configuration. */
function leaverByKeys(desk: TradeSession, args: Arguments): Leaver {
  const network = (args.text('network') ?? 'mainnet') as AddressNetwork
  if (!['mainnet', 'testnet', 'regtest'].includes(network))
    throw new UsageError(`--network: found ${network}, expected mainnet, testnet or regtest`)
  const ordinalsKey = publicKeyOf(args, 'ordinals-key')
  const paymentKey = args.has('coin') ? publicKeyOf(args, 'payment-key') : ordinalsKey
  const kindName = args.has('coin') ? (args.text('payment-kind') ?? PAYMENTS[0]) : 'p2tr'
  const kind = PAYMENTS.find((name) => name === kindName)
  if (!kind) throw new UsageError(`--payment-kind: found ${kindName}, expected one of ${PAYMENTS.join(', ')}`)
  const [ordinalsScript, paymentScript] = [
    scriptOfPublicKey(ordinalsKey, 'p2tr'),
    scriptOfPublicKey(paymentKey, kind),
  ]
  const owner: Owner = {
    ordinalsScript,
    paymentScript,
    ordinalsAddress: addressOfScript(ordinalsScript, network)!,
    paymentAddress: addressOfScript(paymentScript, network)!,
    ordinalsPublicKey: bytesToHex(ordinalsKey),
    paymentPublicKey: bytesToHex(paymentKey),
  }
  const [signedFile, secretFile] = [args.text('signed'), args.text('secret-file')]
  return {
    owner,
    network,
    async sign({ inputsToSign }) {
      if (signedFile !== undefined) return readFileSync(signedFile, 'utf8').trim()
      for (const { signingIndexes, address } of inputsToSign)
        desk.out.note(`sign inputs ${signingIndexes.join(', ')} as ${address}`)
      return null
    },
    ordinalsKey: secretFile === undefined ? undefined : hexToBytes(readSecret(secretFile)),
    node: args.text('node') ?? null,
    maxNetworkSats: DEFAULTS.maxNetworkSats,
  }
}

const pinnedMarketKey = async (desk: TradeSession, args: Arguments) =>
  args.has('ordinals-key') ? undefined : (await desk.state()).keys?.cosignKey

function publicKeyOf(args: Arguments, name: string): Uint8Array {
  const text = args.text(name) ?? missing(`--${name} HEX`)
  if (!/^(0[23])?[0-9a-f]{64}$/.test(text)) throw new UsageError(`--${name}: expected a public key in hex`)
  return hexToBytes(text)
}

/** Returns the transactions that created coins, by txid. Their source can be untrusted, because a txid is a hash of the transaction. */
async function transactionsOf(
  coins: readonly Outpoint[],
  args: Arguments,
  source: ReturnType<typeof coreNode> | null,
): Promise<Map<string, Tx>> {
  const transactions = new Map<string, Tx>()
  for (const word of args.all('transaction')) {
    const tx = decodeTransaction((existsSync(word) ? readFileSync(word, 'utf8') : word).trim())
    transactions.set(txidOf(tx), tx)
  }
  for (const { txid } of coins) {
    if (transactions.has(txid)) continue
    if (!source)
      throw new Failure(
        'no-node',
        `pass a node with --node, or the raw transaction ${txid} with --transaction`,
      )
    transactions.set(txid, (await source.transaction(txid)).tx)
  }
  return transactions
}

async function withMarket(desk: TradeSession, args: Arguments): Promise<Result> {
  const items = await desk.items(args.ids())
  const escrows = escrowsOf(items)
  const answer = await reclaim(await desk.trader(), escrows)
  return {
    document: answer,
    text: items.map(({ inscriptionId }) => `withdrawing ${inscriptionId}; the market pays the fee`),
  }
}
