import { existsSync, readFileSync } from 'node:fs'
import { type AddressNetwork, addressOfScript, scriptOfPublicKey } from '@ordbook/bitcoin/address.ts'
import { bytesToHex, hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { toXOnly } from '@ordbook/bitcoin/keys.ts'
import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { decodeTransaction, hexOfTransaction, type Tx, txidOf } from '@ordbook/bitcoin/transaction.ts'
import { coreNode, escrowsAt, paymentsAt, reclaim } from '@ordbook/sdk'
import { type ExitPlan, finishExit, type Owner, planExit } from '@ordbook/sdk/verify'
import { money } from '../amounts.ts'
import { PAYMENTS } from '../config.ts'
import type { Desk } from '../desk.ts'
import { Failure, UsageError } from '../failure.ts'
import { readSecret } from '../own-files.ts'
import { termsOf, textOfTerms } from '../review.ts'
import { type Arguments, missing, outpointOf, type Result, type Verb } from '../verb.ts'

export const exit: Verb = {
  usage: 'TXID:VOUT... --fee-rate N | ID... --with-market',
  summary: 'brings inscriptions home from escrow: alone, or with the market',
  details: `  TXID:VOUT            the escrow coin; several bring several home
  --fee-rate N         sat/vB
  --coin TXID:VOUT     a coin of the payment address that pays the fee; may be repeated
  --offset N           without --coin: offset of the inscription's sat in its coin; the fee is taken behind it
  --market-key HEX     the market's co-sign key; by default the one that was kept at the first trade
  --transaction HEX|FILE
                       the raw transaction that made a coin, in place of a node; may be repeated
  --send               sends the transaction by the node; without it, it is printed
  --with-market        the market signs too, and pays the fee

without a configuration, for a wallet that signs PSBTs elsewhere:
  --ordinals-key HEX   untweaked public key of the ordinals address; prints the PSBT to sign
  --signed FILE        the signed PSBT, base64: prints the transaction
  --payment-key HEX    with --coin: public key of the payment address
  --payment-kind KIND  p2wpkh (default), p2sh-p2wpkh or p2tr
  --network NAME       mainnet (default), testnet or regtest
  --secret-file FILE   private key of the ordinals address, 64 hex digits, untweaked: for the published form alone
`,
  options: {
    'fee-rate': { type: 'string' },
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
  run: (desk, given) => (given.has('with-market') ? withMarket(desk, given) : alone(desk, given)),
}

/** The owner of an escrow, and how the owner's wallet signs. */
interface Leaver {
  owner: Owner
  network: AddressNetwork
  /** Null if the PSBT must be signed elsewhere first. */
  sign(plan: ExitPlan): Promise<string | null>
  ordinalsKey: Uint8Array | undefined
  node: string | null
}

async function alone(desk: Desk, given: Arguments): Promise<Result> {
  const rate = given.feeRate()
  if (given.words.length === 0) missing('the escrow coin TXID:VOUT')
  const at = given.words.map(outpointOf)
  const paying = given.all('coin').map(outpointOf)
  const offset = given.count('offset', 0, Number.MAX_SAFE_INTEGER)
  if (paying.length === 0 && offset === undefined) missing('--coin TXID:VOUT, or --offset N')
  const { owner, network, sign, ordinalsKey, node } = given.has('ordinals-key')
    ? leaverByKeys(desk, given)
    : await leaverByConfig(desk)
  const marketKey = given.has('market-key')
    ? toXOnly(publicKeyOf(given, 'market-key'))
    : hexToBytes((await keptMarketKey(desk, given)) ?? missing('--market-key HEX'))
  const source = node === null ? null : coreNode(node)
  const made = await transactionsOf([...at, ...paying], given, source)

  const plan = planExit(owner, {
    escrows: escrowsAt(owner, marketKey, at, made),
    coins: paymentsAt(owner, paying, made),
    feeRateSatVb: rate,
    ...(paying.length === 0 ? { leastSats: offset! + 1 } : {}),
    previous: made,
  })
  const { psbtBase64, inputsToSign, feeSats, changeSats } = plan
  const escrows = at.map(formatOutpoint)
  // A configured wallet shows what it signs.
  if (given.has('ordinals-key') || inputsToSign.length === 0)
    desk.out.note(textOfTerms(termsOf(owner, network, [{ psbtBase64, inputsToSign }], new Map())))
  const signed = inputsToSign.length === 0 ? null : await sign(plan)
  if (inputsToSign.length > 0 && signed === null)
    return { document: { escrows, feeSats, changeSats, psbtBase64, inputsToSign }, text: psbtBase64 }
  const tx = finishExit(plan, signed, ordinalsKey)
  const transaction = hexOfTransaction(tx)
  // The published form needs no wallet signature, so a dry run must end here.
  const isSent = given.has('send') && !desk.flags.isDryRun
  if (isSent && !source) throw new Failure('no-node', 'a node sends the transaction: name one by --node')
  const txid = isSent ? await source!.send(tx) : null
  if (!isSent) desk.out.note('not sent: add --send, or send it by any node')
  return {
    document: { escrows, feeSats, changeSats, transaction, txid },
    text: txid ? `${escrows.join(', ')} comes home by ${txid}; network fee ${money(feeSats)}` : transaction,
  }
}

async function leaverByConfig(desk: Desk): Promise<Leaver> {
  const { wallet, ordinalsKey } = await desk.own()
  const reviewing = await desk.reviewing(wallet)
  return {
    owner: wallet,
    network: await desk.network(),
    sign: ({ psbtBase64, inputsToSign }) => reviewing.signPsbt(psbtBase64, inputsToSign),
    ordinalsKey: ordinalsKey ?? undefined,
    node: desk.config.node,
  }
}

/** An owner with only public keys: needs no market and no configuration. */
function leaverByKeys(desk: Desk, given: Arguments): Leaver {
  const network = (given.text('network') ?? 'mainnet') as AddressNetwork
  if (!['mainnet', 'testnet', 'regtest'].includes(network))
    throw new UsageError(`--network: ${network} is unknown`)
  const ordinalsKey = publicKeyOf(given, 'ordinals-key')
  const paymentKey = given.has('coin') ? publicKeyOf(given, 'payment-key') : ordinalsKey
  const wanted = given.has('coin') ? (given.text('payment-kind') ?? PAYMENTS[0]) : 'p2tr'
  const kind = PAYMENTS.find((each) => each === wanted)
  if (!kind) throw new UsageError(`--payment-kind: found ${wanted}, expected one of ${PAYMENTS.join(', ')}`)
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
  const [signedFile, secretFile] = [given.text('signed'), given.text('secret-file')]
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
    node: given.text('node') ?? null,
  }
}

/** The market's key as stored at the first trade. */
const keptMarketKey = async (desk: Desk, given: Arguments) =>
  given.has('ordinals-key') ? undefined : (await desk.state()).keys?.cosignKey

function publicKeyOf(given: Arguments, name: string): Uint8Array {
  const text = given.text(name) ?? missing(`--${name} HEX`)
  if (!/^(0[23])?[0-9a-f]{64}$/.test(text)) throw new UsageError(`--${name}: expected a public key in hex`)
  return hexToBytes(text)
}

/** The transactions that made coins, by txid: a txid is the hash of its transaction, so no source can lie about them. */
async function transactionsOf(
  coins: readonly Outpoint[],
  given: Arguments,
  source: ReturnType<typeof coreNode> | null,
): Promise<Map<string, Tx>> {
  const made = new Map<string, Tx>()
  for (const word of given.all('transaction')) {
    const tx = decodeTransaction((existsSync(word) ? readFileSync(word, 'utf8') : word).trim())
    made.set(txidOf(tx), tx)
  }
  for (const { txid } of coins) {
    if (made.has(txid)) continue
    if (!source)
      throw new Failure(
        'no-node',
        `name a node by --node, or give the raw transaction ${txid} by --transaction`,
      )
    made.set(txid, (await source.transaction(txid)).tx)
  }
  return made
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
