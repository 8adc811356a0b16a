import { bytesToHex, hexToBytes, joinBytes } from '@ordbook/bitcoin/bytes.ts'
import { buildPayment, taprootScriptOf } from '@ordbook/bitcoin/inscribe.ts'
import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { Coin } from '@ordbook/bitcoin/trade/layout.ts'
import { hexOfTransaction, type Tx, txidOf } from '@ordbook/bitcoin/transaction.ts'
import type { Regtest } from '@ordbook/devnet/regtest.ts'

/** Prefix of a runestone: OP_RETURN OP_13. */
const RUNESTONE = Uint8Array.of(0x6a, 0x5d)
const TAG = { divisibility: 1, flags: 2, premine: 6, pointer: 22 }
const ETCHING = 1
const DIVISIBILITY = 2
const KEY = new Uint8Array(32).fill(9)

/** Returns the script of a nameless etching whose supply is premined. */
function runestoneOf(premine: number): Uint8Array {
  const payload = [TAG.flags, ETCHING, TAG.divisibility, DIVISIBILITY, TAG.premine, premine].flatMap(varintOf)
  return joinBytes([RUNESTONE, Uint8Array.of(payload.length), Uint8Array.from(payload)])
}

const varintOf = (value: number): number[] =>
  value < 128 ? [value] : [(value % 128) + 128, ...varintOf(Math.floor(value / 128))]

/** Etches a rune and mines a block. Returns the coin with the supply of `premine` smallest units. */
export async function etch(
  regtest: Regtest,
  owner: Uint8Array,
  { valueSats, premine }: { valueSats: number; premine: number },
): Promise<Coin> {
  const coin = await regtest.fund(taprootScriptOf(KEY), valueSats + 10_000)
  const outputs = [
    { valueSats, script: owner },
    { valueSats: 0, script: runestoneOf(premine) },
  ]
  const tx: Tx = buildPayment([coin], outputs, { privateKey: KEY, feeRateSatVb: 2 })
  await regtest.call('sendrawtransaction', hexOfTransaction(tx))
  await regtest.mine()
  return { txid: txidOf(tx), vout: 0, valueSats, script: owner }
}

type Balance = Record<string, { amount: number; divisibility: number; symbol: string | null }>

/** Computes rune balances by output. Supports only etchings by `etch`, runestones with only a pointer, and transactions without a runestone. */
export class RuneLedger {
  private readonly regtest: Regtest
  private height = -1
  private tip: string | null = null
  private held = new Map<string, Map<string, number>>()
  /** The last call of `follow`. Calls run one after another. */
  private following: Promise<void> = Promise.resolve()

  constructor(regtest: Regtest) {
    this.regtest = regtest
  }

  async at(outpoint: string): Promise<Balance> {
    this.following = this.following.catch(() => {}).then(() => this.follow())
    await this.following
    return Object.fromEntries(
      [...(this.held.get(outpoint) ?? [])].map(([name, amount]) => [
        name,
        { amount, divisibility: DIVISIBILITY, symbol: null },
      ]),
    )
  }

  private async follow(): Promise<void> {
    const { regtest } = this
    if (
      this.tip !== null &&
      (await regtest.call('getblockhash', this.height).catch(() => null)) !== this.tip
    ) {
      this.height = -1
      this.held = new Map()
    }
    const best = await regtest.call<number>('getblockcount')
    while (this.height < best) {
      const hash = await regtest.call<string>('getblockhash', this.height + 1)
      const { tx } = await regtest.call<{ tx: any[] }>('getblock', hash, 2)
      for (const [n, each] of tx.entries()) this.apply(each, `${this.height + 1}:${n}`)
      this.height++
      this.tip = hash
    }
  }

  private apply(tx: any, id: string): void {
    const moved = new Map<string, number>()
    const add = (name: string, amount: number) => moved.set(name, (moved.get(name) ?? 0) + amount)
    for (const input of tx.vin) {
      if (!input.txid) continue
      const key = formatOutpoint(input)
      for (const [name, amount] of this.held.get(key) ?? []) add(name, amount)
      this.held.delete(key)
    }
    const scripts: string[] = tx.vout.map((output: any) => output.scriptPubKey.hex)
    const message = scripts.find((script) => script.startsWith(bytesToHex(RUNESTONE)))
    const payload = message ? hexToBytes(message).slice(3) : null
    const pointer = payload?.[0] === TAG.pointer ? payload[1]! : null
    if (payload && pointer === null) add(`RUNE•${id}`, premineIn(payload))
    const vout = pointer ?? scripts.findIndex((script) => !script.startsWith('6a'))
    if (moved.size > 0 && vout !== -1) this.held.set(formatOutpoint({ txid: tx.txid, vout }), moved)
  }
}

function premineIn(payload: Uint8Array): number {
  const values: number[] = []
  let value = 0
  let scale = 1
  for (const byte of payload) {
    value += (byte & 127) * scale
    scale *= 128
    if (byte >= 128) continue
    values.push(value)
    value = 0
    scale = 1
  }
  return values[values.indexOf(TAG.premine, 4) + 1]!
}
