import { readFileSync } from 'node:fs'
import {
  type AddressNetwork,
  addressOfScript,
  type KeySpend,
  scriptOfPublicKey,
} from '@ordbook/bitcoin/address.ts'
import { hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { toXOnly } from '@ordbook/bitcoin/keys.ts'
import { formatOutpoint, type Outpoint, parseOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { decodeTransaction, hexOfTransaction, type Tx, txidOf } from '@ordbook/bitcoin/transaction.ts'
import { callRpc } from '@ordbook/devnet/regtest.ts'
import { escrowsAt, paymentsAt } from '@ordbook/sdk/exit-coins.ts'
import { finishExit, planExit } from '@ordbook/sdk/exit-escrow.ts'
import type { Owner } from '@ordbook/sdk/verify.ts'
import { readCommand } from './command.ts'

/** An owner's way out of escrow with no market: a PSBT for any wallet, from a node or raw transactions alone. */
const USAGE = `usage: npx node scripts/exit-escrow.ts OPTIONS

Brings inscriptions home from escrow (docs/guides/leaving-escrow.md). Prints a PSBT to sign; with --signed, the transaction.

whose it is
  --ordinals-key HEX      untweaked public key of the ordinals address, as the wallet gives it
  --market-key HEX        the market's co-sign key, of its page /keys or of a PSBT kept from listing
  --escrow TXID:VOUT      the escrow coin, where the inscription is now; several bring several home
who pays the fee
  --fee-rate N            sat/vB
  --coin TXID:VOUT        a coin of the payment address; several may be given
  --payment-key HEX       public key of the payment address
  --payment-kind KIND     p2wpkh (default), p2sh-p2wpkh or p2tr
  --offset N              without --coin: offset of the inscription's sat in the escrow coin, 0 for the first; the fee is
                          taken from the coin's end, behind it
where the facts come from
  --node URL              Bitcoin Core's RPC with user:password, and a transaction index
  --transaction HEX|FILE  or the raw transactions that made these coins, one each
what comes next
  --signed FILE           the signed PSBT, base64: prints the transaction
  --send                  and sends it through --node
  --secret-file FILE      private key of the ordinals address, 64 hex digits, untweaked: for the published form alone
  --network NAME          mainnet (default), testnet or regtest`

class UsageError extends Error {}

function demand<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new UsageError(`${what} is missing`)
  return value
}

const { values: options } = readCommand(USAGE, {
  options: {
    'ordinals-key': { type: 'string' },
    'market-key': { type: 'string' },
    escrow: { type: 'string', multiple: true },
    'fee-rate': { type: 'string' },
    coin: { type: 'string', multiple: true },
    'payment-key': { type: 'string' },
    'payment-kind': { type: 'string', default: 'p2wpkh' },
    offset: { type: 'string' },
    node: { type: 'string' },
    transaction: { type: 'string', multiple: true },
    signed: { type: 'string' },
    send: { type: 'boolean' },
    'secret-file': { type: 'string' },
    network: { type: 'string', default: 'mainnet' },
  },
})

const network = options.network as AddressNetwork
const addressOf = (script: Uint8Array) => addressOfScript(script, network) ?? 'a script without an address'

function keyOf(name: 'ordinals-key' | 'market-key' | 'payment-key'): Uint8Array {
  const text = demand(options[name], `--${name}`)
  if (!/^(0[23])?[0-9a-f]{64}$/.test(text)) throw new UsageError(`--${name} is not a public key in hex`)
  return hexToBytes(text)
}

function numberOf(name: 'fee-rate' | 'offset'): number {
  const number = Number(demand(options[name], `--${name}`))
  if (!Number.isFinite(number) || number < 0) throw new UsageError(`--${name} is not a number`)
  return number
}

function ownerOf(): Owner {
  const ordinalsKey = keyOf('ordinals-key')
  const ordinalsScript = scriptOfPublicKey(ordinalsKey, 'p2tr')
  const paymentKey = options.coin ? keyOf('payment-key') : ordinalsKey
  const kind = options.coin ? (options['payment-kind'] as KeySpend['kind']) : 'p2tr'
  if (!['p2wpkh', 'p2sh-p2wpkh', 'p2tr'].includes(kind))
    throw new UsageError(`--payment-kind ${kind} is unknown`)
  const paymentScript = scriptOfPublicKey(paymentKey, kind)
  return {
    ordinalsScript,
    paymentScript,
    ordinalsAddress: addressOf(ordinalsScript),
    paymentAddress: addressOf(paymentScript),
    ordinalsPublicKey: Buffer.from(ordinalsKey).toString('hex'),
    paymentPublicKey: Buffer.from(paymentKey).toString('hex'),
  }
}

/** The transactions that made the coins. A txid is the hash of its transaction, so no source can lie about them. */
async function parentsOf(outpoints: readonly Outpoint[]): Promise<Map<string, Tx>> {
  const known = new Map<string, Tx>()
  const learn = (hex: string) => {
    const tx = decodeTransaction(hex.trim())
    known.set(txidOf(tx), tx)
  }
  for (const given of options.transaction ?? [])
    learn(/^[0-9a-f]+$/.test(given) ? given : readFileSync(given, 'utf8'))
  for (const { txid } of outpoints) {
    if (known.has(txid)) continue
    if (!options.node) throw new UsageError(`give --node, or the raw transaction ${txid} by --transaction`)
    learn(await callRpc<string>(options.node, 'getrawtransaction', txid))
    if (!known.has(txid)) throw new UsageError(`the node gave another transaction for ${txid}`)
  }
  return known
}

async function run(): Promise<void> {
  const owner = ownerOf()
  const marketKey = toXOnly(keyOf('market-key'))
  const at = demand(options.escrow, '--escrow').map(parseOutpoint)
  const paying = (options.coin ?? []).map(parseOutpoint)
  const parents = await parentsOf([...at, ...paying])
  const escrows = escrowsAt(owner, marketKey, at, parents)
  const coins = paymentsAt(owner, paying, parents)
  const plan = planExit(owner, {
    escrows,
    coins,
    feeRateSatVb: numberOf('fee-rate'),
    ...(coins.length === 0 ? { leastSats: numberOf('offset') + 1 } : {}),
    previous: parents,
  })
  for (const [n, { coin }] of plan.layout.inputs.slice(0, escrows.length).entries()) {
    const { valueSats, script } = plan.layout.outputs[n]!
    console.error(
      `${formatOutpoint(coin)} (${coin.valueSats} sats) goes to ${addressOf(script)} (${valueSats} sats)`,
    )
  }
  console.error(
    `fee ${plan.feeSats} sats for ${plan.vsize} vB, change ${plan.changeSats} sats to ${owner.paymentAddress}`,
  )

  const { 'secret-file': secretFile, signed } = options
  const secret = secretFile ? hexToBytes(readFileSync(secretFile, 'utf8').trim()) : undefined
  if (plan.inputsToSign.length > 0 && signed === undefined) {
    console.error(
      plan.inputsToSign
        .map((each) => `sign inputs ${each.signingIndexes.join(', ')} as ${each.address}`)
        .join('\n'),
    )
    console.log(plan.psbtBase64)
    return
  }
  const tx = finishExit(plan, signed === undefined ? null : readFileSync(signed, 'utf8').trim(), secret)
  const hex = hexOfTransaction(tx)
  if (!options.send) return console.log(hex)
  console.log(await callRpc<string>(demand(options.node, '--node'), 'sendrawtransaction', hex))
}

if (process.argv.length === 2) console.log(USAGE)
else
  await run().catch((error: Error) => {
    console.error(error.message)
    process.exitCode = 1
  })
