import { p2trScript } from '@ordbook/bitcoin/address.ts'
import { bytesToHex, concatBytes, hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { groupBy } from '@ordbook/bitcoin/group-by.ts'
import { taprootScriptOf } from '@ordbook/bitcoin/inscribe.ts'
import { sha256, signSchnorr, taprootOutputKey, tweakPrivateKey, xOnlyKeyOf } from '@ordbook/bitcoin/keys.ts'
import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { sumSats } from '@ordbook/bitcoin/sats.ts'
import { SIGHASH, tapLeafHash, taprootSighash } from '@ordbook/bitcoin/sighash.ts'
import { SEQUENCE_RBF, type Tx, type TxOutput, txidOf } from '@ordbook/bitcoin/transaction.ts'
import type { Regtest } from '@ordbook/devnet/regtest.ts'
import { EnvelopeMaker } from './random-envelopes.ts'
import type { JsonBlock, SlowCoin, SlowIndex } from './slow-index.ts'

/** Seeded random numbers (mulberry32). */
export class Dice {
  private state: number
  constructor(seed: number) {
    this.state = seed
  }
  roll(sides: number): number {
    this.state = (this.state + 0x6d2b79f5) | 0
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * sides)
  }
  pick<T>(all: readonly T[]): T {
    return all[this.roll(all.length)]!
  }
  chance(percent: number): boolean {
    return this.roll(100) < percent
  }
}

export class JsonChain {
  private readonly regtest: Regtest
  private readonly blocks = new Map<string, JsonBlock>()
  constructor(regtest: Regtest) {
    this.regtest = regtest
  }
  find(hash: string): JsonBlock | undefined {
    return this.blocks.get(hash)
  }

  async read(): Promise<JsonBlock[]> {
    const line: JsonBlock[] = []
    let hash: string | undefined = await this.regtest.call<string>('getbestblockhash')
    while (hash) {
      let block: JsonBlock | undefined = this.blocks.get(hash)
      if (!block) {
        block = await this.regtest.call<JsonBlock>('getblock', hash, 3)
        this.blocks.set(hash, block)
      }
      line.push(block)
      hash = block.previousblockhash
    }
    return line.reverse()
  }
}

/** A coin that the crowd can spend. */
interface Own extends Outpoint, TxOutput {
  /** Null if anyone can spend the coin. */
  key: Uint8Array | null
  /** Tapscript, if it is spent by script path. */
  leaf?: Uint8Array
  /** Inscriptions that may be in the coin. */
  inside: readonly string[]
}

const OP_RETURN = Uint8Array.of(0x6a, 0x02, 0xbe, 0xef)
/** Outputs that anyone can spend until a soft fork. Nodes do not relay such spends. */
const LATER_WITNESSES = [
  Uint8Array.of(0x51, 0x02, 0x4e, 0x73),
  ...[9, 10, 11, 12].map((n) => Uint8Array.of(0x52, 0x20, ...new Uint8Array(32).fill(n))),
]
const MAX_INSIDE = 12

/** Users who make random valid transactions. If hostile, they also spend outputs that nodes do not relay. */
export class Crowd {
  readonly keys: Uint8Array[]
  private readonly dice: Dice
  private readonly isHostile: boolean
  private readonly scripts: Map<string, Uint8Array | null>
  private readonly envelopes: EnvelopeMaker
  private known: readonly string[] = []
  private free: Own[] = []
  private transactions: Tx[] = []

  constructor(dice: Dice, faucetKey: Uint8Array, { isHostile = false } = {}) {
    this.dice = dice
    this.isHostile = isHostile
    this.envelopes = new EnvelopeMaker(dice)
    this.keys = [0, 1, 2, 3, 4].map((n) => sha256(new TextEncoder().encode(`crowd ${n}`)))
    this.scripts = new Map([...this.keys, faucetKey].map((key) => [bytesToHex(taprootScriptOf(key)), key]))
    if (isHostile) for (const script of LATER_WITNESSES) this.scripts.set(bytesToHex(script), null)
  }

  /** Returns the coins that can be spent in the next block. */
  private coinsOf({ coins, inscriptions }: SlowIndex, height: number): Own[] {
    const inside = groupBy(inscriptions, ({ satpoint }) => satpoint.slice(0, satpoint.lastIndexOf(':')))
    return [...coins.values()].flatMap((coin: SlowCoin) => {
      const { txid, vout, valueSats } = coin
      const ids = (inside.get(`${txid}:${vout}`) ?? []).slice(0, MAX_INSIDE).map((each) => each.inscriptionId)
      const isRipe = !coin.coinbase || height - coin.height >= 100
      return isRipe ? this.ownOf({ txid, vout }, { valueSats, script: hexToBytes(coin.script) }, ids) : []
    })
  }

  private ownOf(outpoint: Outpoint, output: TxOutput, inside: readonly string[]): Own[] {
    const key = this.scripts.get(bytesToHex(output.script))
    const isUsable = key !== undefined && (output.valueSats > 0 || this.isHostile)
    return isUsable ? [{ ...outpoint, ...output, key, inside }] : []
  }

  anyone(): Uint8Array {
    const { dice } = this
    if (this.isHostile && dice.chance(90)) return dice.pick(LATER_WITNESSES)
    return taprootScriptOf(dice.pick(this.keys))
  }

  /** Generates a block's transactions, which may spend each other's outputs. */
  block(index: SlowIndex, height: number, actions = 1 + this.dice.roll(4)): Tx[] {
    const { dice } = this
    this.free = this.coinsOf(index, height)
    this.known = index.inscriptions.slice(-1000).map((each) => each.inscriptionId)
    this.transactions = []
    for (let n = actions; n > 0 && this.free.length > 0; n--) {
      if (this.isHostile && dice.chance(35)) {
        dice
          .pick([this.split, this.merge, this.orphanByFee, this.reinscribe, this.burn, this.shred])
          .call(this)
        continue
      }
      const kind = dice.roll(10)
      if (kind < (this.isHostile ? 7 : 4)) this.inscribe(this.take(1 + dice.roll(dice.chance(8) ? 15 : 3)))
      else
        this.spend(this.take(1 + dice.roll(3)), (total) =>
          this.outputsOf(total, kind === 9 ? 40 : kind === 8 ? 5 : 1),
        )
    }
    return this.transactions
  }

  /** Removes coins from the pool, often including one with an inscription. */
  private take(count: number): Own[] {
    const { dice, free } = this
    const takenCoins: Own[] = []
    for (let n = 0; n < count && free.length > 0; n++) {
      const rich = dice.chance(50) ? free.filter((coin) => coin.inside.length > 0) : []
      const chosen = rich.length > 0 ? dice.pick(rich) : dice.pick(free)
      free.splice(free.indexOf(chosen), 1)
      takenCoins.push(chosen)
    }
    return takenCoins
  }

  /** Adds a transaction to the block and its outputs to the pool. */
  private spend(coins: readonly Own[], outputsOf: (total: number) => TxOutput[]): Own[] {
    const tx = this.sign(coins, outputsOf(sumSats(coins.map((coin) => coin.valueSats))))
    this.transactions.push(tx)
    const txid = txidOf(tx)
    const fresh = coins.some((coin) => coin.leaf) ? [`${txid}i0`, `${txid}i1`] : []
    const inside = [...new Set([...fresh, ...coins.flatMap((coin) => coin.inside)])].slice(0, MAX_INSIDE)
    const outputs = tx.outputs.flatMap((output, vout) => this.ownOf({ txid, vout }, output, inside))
    this.free.push(...outputs)
    return outputs
  }

  /** Splits a total into random outputs, with fees of about `feePercent`. */
  private outputsOf(total: number, feePercent: number): TxOutput[] {
    const { dice } = this
    let remainingSats =
      total - Math.floor((total * dice.roll(feePercent + 1)) / 100) - dice.roll(2) * Math.min(total, 500)
    remainingSats = Math.max(remainingSats, 0)
    const outputs: TxOutput[] = []
    for (let n = 1 + dice.roll(4); n > 1 && remainingSats > 2000; n--) {
      const valueSats = dice.chance(30) ? 546 + dice.roll(1000) : 1 + dice.roll(remainingSats - 1)
      const script = dice.chance(8) ? OP_RETURN : dice.chance(4) ? dice.pick(LATER_WITNESSES) : this.anyone()
      outputs.push({ valueSats: Math.min(valueSats, remainingSats), script })
      remainingSats -= outputs.at(-1)!.valueSats
    }
    if (dice.chance(5)) outputs.push({ valueSats: 0, script: OP_RETURN })
    if (this.isHostile && dice.chance(5)) outputs.unshift({ valueSats: 0, script: this.anyone() })
    return [...outputs, { valueSats: remainingSats, script: this.anyone() }]
  }

  /** Spends coins in commits and a reveal with unusual envelopes, inputs and reinscriptions. */
  private inscribe(coins: readonly Own[]): void {
    const { dice } = this
    const inside = coins.flatMap((coin) => coin.inside)
    const commits = coins.map((coin, n) => {
      if (n > 0 && dice.chance(50)) return coin
      if (coin.key === null && dice.chance(90)) return { ...coin, leaf: this.leafOf(coin, inside) }
      return this.commit(coin, inside)
    })
    if (commits.length > 0) this.spend(commits, (total) => this.outputsOf(total, dice.chance(10) ? 100 : 1))
  }

  /** An envelope in the witness of an output that anyone can spend. */
  private leafOf({ valueSats }: Own, inside: readonly string[]): Uint8Array {
    const context = { inside, known: this.known, valueSats, isEvaluated: false }
    return this.envelopes.make(context, this.dice.chance(10) ? 30 : 3)
  }

  private commit(coin: Own, inside: readonly string[]): Own {
    const { dice } = this
    const key = dice.pick(this.keys)
    const { valueSats: total } = coin
    const valueSats = total > 20_000 && dice.chance(50) ? 10_000 : total
    const context = { inside, known: this.known, valueSats, isEvaluated: true }
    const leaf = concatBytes(
      Uint8Array.of(0x20),
      xOnlyKeyOf(key),
      Uint8Array.of(0xac),
      this.envelopes.make(context),
    )
    const script = p2trScript(taprootOutputKey(xOnlyKeyOf(key), tapLeafHash(leaf)).outputKey)
    const outputs = [{ valueSats, script }]
    if (valueSats < total) {
      const change = { valueSats: total - valueSats, script: this.anyone() }
      dice.chance(50) ? outputs.push(change) : outputs.unshift(change)
    }
    this.spend([coin], () => outputs)
    const txid = txidOf(this.transactions.at(-1)!)
    const vout = outputs.findIndex((output) => output.script === script)
    return { txid, vout, valueSats, script, key, leaf, inside: coin.inside }
  }

  private split(): void {
    const { dice } = this
    this.spend(this.take(1), (total) => {
      const count = Math.min(5 + dice.roll(30), Math.max(1, total))
      const each = Math.floor(total / count / (1 + dice.roll(2)))
      return Array.from({ length: count }, (_, n) => ({
        valueSats: n < count - 1 ? each : total - each * (count - 1),
        script: this.anyone(),
      }))
    })
  }

  private merge(): void {
    this.spend(this.take(2 + this.dice.roll(25)), (total) => [{ valueSats: total, script: this.anyone() }])
  }

  /** Spends the end of an inscribed coin as fee, then claims its inscriptions as parents in the same block. */
  private orphanByFee(): void {
    const { dice } = this
    for (let n = 1 + dice.roll(3); n > 0; n--) {
      const coins = dice.chance(50) ? this.inscribeSpread() : this.take(1 + dice.roll(2))
      if (coins.length === 0) return
      const [rest] = this.spend(coins, (total) => [
        { valueSats: Math.floor((total * dice.roll(100)) / 100), script: dice.pick(LATER_WITNESSES) },
      ])
      this.free.splice(this.free.indexOf(rest!), 1)
      const leaf = dice.chance(50)
        ? this.leafOf(rest!, rest!.inside)
        : this.envelopes.plain([{ parents: rest!.inside }])
      this.spend([{ ...rest!, leaf }, ...this.take(dice.roll(2))], (total) => this.outputsOf(total, 1))
    }
  }

  /** Makes a coin with several inscribed sats, whose tree loses a part if the end is spent as fee. */
  private inscribeSpread(): Own[] {
    const { dice } = this
    const coins = this.take(1)
    if (coins.length === 0) return []
    const script = dice.pick(LATER_WITNESSES)
    const whole = (total: number) => [{ valueSats: total, script }]
    const [blank] = this.spend(coins, whole)
    const count = 2 + dice.roll(8)
    const places = Array.from({ length: count }, (_, n) => Math.floor((blank!.valueSats * n) / count))
    const [inscribed] = this.spend(
      [{ ...blank!, leaf: this.envelopes.plain(places.map((pointer) => ({ pointer }))) }],
      whole,
    )
    this.free = this.free.filter((coin) => coin !== blank && coin !== inscribed)
    return [{ ...inscribed!, inside: places.map((_, n) => `${inscribed!.txid}i${n}`) }]
  }

  /** Reinscribes a coin several times in a chain of transactions. */
  private reinscribe(): void {
    let [coin] = this.take(1)
    for (let n = 1 + this.dice.roll(6); coin && n > 0; n--) {
      this.inscribe([coin])
      const next = this.free.findLastIndex((each) => each.inside.length > 0)
      coin = next === -1 ? undefined : this.free.splice(next, 1)[0]
    }
  }

  private burn(): void {
    const script = this.dice.pick([OP_RETURN, Uint8Array.of(0x6a)])
    this.spend(this.take(1), (total) => [{ valueSats: total, script }])
  }

  /** Cuts coins into many outputs and joins these in another order. */
  private shred(): void {
    const { dice } = this
    const pieces = this.spend(this.take(1 + dice.roll(2)), (total) => {
      const count = Math.min(2 + dice.roll(8), Math.max(1, total))
      const each = Math.floor(total / count)
      return Array.from({ length: count }, (_, n) => ({
        valueSats: n === 0 ? total - each * (count - 1) : each,
        script: dice.pick(LATER_WITNESSES),
      }))
    })
    this.free = this.free.filter((coin) => !pieces.includes(coin))
    const inputs = pieces.toReversed()
    if (dice.chance(40)) inputs[0] = { ...inputs[0]!, leaf: this.leafOf(inputs[0]!, inputs[0]!.inside) }
    this.spend(inputs, (total) => this.outputsOf(total, 1))
  }

  private sign(coins: readonly Own[], outputs: TxOutput[]): Tx {
    const tx: Tx = {
      version: 2,
      locktime: 0,
      inputs: coins.map(({ txid, vout }) => ({
        txid,
        vout,
        scriptSig: new Uint8Array(),
        sequence: SEQUENCE_RBF,
        witness: [],
      })),
      outputs,
    }
    for (const [index, { key, leaf }] of coins.entries()) {
      if (key === null) {
        const annex = this.dice.chance(10) ? [Uint8Array.of(0x50, 1)] : []
        tx.inputs[index]!.witness = leaf ? [leaf, new Uint8Array(33).fill(0xc0), ...annex] : []
        continue
      }
      if (!leaf) {
        const hash = taprootSighash(tx, index, coins, SIGHASH.DEFAULT)
        tx.inputs[index]!.witness = [signSchnorr(hash, tweakPrivateKey(key))]
        continue
      }
      const leafHash = tapLeafHash(leaf)
      const hash = taprootSighash(tx, index, coins, SIGHASH.DEFAULT, { leafHash })
      const { odd } = taprootOutputKey(xOnlyKeyOf(key), leafHash)
      const control = concatBytes(Uint8Array.of(odd ? 0xc1 : 0xc0), xOnlyKeyOf(key))
      tx.inputs[index]!.witness = [signSchnorr(hash, key), leaf, control]
    }
    return tx
  }
}
